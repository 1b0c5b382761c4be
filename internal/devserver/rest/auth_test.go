package rest_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func TestKeysAndWorkspaces(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{
		{Value: "one", Workspaces: []string{strings.ToUpper(devservertest.WorkspaceA)}},
		{Value: "two", Workspaces: []string{devservertest.WorkspaceA, devservertest.WorkspaceB}},
		{Value: "again", Workspaces: []string{devservertest.WorkspaceA}},
		{Value: "again", Workspaces: []string{devservertest.WorkspaceB}},
	}})
	open := devservertest.New(t, devserver.Config{})
	const (
		refused = "Invalid or missing API key. Send a valid one as X-Api-Key or as Authorization: Bearer."
		choose  = "This API key is org-scoped and requires workspace specification. Please provide 'X-Tenant-ID' header."
		foreign = "This API key has no access to workspace '" + devservertest.WorkspaceB + "'."
	)
	for name, tc := range map[string]struct {
		on     *plane
		header []string
		status int
		says   string // The workspace if accepted, otherwise the error's detail.
	}{
		"no key":               {p, nil, 401, refused},
		"wrong key":            {p, []string{"X-Api-Key", "three"}, 401, refused},
		"wrong key, workspace": {p, []string{"X-Api-Key", "three", "X-Tenant-Id", devservertest.WorkspaceA}, 401, refused},
		"wrong scheme":         {p, []string{"Authorization", "Basic one"}, 401, refused},
		"empty bearer":         {p, []string{"Authorization", "Bearer "}, 401, refused},
		"implied workspace":    {p, []string{"X-Api-Key", "one"}, 200, devservertest.WorkspaceA},
		"named workspace":      {p, []string{"X-Api-Key", "one", "X-Tenant-Id", devservertest.WorkspaceA}, 200, devservertest.WorkspaceA},
		"upper case": {
			p,
			[]string{"X-Api-Key", "one", "X-Tenant-Id", strings.ToUpper(devservertest.WorkspaceA)},
			200,
			devservertest.WorkspaceA,
		},
		"foreign workspace":      {p, []string{"X-Api-Key", "one", "X-Tenant-Id", devservertest.WorkspaceB}, 403, foreign},
		"bearer":                 {p, []string{"Authorization", "bearer one"}, 200, devservertest.WorkspaceA},
		"which of two":           {p, []string{"X-Api-Key", "two"}, 403, choose},
		"one of two":             {p, []string{"X-Api-Key", "two", "X-Tenant-Id", devservertest.WorkspaceB}, 200, devservertest.WorkspaceB},
		"twice, the last counts": {p, []string{"X-Api-Key", "again"}, 200, devservertest.WorkspaceB}, // The search doesn't stop at the first.
		"open, no workspace":     {open, nil, 200, devserver.DefaultWorkspaceID},
		"open, any workspace":    {open, []string{"X-Tenant-Id", devservertest.WorkspaceB}, 200, devservertest.WorkspaceB},
		"open, any key":          {open, []string{"X-Api-Key", "three"}, 200, devserver.DefaultWorkspaceID},
		"the API key goes first": {p, []string{"X-Api-Key", "one", "Authorization", "Bearer three"}, 200, devservertest.WorkspaceA},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			as := tc.on.As(tc.header...)
			as.T = t
			r := as.Do(http.MethodGet, "/v2/deployments", nil).Want(tc.status)
			if tc.status != http.StatusOK {
				r.WantDetail(tc.says)
				return
			}
			for _, seen := range tc.on.Requests() {
				if seen.ID == r.Header.Get("X-Request-Id") {
					devservertest.Same(t, "workspace", tc.says, seen.WorkspaceID)
					return
				}
			}
			t.Error("the request isn't recorded")
		})
	}
	malformed := devservertest.Into[api.HTTPValidationError](open.As("X-Tenant-Id", "team").Do(http.MethodGet, "/v2/deployments", nil).Want(422))
	if e := malformed.Detail[0]; e.Type != "uuid_parsing" || e.Loc[0].Key != "header" || e.Loc[1].Key != "x-tenant-id" {
		t.Errorf("error for a malformed workspace = %+v, want uuid_parsing at header.x-tenant-id", e)
	}
	p.As().Do(http.MethodGet, "/healthz", nil).Want(http.StatusOK)
	p.As().Do(http.MethodGet, "/dev/requests", nil).Want(http.StatusUnauthorized)
}

