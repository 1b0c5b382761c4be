package web

import "net/url"

// FormatCSV is a format of exports, as the query names it.
const FormatCSV = "csv"

// ExportOf is the path of the file with the runs on a page.
func ExportOf(path string) string { return path + "/export" }

// exportURL is the URL of an export in a format; empty if it is no path on this server.
func exportURL(format, address string) string {
	u, err := url.Parse(local(address))
	if err != nil || u.Path == "" {
		return ""
	}
	query := u.Query()
	query.Set("format", format)
	u.RawQuery = query.Encode()
	return u.String()
}
