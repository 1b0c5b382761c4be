package web

import (
	"net/url"
	"strings"
)

// The formats of exports, as the query names them.
const (
	FormatJSONL = "jsonl"
	FormatCSV   = "csv"
)

// ExportOf is the path of the file with the runs on a page.
func ExportOf(path string) string { return path + "/export" }

// exportLink links to a file with runs.
type exportLink struct{ Label, URL string }

// newExports returns the links to the formats of a file; none if its URL is no path on this server.
func newExports(address string) []exportLink {
	if local(address) == "" {
		return nil
	}
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	link := func(label, format string) exportLink {
		return exportLink{label, address + separator + url.Values{"format": {format}}.Encode()}
	}
	return []exportLink{link("JSON Lines", FormatJSONL), link("CSV", FormatCSV)}
}
