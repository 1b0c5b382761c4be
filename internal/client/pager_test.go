package client

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// uuidOf returns the ID of an object with that number.
func uuidOf(i int) string { return fmt.Sprintf("d%07d-0000-4000-8000-000000000000", i) }

// numbered returns objects with IDs from uuidOf(0) to uuidOf(n-1).
func numbered(n int) []map[string]string {
	list := make([]map[string]string, n)
	for i := range list {
		list[i] = map[string]string{"id": uuidOf(i), "name": "d" + strconv.Itoa(i), "status": "DEPLOYED"}
	}
	return list
}

// paged serves all as the service does; window selects the part that a request gets.
func paged(all []map[string]string, window func(limit, offset int) (int, int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil {
			limit = 20
		}
		offset, err := strconv.Atoi(r.URL.Query().Get("offset"))
		if err != nil {
			offset = 0
		}
		from, to := window(limit, offset)
		from = min(from, len(all))
		part := all[from:min(to, len(all))]
		answerWith(http.StatusOK, map[string]any{"resources": part, "offset": len(part)})(w, r)
	}
}

func proper(limit, offset int) (int, int) { return offset, offset + limit }

// pagedLists are the lists of the control plane and the Auth service that have pages.
var pagedLists = map[string]func(context.Context, *Client) ([]string, error){
	"/v2/deployments": func(ctx context.Context, c *Client) ([]string, error) {
		return ids(c.ListDeployments(ctx, DeploymentFilter{}), func(d api.Deployment) string { return d.ID })
	},
	"/v2/deployments/x/revisions": func(ctx context.Context, c *Client) ([]string, error) {
		return ids(c.ListRevisions(ctx, "x", RevisionFilter{}), func(r api.Revision) string { return r.ID })
	},
	"/v2/listeners": func(ctx context.Context, c *Client) ([]string, error) {
		return ids(c.Listeners().List(ctx), func(l api.Listener) string { return l.ID })
	},
	"/v1/integrations/git_host/install": func(ctx context.Context, c *Client) ([]string, error) {
		return ids(c.ListIntegrations(ctx), func(i api.Integration) string { return i.ID })
	},
	"/v2/auth/providers": func(ctx context.Context, c *Client) ([]string, error) {
		return ids(c.OAuthProviders().List(ctx), func(p api.OAuthProviderResponse) string { return p.ID })
	},
}

func TestPaging(t *testing.T) {
	t.Parallel()
	ignoresOffset := func(limit, _ int) (int, int) { return 0, limit }
	ignoresBoth := func(int, int) (int, int) { return 0, 1 << 20 }
	// A deployment created between two reads shifts the others by one.
	shifting := func(limit, offset int) (int, int) { return max(0, offset-1), max(0, offset-1) + limit }
	tests := map[string]struct {
		handler  http.HandlerFunc
		want     int // Items d0, d1, …
		requests int
		err      string
	}{
		"empty":                       {paged(numbered(0), proper), 0, 1, ""},
		"one short page":              {paged(numbered(99), proper), 99, 1, ""},
		"one full page":               {paged(numbered(100), proper), 100, 2, ""},
		"three pages":                 {paged(numbered(250), proper), 250, 3, ""},
		"offset ignored":              {paged(numbered(250), ignoresOffset), 0, 3, "ignores offset"},
		"offset divided by limit":     {paged(numbered(250), func(limit, offset int) (int, int) { return offset / limit * limit, offset/limit*limit + limit }), 250, 4, ""},
		"nothing after a page":        {paged(numbered(250), func(limit, offset int) (int, int) { return offset * 1000, offset*1000 + limit }), 100, 6, ""},
		"offset ignored, short":       {paged(numbered(42), ignoresOffset), 42, 1, ""},
		"limit and offset ignored":    {paged(numbered(250), ignoresBoth), 250, 1, ""},
		"items shift while reading":   {paged(numbered(250), shifting), 250, 3, ""},
		"bare array":                  {answerWith(200, numbered(3)), 3, 1, ""},
		"bare array of a page's size": {answerWith(200, numbered(100)), 100, 1, ""},
		"empty bare array":            {answerWith(200, ` [ ] `), 0, 1, ""},
		"second page fails": {
			script(paged(numbered(250), proper), answerWith(403, `{"detail":"no"}`)), 0, 2, "403 Forbidden: no",
		},
		"no list":     {answerWith(200, `{"detail":"welcome"}`), 0, 1, `no list "resources"`},
		"null list":   {answerWith(200, `{"resources":null,"offset":0}`), 0, 1, `no list "resources"`},
		"null":        {answerWith(200, `null`), 0, 1, `no list "resources"`},
		"other shape": {answerWith(200, `{"resources":{}}`), 0, 1, "not the expected JSON"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for path, list := range pagedLists {
				if strings.HasPrefix(name, "second") && path != "/v2/deployments" {
					continue // A script can't be used twice.
				}
				c, s := serve(t, test.handler)
				got, err := list(t.Context(), c)
				if (test.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Fatalf("%s: error = %v, want %q", path, err, test.err)
				}
				var want []string
				for i := range test.want {
					want = append(want, uuidOf(i))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", path, diff)
				}
				if calls := s.calls(); len(calls) != test.requests || calls[0] != "GET "+path {
					t.Errorf("%s: requests %v, want %d", path, calls, test.requests)
				}
			}
		})
	}
}

