package web

import (
	"maps"
	"net/url"
	"slices"
)

// Address is the URL of a page in its current state: links change parts of its query.
type Address struct {
	Path  string
	Query url.Values
}

// With returns the address with a changed parameter, or without it if the value is empty. Changing the order or the
// contents of a list restarts paging.
func (a Address) With(changes ...string) string {
	query := url.Values{}
	for key, values := range a.Query {
		if key != "cursor" && values[0] != "" {
			query[key] = values
		}
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "" {
			query.Del(changes[i])
			continue
		}
		query.Set(changes[i], changes[i+1])
	}
	if len(query) == 0 {
		return a.Path
	}
	return a.Path + "?" + query.Encode()
}

// Hidden returns the parameters that a form of the page keeps: all but its own fields. It shows the first page of a list.
func (a Address) Hidden(fields ...string) (kept []Setting) {
	for _, name := range slices.Sorted(maps.Keys(a.Query)) {
		if value := a.Query.Get(name); value != "" && name != "cursor" && !slices.Contains(fields, name) {
			kept = append(kept, Setting{Name: name, Value: value})
		}
	}
	return kept
}

// traceAddress is the address of a trace's page that shows its tree as it is now.
type traceAddress struct{ Address }

// treeParameters are the parameters of the query that say how the tree is shown, and which run is selected.
var treeParameters = []string{"depth", "sort", "only", "find", "zoom", "run", "tz"}

// picked returns the address of a page with some of the parameters of the shown one.
func picked(path, shown string, names []string) Address {
	at := Address{path, url.Values{}}
	if address, err := url.Parse(shown); err == nil { // Else the page is shown without its address.
		for name, values := range address.Query() {
			if slices.Contains(names, name) {
				at.Query[name] = values
			}
		}
	}
	return at
}

// InRange returns the address of another page that has the time range of this one.
func (f Frame) InRange(path string) string {
	return picked(path, f.Address, []string{"range", "from", "to", "tz"}).With()
}

// tree returns the URL of the tree with changed parameters.
func (a traceAddress) tree(changes ...string) string { return a.With(changes...) + "#tree" }

// run returns the URL with a run selected. Without a script, a browser scrolls to its row.
func (a traceAddress) run(id string) string { return a.With("run", id) + "#" + rowID(id) }

// rowID identifies the row of a run in the tree.
func rowID(id string) string { return "run-" + id }