// TestRequestPages reads the request log page by page.
func TestRequestPages(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for range 5 {
		p.Do(http.MethodGet, "/v2/listeners", nil).Want(http.StatusOK)
	}
	all := p.Recorded().Requests
	var paged []string
	pages := 0
	for at := 0.0; pages == 0 || at > 0; pages++ {
		page := devservertest.Get[object](p, "/dev/requests?limit=2&offset="+strconv.Itoa(int(at)))
		for _, r := range page["requests"].([]any) {
			paged = append(paged, r.(object)["request_id"].(string))
		}
		at, _ = page["next_offset"].(float64)
	}
	if len(all) != 5 || pages != 3 || !slices.EqualFunc(all, paged, func(r devserver.Request, id string) bool { return r.ID == id }) {
		t.Errorf("%d pages have %q, want three with the IDs of %+v", pages, paged, all)
	}
	if past := devservertest.Get[object](p, "/dev/requests?offset=9"); len(past["requests"].([]any)) > 0 || past["next_offset"] != nil {
		t.Errorf("the page after the last one = %v, want none", past)
	}
	for _, query := range []string{"limit=0", "limit=1001", "offset=-1", "limit=x"} {
		p.Do(http.MethodGet, "/dev/requests?"+query, nil).Want(http.StatusUnprocessableEntity)
	}
}

// TestEverybodysActsNeedEveryWorkspace checks that a key for some workspaces can't change what users of others notice, whichever it names.
func TestEverybodysActsNeedEveryWorkspace(t *testing.T) {
	t.Parallel()
	one := []devserver.Key{{Value: "one", Workspaces: []string{devservertest.WorkspaceA}}}
	several := append([]devserver.Key{
		{Value: "other", Workspaces: []string{devservertest.WorkspaceB}},
		{Value: "all", Workspaces: []string{devservertest.WorkspaceB, strings.ToUpper(devservertest.WorkspaceA)}},
	}, one...)
	const refused = "This concerns all users of the server: it requires an API key for every workspace."
	for name, tc := range map[string]struct {
		keys    []devserver.Key
		key     string
		allowed bool
	}{
		"no keys":           {nil, "", true},
		"the only key":      {one, "one", true},
		"one of two":        {several, "one", false},
		"the other":         {several, "other", false},
		"every workspace":   {several, "all", true},
		"no valid key":      {several, "none", false},
		"every one, no key": {one, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			workspace := devservertest.WorkspaceA
			if tc.key == "other" {
				workspace = devservertest.WorkspaceB
			}
			p := devservertest.New(t, devserver.Config{Keys: tc.keys}).As("X-Api-Key", tc.key, "X-Tenant-Id", workspace)
			known := len(tc.keys) == 0 || tc.key != "" && tc.key != "none"
			for _, act := range []struct {
				method, path string
				body         object
				status       int
			}{
				{http.MethodPost, "/dev/clock", object{"advance": "1h"}, http.StatusOK},
				{http.MethodPost, "/dev/status", object{"deployment_id": devservertest.WorkspaceA, "status": "UNUSED"}, http.StatusNotFound}, // There is none.
				{http.MethodPost, "/dev/faults", object{"match": "GET /never", "status": 500}, http.StatusNoContent},
				{http.MethodDelete, "/dev/faults", nil, http.StatusNoContent},
			} {
				r := p.Do(act.method, act.path, act.body)
				switch {
				case tc.allowed:
					r.Want(act.status)
				case known:
					r.Want(http.StatusForbidden).WantDetail(refused)
				default:
					r.Want(http.StatusUnauthorized)
				}
			}
			if !known {
				return
			}
			for _, path := range []string{"/dev/clock", "/dev/faults", "/dev/requests"} {
				p.Do(http.MethodGet, path, nil).Want(http.StatusOK)
			}
			p.Do(http.MethodPost, "/dev/integrations", object{"name": "own"}).Want(http.StatusCreated)
		})
	}
}
