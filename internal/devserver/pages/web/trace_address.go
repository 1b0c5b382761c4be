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
	// chosen is the run that the address selects, which other links keep.
	chosen string
}

// treeParameters are the parameters of the query that say how the tree is shown.
var treeParameters = []string{"depth", "sort", "only", "find", "zoom"}

func newTraceAddress(v TraceView) traceAddress {
	at := traceAddress{path: v.Paths().Trace(v.ID), query: url.Values{}}
	shown, err := url.Parse(v.Address)
	if err != nil {
		return at // The page is shown without its address.
	}
	at.chosen = shown.Query().Get("run")
	for _, name := range treeParameters {
		if value := shown.Query().Get(name); value != "" {
			at.query.Set(name, value)
		}
	}
	return at
}

// without returns the URL of the tree without some parameters.
func (a traceAddress) without(names ...string) string {
	query := url.Values{}
	for key, values := range a.query {
		if !slices.Contains(names, key) {
			query[key] = values
		}
	}
	return a.url(query) + "#tree"
}

// with returns the URL of the tree with a changed parameter, or without it if the value is empty.
func (a traceAddress) with(name, value string) string {
	query := maps.Clone(a.query)
	query.Set(name, value)
	if value == "" {
		query.Del(name)
	}
	return a.url(query) + "#tree"
}

func (a traceAddress) url(query url.Values) string {
	if a.chosen != "" {
		query.Set("run", a.chosen)
	}
	if len(query) == 0 {
		return a.path
	}
	return a.path + "?" + query.Encode()
}

// run returns the URL with a run selected. Without a script, a browser scrolls to its row.
func (a traceAddress) run(id string) string {
	a.chosen = id
	return a.url(maps.Clone(a.query)) + "#" + rowID(id)
}

// rowID identifies the row of a run in the tree.
func rowID(id string) string { return "run-" + id }
