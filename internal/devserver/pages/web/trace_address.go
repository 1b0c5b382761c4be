package web

import (
	"maps"
	"net/url"
	"slices"
)

// traceAddress builds URLs of a trace's page that show its tree as it is now.
type traceAddress struct {
	path  string
	query url.Values
}

// treeParameters are the parameters of the query that say how the tree is shown.
var treeParameters = []string{"depth", "sort", "only", "find"}

func newTraceAddress(v TraceView) traceAddress {
	at := traceAddress{v.Paths().Trace(v.ID), url.Values{}}
	shown, err := url.Parse(v.Address)
	if err != nil {
		return at // The page is shown without its address.
	}
	for _, name := range treeParameters {
		if value := shown.Query().Get(name); value != "" {
			at.query.Set(name, value)
		}
	}
	return at
}

// without returns the address without some parameters.
func (a traceAddress) without(names ...string) string {
	query := url.Values{}
	for key, values := range a.query {
		if !slices.Contains(names, key) {
			query[key] = values
		}
	}
	return withQuery(a.path, query)
}

// with returns the URL with a changed parameter, or without it if the value is empty.
func (a traceAddress) with(name, value string) string {
	query := maps.Clone(a.query)
	query.Set(name, value)
	if value == "" {
		query.Del(name)
	}
	return withQuery(a.path, query)
}

func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// run returns the URL with a run selected. Without a script, a browser scrolls to its row.
func (a traceAddress) run(id string) string { return a.with("run", id) + "#" + rowID(id) }

// rowID identifies the row of a run in the tree.
func rowID(id string) string { return "run-" + id }
