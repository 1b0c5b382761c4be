package web

import (
	"net/url"
	"slices"
)

// traceAddress is the address of a trace's page that shows its tree as it is now.
type traceAddress struct{ Address }

// treeParameters are the parameters of the query that say how the tree is shown, and which run is selected.
var treeParameters = []string{"depth", "sort", "only", "find", "zoom", "run", "tz"}

func newTraceAddress(v TraceView) traceAddress {
	at := traceAddress{Address{v.Paths().Trace(v.ID), url.Values{}}}
	if shown, err := url.Parse(v.Address); err == nil { // Else the page is shown without its address.
		for name, values := range shown.Query() {
			if slices.Contains(treeParameters, name) {
				at.Query[name] = values
			}
		}
	}
	return at
}

// tree returns the URL of the tree with changed parameters.
func (a traceAddress) tree(changes ...string) string { return a.With(changes...) + "#tree" }

// run returns the URL with a run selected. Without a script, a browser scrolls to its row.
func (a traceAddress) run(id string) string { return a.With("run", id) + "#" + rowID(id) }

// rowID identifies the row of a run in the tree.
func rowID(id string) string { return "run-" + id }
