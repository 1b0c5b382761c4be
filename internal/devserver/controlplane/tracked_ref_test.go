package controlplane_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestTrackedRef changes what new revisions are built from without making one.
func TestTrackedRef(t *testing.T) {
	t.Parallel()
	const repo = "https://git.example.com/example-org/chat"
	p := newProduct(t, devserver.Config{Rollout: 20 * time.Second})
	p.WithSeed(devservertest.WorkspaceA)
	send := func(path string, body object) {
		t.Helper()
		p.say(http.MethodPost, path, body, http.StatusOK)
	}
	send("/dev/push", object{"repo_url": repo, "ref": "release"})
	created := p.object(http.MethodPost, "/v2/deployments",
		p.github("chat", object{"source_config": object{"build_on_push": true}}), http.StatusCreated)
	path := "/v2/deployments/" + created["id"].(string)
	seen := func(d object) []any {
		return []any{d["source_config"].(object)["repo_branch"], d["source_revision_config"].(object)["repo_ref"], d["latest_revision_id"]}
	}
	first := seen(created)

	tracking := p.object(http.MethodPatch, path, object{"tracked_repo_ref": "release"}, http.StatusOK)
	devservertest.Same(t, "tracking another branch", []any{"release", first[1], first[2]}, seen(tracking))
	send("/dev/push", object{"repo_url": repo, "ref": "main"})
	devservertest.Same(t, "a push to the branch that is no longer tracked built it", seen(tracking), seen(p.get(path)))
	send("/dev/push", object{"repo_url": repo, "ref": "release"})
	built := seen(p.get(path))
	if built[0] != "release" || built[1] == first[1] || built[2] == first[2] {
		t.Errorf("a push to the tracked branch left %v; before it was %v", built, first)
	}
	p.object(http.MethodPatch, path, object{"tracked_repo_ref": "main"}, http.StatusOK)
	if variables := seen(p.object(http.MethodPatch, path, object{"secrets": []any{object{"name": "A", "value": "b"}}}, http.StatusOK)); variables[0] != "main" ||
		variables[1] == built[1] || variables[2] == built[2] {
		t.Errorf("a revision for the environment is %v, want one of main", variables)
	}
	if named := seen(p.object(http.MethodPatch, path, object{"source_revision_config": object{"repo_ref": "release"}}, http.StatusOK)); named[0] != "release" || named[1] != built[1] {
		t.Errorf("a revision of release is %v, want that to be tracked", named)
	}
	for ref, want := range map[string]string{"refs/tags/v1": "must be false when", "refs/heads/main": "refs/heads/main"} {
		if r := p.say(http.MethodPatch, path, object{"tracked_repo_ref": ref}, http.StatusBadRequest); !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %s, want %q", ref, r.Body, want)
		}
	}
}
