package controlplane_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func TestRepositories(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for name, tc := range map[string]struct {
		given object
		want  []api.Repository // Without generated values.
	}{
		"made-up": {object{}, []api.Repository{
			{Name: "chat", DefaultBranch: "main"}, {Name: "research-agent", DefaultBranch: "main"},
			{Name: "support-agent", DefaultBranch: "trunk"},
		}},
		"given": {
			object{"repositories": []any{object{"name": "z"}, object{"name": "a", "default_branch": "dev"}}},
			[]api.Repository{{Name: "z", DefaultBranch: "main"}, {Name: "a", DefaultBranch: "dev"}},
		},
		"none": {object{"repositories": []any{}}, []api.Repository{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on := *p
			on.T = t
			request := devservertest.With(tc.given, object{"name": "acme-" + name})
			i := devservertest.Into[api.Integration](on.Do(http.MethodPost, "/dev/integrations", request).Want(http.StatusCreated))
			path := "/v1/integrations/git_host/" + i.ID + "/repos"
			got := devservertest.Get[[]api.Repository](&on, path)
			for n := range tc.want {
				w := &tc.want[n]
				w.HostIntegrationID, w.Owner, w.URL = i.ID, i.Name, "https://git.example.com/"+i.Name+"/"+w.Name
				if n < len(got) {
					w.ID = got[n].ID
				}
				if w.ID == 0 {
					t.Errorf("repository %s has no ID", w.Name)
				}
			}
			devservertest.Same(t, "repositories", tc.want, got)
			on.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodGet, path, nil).Want(http.StatusNotFound).
				WantDetail("Integration ID " + i.ID + " not found.")
		})
	}
	p.Do(http.MethodGet, "/v1/integrations/git_host/acme/repos", nil).Want(http.StatusUnprocessableEntity)
	twice := []any{object{"name": "a"}, object{"name": "a"}}
	p.Do(http.MethodPost, "/dev/integrations", object{"name": "twice", "repositories": twice}).Want(http.StatusBadRequest).
		WantDetail("'repositories' has the name 'a' more than once.")
	longest := object{"name": strings.Repeat("é", 255), "repositories": []any{}}
	p.Do(http.MethodPost, "/dev/integrations", longest).Want(http.StatusCreated)
	p.Do(http.MethodPost, "/dev/integrations", longest).Want(http.StatusConflict).WantDetail("An integration named '" + strings.Repeat("é", 255) + "' already exists.")
	p.Do(http.MethodPost, "/dev/integrations", object{"name": strings.Repeat("é", 256)}).Want(http.StatusBadRequest)
	p.Do(http.MethodPost, "/dev/integrations", object{}).Want(422)
	p.Do(http.MethodPost, "/dev/integrations", object{"name": "odd", "repositories": []any{object{}}}).Want(422)
	full := []any{object{"name": "a", "refs": []any{object{"ref": "refs/heads/a"}}}}
	p.Do(http.MethodPost, "/dev/integrations", object{"name": "full", "repositories": full}).Want(http.StatusBadRequest)
}

// TestRepositoriesGiven registers a repository with its URL, refs and commits, and deploys from it.
func TestRepositoriesGiven(t *testing.T) {
	t.Parallel()
	const sha = "0123456789abcdef0123456789abcdef01234567"
	p := devservertest.New(t, devserver.Config{})
	i := devservertest.Into[api.Integration](p.Do(http.MethodPost, "/dev/integrations", object{"name": "acme", "repositories": []any{object{
		"name": "agent", "url": "https://git.example/acme/agent.git", "default_branch": "trunk",
		"refs": []any{object{"ref": "refs/tags/v2", "commit_sha": sha}, object{"ref": "wip", "build_error": "boom"}},
	}}}).Want(http.StatusCreated))
	if got := devservertest.Get[[]api.Repository](p, "/v1/integrations/git_host/"+i.ID+"/repos")[0].URL; got != "https://git.example/acme/agent" {
		t.Errorf("url = %s, want it without .git", got)
	}
	for ref, want := range map[string]api.RevisionStatus{"trunk": api.RevisionDeployed, "refs/tags/v2": api.RevisionDeployed,
		"wip": api.RevisionBuildFailed, "main": api.RevisionBuildFailed} {
		d := p.Create(p.RepoRequest("d-"+ref[len(ref)-2:], object{
			"source_config":          object{"integration_id": i.ID, "repo_url": "https://git.example/acme/agent/"},
			"source_revision_config": object{"repo_ref": ref},
		}))
		if got := p.Revisions(d.ID); got[0] != want {
			t.Errorf("%s: revision is %s, want %s", ref, got[0], want)
		}
		if commit := d.SourceRevisionConfig.RepoCommitSHA; ref == "refs/tags/v2" && *commit != sha {
			t.Errorf("commit = %s, want %s", *commit, sha)
		}
	}
}