// ids collects a list and returns the IDs only.
func ids[T any](seq func(func(T, error) bool), id func(T) string) ([]string, error) {
	all, err := Collect(seq)
	var list []string
	for _, item := range all {
		list = append(list, id(item))
	}
	return list, err
}

// TestPaging_deleted deletes items while a list is read: no other item is missed.
func TestPaging_deleted(t *testing.T) {
	t.Parallel()
	lists := maps.Clone(pagedLists)
	lists[modelPricesPath] = func(ctx context.Context, c *Client) ([]string, error) {
		return ids(c.ModelPrices().List(ctx), func(p api.ModelPrice) string { return p.ID })
	}
	for path, list := range lists {
		for name, deleted := range map[string]map[int][]int{ // The indexes of the items deleted after a request.
			"the first":           {1: {0}},
			"the last of a page":  {1: {99}},
			"one of each page":    {1: {50}, 2: {60}},
			"many":                {1: numbers(0, 90)},
			"all that were read":  {1: numbers(0, 100)},
			"more than were read": {1: numbers(0, 120)},
			"all but the first":   {1: numbers(1, 250)},
			"all":                 {1: numbers(0, 250)},
			"again and again":     {1: {0}, 2: {1}, 3: {2}, 4: {3}, 5: {4}},
			"one not yet read":    {1: {120}},
		} {
			t.Run(path+", "+name, func(t *testing.T) {
				t.Parallel()
				gone, requests := map[string]bool{}, 0
				c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
					left := slices.DeleteFunc(numbered(250), func(item map[string]string) bool { return gone[item["id"]] })
					limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
					offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
					part := left[min(offset, len(left)):min(offset+limit, len(left))]
					if path == modelPricesPath {
						answerWith(200, part, "X-Pagination-Total", strconv.Itoa(len(left)))(w, r)
					} else {
						answerWith(200, map[string]any{"resources": part, "offset": len(part)})(w, r)
					}
					requests++
					for _, i := range deleted[requests] {
						gone[uuidOf(i)] = true
					}
				})
				got, err := list(t.Context(), c)
				if err != nil || requests > 9 {
					t.Fatalf("%v after %d requests, want at most 9", err, requests)
				}
				for _, item := range numbered(250) {
					if id := item["id"]; !gone[id] && !slices.Contains(got, id) {
						t.Errorf("%s is missing", id)
					}
				}
			})
		}
	}
}

