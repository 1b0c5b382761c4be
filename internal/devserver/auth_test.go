package devserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

func TestKeysAndWorkspaces(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{Keys: []devserver.Key{
		{Value: "one", Workspaces: []string{strings.ToUpper(workspaceA)}},
		{Value: "two", Workspaces: []string{workspaceA, workspaceB}},
	}})
	open := newPlane(t, devserver.Config{})
	const (
		refused = "Invalid or missing API key. Send a valid one as X-Api-Key or as Authorization: Bearer."
		choose  = "This API key is org-scoped and requires workspace specification. Please provide 'X-Tenant-ID' header."
		foreign = "This API key has no access to workspace '" + workspaceB + "'."
	)
	for name, tc := range map[string]struct {
		on     *plane
		header []string
		status int
		says   string // The workspace when it is let in, else the detail.
	}{
		"no key":               {p, nil, 401, refused},
		"wrong key":            {p, []string{"X-Api-Key", "three"}, 401, refused},
		"wrong key, workspace": {p, []string{"X-Api-Key", "three", "X-Tenant-Id", workspaceA}, 401, refused},
		"wrong scheme":         {p, []string{"Authorization", "Basic one"}, 401, refused},
		"empty bearer":         {p, []string{"Authorization", "Bearer "}, 401, refused},
		"implied workspace":    {p, []string{"X-Api-Key", "one"}, 200, workspaceA},
		"named workspace":      {p, []string{"X-Api-Key", "one", "X-Tenant-Id", workspaceA}, 200, workspaceA},
		"upper case": {
			p,
			[]string{"X-Api-Key", "one", "X-Tenant-Id", strings.ToUpper(workspaceA)},
			200,
			workspaceA,
		},
		"foreign workspace":      {p, []string{"X-Api-Key", "one", "X-Tenant-Id", workspaceB}, 403, foreign},
		"bearer":                 {p, []string{"Authorization", "bearer one"}, 200, workspaceA},
		"which of two":           {p, []string{"X-Api-Key", "two"}, 403, choose},
		"one of two":             {p, []string{"X-Api-Key", "two", "X-Tenant-Id", workspaceB}, 200, workspaceB},
		"open, no workspace":     {open, nil, 200, devserver.DefaultWorkspaceID},
		"open, any workspace":    {open, []string{"X-Tenant-Id", workspaceB}, 200, workspaceB},
		"open, any key":          {open, []string{"X-Api-Key", "three"}, 200, devserver.DefaultWorkspaceID},
		"the API key goes first": {p, []string{"X-Api-Key", "one", "Authorization", "Bearer three"}, 200, workspaceA},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			as := tc.on.as(tc.header...)
			as.t = t
			r := as.do(http.MethodGet, "/v2/deployments", nil).want(tc.status)
			if tc.status != http.StatusOK {
				r.wantDetail(tc.says)
				return
			}
			for _, seen := range tc.on.Requests() {
				if seen.ID == r.header.Get("X-Request-Id") {
					if seen.WorkspaceID != tc.says {
						t.Errorf("workspace %s, want %s", seen.WorkspaceID, tc.says)
					}
					return
				}
			}
			t.Error("the request is not recorded")
		})
	}
	malformed := into[api.HTTPValidationError](open.as("X-Tenant-Id", "team").do(http.MethodGet, "/v2/deployments", nil).want(422))
	if e := malformed.Detail[0]; e.Type != "uuid_parsing" || e.Loc[0].Key != "header" || e.Loc[1].Key != "x-tenant-id" {
		t.Errorf("a malformed workspace is answered with %+v", e)
	}
	p.as().do(http.MethodGet, "/healthz", nil).want(http.StatusOK)
	p.as().do(http.MethodGet, "/dev/requests", nil).want(http.StatusUnauthorized)
}

// No request sees, changes or deletes another workspace's objects, and names are the workspace's own.
func TestWorkspacesAreIsolated(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{}).seed(workspaceA)
	mine := p.create(p.repoRequest("chat"))
	listener := p.seeded.ListenerID
	b := p.as("X-Tenant-Id", workspaceB)
	path := "/v2/deployments/" + mine.ID
	for _, request := range []struct{ method, path string }{
		{http.MethodGet, path},
		{http.MethodPatch, path},
		{http.MethodDelete, path},
		{http.MethodGet, path + "/revisions"},
		{http.MethodGet, path + "/revisions/" + *mine.LatestRevisionID},
		{http.MethodGet, "/v2/listeners/" + listener},
	} {
		b.do(request.method, request.path, object{}).want(http.StatusNotFound)
	}
	theirs := b.create(imageRequest("chat"))
	b.do(http.MethodGet, path+"/revisions/"+*theirs.LatestRevisionID, nil).want(http.StatusNotFound)
	b.do(http.MethodGet, "/v2/deployments/"+theirs.ID+"/revisions/"+*mine.LatestRevisionID, nil).want(http.StatusNotFound)
	if list := get[api.List[api.Deployment]](b, "/v2/deployments?deployment_ids="+mine.ID); len(list.Resources) > 0 {
		t.Errorf("workspace B lists %v", list)
	}
	if list := get[api.List[api.Listener]](b, "/v2/listeners"); len(list.Resources) > 0 {
		t.Errorf("workspace B lists %v", list)
	}
	if list := get[[]api.Integration](b, "/v1/integrations/git_host/install"); len(list) > 0 {
		t.Errorf("workspace B lists %v", list)
	}
	if list := get[[]object](b, "/api/v1/sessions?name=chat"); len(list) != 1 || list[0]["tenant_id"] != workspaceB {
		t.Errorf("workspace B lists %v", list)
	}
	for _, seen := range get[map[string][]devserver.Request](b, "/dev/requests")["requests"] {
		if seen.WorkspaceID != workspaceB {
			t.Errorf("workspace B sees the request %+v", seen)
		}
	}
	if got := p.deployment(mine.ID); *got.LatestRevisionID != *mine.LatestRevisionID {
		t.Error("workspace B changed the deployment")
	}
}
