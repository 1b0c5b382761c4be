package devserver_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// answers returns what a server answers to all requests that list something, and to those for pages, by the request.
func answers(t *testing.T, p *devservertest.Plane) map[string]string {
	t.Helper()
	found := map[string]string{}
	ask := func(method, path string, body any) {
		reply := p.Do(method, path, body)
		if reply.Err != nil {
			t.Fatal(reply.Err)
		}
		name := method + " " + path
		if body != nil {
			name += " of " + body.(object)["session"].([]string)[0]
		}
		found[name] = http.StatusText(reply.Status) + " " + strings.ReplaceAll(string(reply.Body), p.Web.URL, "http://plane")
	}
	for _, endpoint := range p.Undocumented() {
		method, path, _ := strings.Cut(endpoint, " ")
		listed := strings.HasPrefix(path, "/api/v1/") || strings.HasPrefix(path, "/api/v2/") || strings.HasPrefix(path, "/dev/")
		if method == http.MethodGet && listed && !strings.Contains(path, "{") {
			ask(method, path, nil)
		}
	}
	for _, path := range []string{"/v2/deployments", "/v2/listeners", "/v1/integrations/git_host/install", "/v2/auth/providers"} {
		ask(http.MethodGet, path, nil)
	}
	pages := []string{"deployments", "listeners", "integrations", "oauth", "prices", "projects"}
	for _, d := range devservertest.Get[object](p, "/v2/deployments")["resources"].([]any) {
		id := d.(object)["id"].(string)
		ask(http.MethodGet, "/v2/deployments/"+id, nil)
		ask(http.MethodGet, "/v2/deployments/"+id+"/revisions", nil)
		pages = append(pages, "deployments/"+id)
	}
	for _, project := range devservertest.Get[[]object](p, "/api/v1/sessions") {
		id := project["id"].(string)
		ask(http.MethodGet, "/api/v1/sessions/"+id+"?include_stats=true", nil)
		ask(http.MethodPost, "/api/v1/runs/query", object{"session": []string{id}, "limit": 100})
		ask(http.MethodPost, "/api/v1/runs/stats", object{"session": []string{id}})
		pages = append(pages, "projects/"+id, "projects/"+id+"?q=order", "projects/"+id+"/threads", "projects/"+id+"/feedback")
		runs := devservertest.Into[object](p.Do(http.MethodPost, "/api/v1/runs/query", object{"session": []string{id}, "limit": 5, "is_root": true}).Want(http.StatusOK))
		for _, run := range runs["runs"].([]any) {
			pages = append(pages, "traces/"+run.(object)["trace_id"].(string), "runs/"+run.(object)["id"].(string)+"/raw")
		}
	}
	p = p.As("X-Tenant-Id", devservertest.WorkspaceA, "Accept", "application/json")
	for _, path := range pages {
		ask(http.MethodGet, "/ui/workspaces/"+devservertest.WorkspaceA+"/"+path, nil)
	}
	return found
}

// TestCopy copies a file with all kinds of data to PostgreSQL, interrupts that after each table in turn, and compares what servers answer
// before and afterwards.
func TestCopy(t *testing.T) {
	t.Parallel()
	postgrestest.Required(t)
	file := filepath.Join(t.TempDir(), "plane.db")
	p := devservertest.New(t, devserver.Config{Data: file})
	p.Create(devservertest.ImageRequest("image", object{"secrets": []any{object{"name": "A", "value": "kept secret"}}})) // Before there are listeners.
	p.WithSeed(devservertest.WorkspaceA)
	if err := p.Sample(t.Context(), devservertest.WorkspaceA); err != nil {
		t.Fatal(err)
	}
	repository := p.Create(p.RepoRequest("repository"))
	p.Patch(repository.ID, object{"source_revision_config": object{"repo_ref": "next"}})
	p.Do(http.MethodPost, "/v2/auth/providers", object{
		"provider_id": "mail", "name": "Mail", "client_id": "c", "client_secret": "hush", "auth_url": "https://login.test/a", "token_url": "https://login.test/t",
	}).Want(http.StatusOK)
	p.Do(http.MethodPost, "/runs", devservertest.With(devservertest.RootRun(), object{"inputs": object{"text": "a\x00b \x01 c"}, "error": "NUL \x00"})).Want(http.StatusAccepted)
	want := answers(t, p)
	p.Stop()

	cfg := devservertest.Stored(t, devserver.Config{SealKey: file + "-key"})
	begun := map[string]bool{}
	for {
		ctx, interrupt := context.WithCancel(t.Context())
		err := devserver.Copy(ctx, file, cfg.Data, "", func(c devserver.Copied) {
			if !begun[c.Table] {
				begun[c.Table] = true
				interrupt()
			}
		})
		interrupt()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if len(begun) < 10 {
		t.Errorf("%d tables have rows, want most", len(begun))
	}
	got := answers(t, devservertest.New(t, cfg))
	var requests []string
	for request := range want {
		requests = append(requests, request)
	}
	slices.Sort(requests)
	for _, request := range requests {
		if diff := cmp.Diff(want[request], got[request]); diff != "" {
			t.Errorf("%s (-file +PostgreSQL):\n%s", request, diff)
		}
		if !strings.HasPrefix(want[request], "OK") {
			t.Logf("%s: %s", request, want[request])
		}
	}
	if len(want) < 60 || len(got) != len(want) {
		t.Errorf("%d requests before, and %d after; want at least 60", len(want), len(got))
	}
}