// numbers returns the numbers from one to another, without the latter.
func numbers(from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

func TestDeploymentFilter(t *testing.T) {
	t.Parallel()
	all := []map[string]string{
		{"id": uuidOf(1), "name": "chat", "status": "READY", "image_version": "1.0.0"},
		{"id": uuidOf(2), "name": "chat-two", "status": "READY", "image_version": "1.1.0"},
		{"id": uuidOf(3), "name": "Chat-three", "status": "UNUSED"},
	}
	tests := map[string]struct {
		filter DeploymentFilter
		query  map[string]string
		want   []string
	}{
		"none":          {DeploymentFilter{}, nil, []string{uuidOf(1), uuidOf(2), uuidOf(3)}},
		"name":          {DeploymentFilter{Name: "chat"}, map[string]string{"name": "chat", "name_contains": "chat"}, []string{uuidOf(1)}},
		"name contains": {DeploymentFilter{NameContains: "chat-t"}, map[string]string{"name_contains": "chat-t"}, []string{uuidOf(2), uuidOf(3)}},
		"status":        {DeploymentFilter{Status: "UNUSED"}, map[string]string{"status": "UNUSED"}, []string{uuidOf(3)}},
		"image version": {DeploymentFilter{ImageVersion: "1.1.0"}, map[string]string{"image_version": "1.1.0"}, []string{uuidOf(2)}},
		"ids":           {DeploymentFilter{IDs: []string{uuidOf(3), uuidOf(1)}}, map[string]string{"deployment_ids": uuidOf(3) + "," + uuidOf(1)}, []string{uuidOf(1), uuidOf(3)}},
		"all": {
			DeploymentFilter{Name: "chat-two", NameContains: "two", Status: "READY"},
			map[string]string{"name": "chat-two", "name_contains": "two", "status": "READY"},
			[]string{uuidOf(2)},
		},
		"escaped": {DeploymentFilter{Name: "a&b=c d"}, map[string]string{"name": "a&b=c d", "name_contains": "a&b=c d"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, paged(all, proper)) // It ignores every filter.
			got, err := ids(c.ListDeployments(t.Context(), test.filter), func(d api.Deployment) string { return d.ID })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
			query := map[string]string{"limit": "100", "offset": "0"}
			maps.Copy(query, test.query)
			if diff := cmp.Diff(query, flat(s.last(t))); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
		})
	}
}

func flat(r seen) map[string]string {
	query := map[string]string{}
	for name, values := range r.Query {
		query[name] = strings.Join(values, "|")
	}
	return query
}

func TestRevisionFilter(t *testing.T) {
	t.Parallel()
	all := numbered(5)
	all[1]["status"], all[3]["status"] = "SKIPPED", "BUILD_FAILED"
	tests := map[string]struct {
		filter   RevisionFilter
		query    map[string]string // The query of the last request.
		want     []string
		requests int
	}{
		"none":   {RevisionFilter{}, map[string]string{"limit": "100", "offset": "0"}, []string{"d0000000-0000-4000-8000-000000000000", "d0000001-0000-4000-8000-000000000000", "d0000002-0000-4000-8000-000000000000", "d0000003-0000-4000-8000-000000000000", "d0000004-0000-4000-8000-000000000000"}, 1},
		"newest": {RevisionFilter{Limit: 1}, map[string]string{"limit": "1", "offset": "0"}, []string{"d0000000-0000-4000-8000-000000000000"}, 1},
		"statuses": {
			RevisionFilter{Statuses: []api.RevisionStatus{"SKIPPED", "BUILD_FAILED"}},
			map[string]string{"limit": "100", "offset": "0", "status": "SKIPPED,BUILD_FAILED"}, []string{"d0000001-0000-4000-8000-000000000000", "d0000003-0000-4000-8000-000000000000"}, 1,
		},
		"newest of a status, filter ignored": {
			RevisionFilter{Statuses: []api.RevisionStatus{"BUILD_FAILED"}, Limit: 1},
			map[string]string{"limit": "100", "offset": "0", "status": "BUILD_FAILED"}, []string{"d0000003-0000-4000-8000-000000000000"}, 1,
		},
		"limit above what there is": {
			RevisionFilter{Limit: 9}, map[string]string{"limit": "9", "offset": "0"},
			[]string{"d0000000-0000-4000-8000-000000000000", "d0000001-0000-4000-8000-000000000000", "d0000002-0000-4000-8000-000000000000", "d0000003-0000-4000-8000-000000000000", "d0000004-0000-4000-8000-000000000000"}, 1,
		},
		"limit above a page": {
			RevisionFilter{Limit: 900}, map[string]string{"limit": "100", "offset": "0"},
			[]string{"d0000000-0000-4000-8000-000000000000", "d0000001-0000-4000-8000-000000000000", "d0000002-0000-4000-8000-000000000000", "d0000003-0000-4000-8000-000000000000", "d0000004-0000-4000-8000-000000000000"}, 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, paged(all, proper))
			got, err := ids(c.ListRevisions(t.Context(), "x", test.filter), func(r api.Revision) string { return r.ID })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.query, flat(s.last(t))); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
			if got := len(s.calls()); got != test.requests {
				t.Errorf("%d requests, want %d", got, test.requests)
			}
		})
	}
}
