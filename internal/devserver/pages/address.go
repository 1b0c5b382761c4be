package pages

import (
	"maps"
	"net/url"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// address is the URL of a page in its current state: links change parts of its query.
type address struct {
	path  string
	query url.Values
}

func addressOf(c *rest.Call, path string) address { return address{path, c.Request.URL.Query()} }

// with returns the address with a changed parameter, or without it if the value is empty. Changing the order or the
// contents of a list restarts paging.
func (a address) with(changes ...string) string {
	query := url.Values{}
	for key, values := range a.query {
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
		return a.path
	}
	return a.path + "?" + query.Encode()
}

// hidden returns the parameters that a form of the page keeps: all but its own fields. It shows the first page of a list.
func (a address) hidden(fields ...string) (kept []web.Setting) {
	for _, name := range slices.Sorted(maps.Keys(a.query)) {
		if value := a.query.Get(name); value != "" && name != "cursor" && !slices.Contains(fields, name) {
			kept = append(kept, web.Setting{Name: name, Value: value})
		}
	}
	return kept
}
