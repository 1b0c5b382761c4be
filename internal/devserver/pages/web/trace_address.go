package web

import (
	"net/url"
)

// traceAddress builds URLs of a trace's page that show its tree as it is now.
type traceAddress struct {
	path  string
	query url.Values
}

// treeParameters are the parameters of the query that say how the tree is shown.
var treeParameters = []string{"depth"}

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

// with returns the URL with a changed parameter, or without it if the value is empty.
func (a traceAddress) with(name, value string) string {
	query := url.Values{}
	for key, values := range a.query {
		query[key] = values
	}
	query.Set(name, value)
	if value == "" {
		query.Del(name)
	}
	if len(query) == 0 {
		return a.path
	}
	return a.path + "?" + query.Encode()
}

// run returns the URL with a run selected. Without a script, a browser scrolls to its row.
func (a traceAddress) run(id string) string { return a.with("run", id) + "#" + rowID(id) }

// rowID identifies the row of a run in the tree.
func rowID(id string) string { return "run-" + id }
