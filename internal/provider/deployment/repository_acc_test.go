package deployment_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// wantRefused fails the test unless a plan is refused with all of these texts, and nothing is deleted.
func wantRefused(t *testing.T, d *driver, prior kept, config map[string]any, texts ...string) {
	t.Helper()
	_, diags := d.plan(prior, config)
	said := told(diags)
	for _, text := range texts {
		if !hasError(diags) || !strings.Contains(said, text) {
			t.Errorf("diagnostics = %s, want an error with %q", said, text)
		}
	}
}

// TestAccRepository_replaced plans a replacement whose repository the integration can't access, or can't be asked about.
func TestAccRepository_replaced(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		d := drive(t, plane)
		at := func(url string) map[string]any {
			config := repository(plane, "main", map[string]any{"repo_url": url})
			config["delete_tracing_project"] = dialect.ProjectsBlockNames // It would block the name.
			return config
		}
		now := d.made(kept{}, at("https://git.example.com/example-org/chat"))
		d = drive(t, plane) // Which hasn't applied anything.
		const missing = "https://git.example.com/example-org/none"
		wantRefused(t, d, now, at(missing), "Unknown repository", `source_config.repo_url is "`+missing+`"`, "agentplane_integration_repositories")
		for _, url := range []string{"https://Git.example.com/Example-Org/research-agent.git/", "git@git.example.com:example-org/research-agent.git",
			"ssh://git@git.example.com/example-org/research-agent"} {
			if _, diags := d.plan(now, at(url)); hasError(diags) {
				t.Errorf("%s: diagnostics = %s, want it found", url, told(diags))
			}
		}
		list := "GET /v1/integrations/git_host/{integration_id}/repos"
		if dialect.LangSmithAPI {
			list = "GET /v2/integrations/github/installations/{integration_id}/repositories"
		}
		plane.Arm(devserver.Fault{Match: list, Status: http.StatusForbidden, Detail: "No.", Times: 9})()
		d = drive(t, plane) // Which remembers no repositories.
		wantRefused(t, d, now, at("https://git.example.com/example-org/research-agent"), "Replacement can't be checked", "source_config.repo_url")
		renamed := at("https://git.example.com/example-org/chat")
		renamed["name"] = "tf-acc-renamed" // With the same repository, which isn't looked up.
		if _, diags := d.plan(now, renamed); strings.Contains(told(diags), "repo_url") {
			t.Errorf("diagnostics = %s, want nothing about the repository", told(diags))
		}
	})
}

// TestAccRepository_commit plans a commit where the service builds branches and tags.
func TestAccRepository_commit(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		commits := []string{strings.Repeat("0123456789", 4), strings.Repeat("ABCDEF01", 8)}
		d := drive(t, plane)
		now := d.made(kept{}, repository(plane, "main", nil))
		for _, commit := range commits {
			wantRefused(t, d, kept{}, repository(plane, commit, nil), "Commit in repo_ref", commit, "agentplane_roll_back")
			wantRefused(t, d, now, repository(plane, commit, nil), "Commit in repo_ref", commit)
		}
		if !dialect.ResolvesRepoRef {
			return // A commit in place of the branch is what the branch may have been resolved to.
		}
		// A branch with such a name was deployed by another user.
		plane.Call(http.MethodPost, "/dev/push", map[string]any{"repo_url": "https://git.example.com/example-org/chat", "ref": commits[1]}, nil)
		patchedByOther(plane, map[string]any{"source_revision_config": map[string]any{"repo_ref": commits[1]}})()
		now = d.refreshed(now)
		planned, diags := d.plan(now, repository(plane, commits[1], nil))
		if hasError(diags) || !strings.Contains(told(diags), "Commit in repo_ref") {
			t.Errorf("diagnostics = %s, want a warning", told(diags))
		}
		if planned.text("latest_revision_id") != now.text("latest_revision_id") {
			t.Error("the plan makes a revision, want none")
		}
	})
}

// TestAccRepository_unknownRef deploys a branch that doesn't exist: the error has the log of the build, and the next apply repairs it.
func TestAccRepository_unknownRef(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, _ *api.Dialect) {
		d := drive(t, plane)
		now := d.made(kept{}, repository(plane, "main", nil))
		now, diags := d.apply(t.Context(), now, repository(plane, "mian", nil))
		said := told(diags)
		for _, want := range []string{"build log: ERROR Can't fetch mian of https://git.example.com/example-org/chat", "BUILD_FAILED"} {
			if !hasError(diags) || !strings.Contains(said, want) {
				t.Errorf("diagnostics = %s, want an error with %q", said, want)
			}
		}
		config := repository(plane, "main", nil)
		d.settled(d.made(d.refreshed(now), config), config)
	})
}

// TestAccListener_anotherComputeType deploys to a listener that isn't Kubernetes': without a namespace.
func TestAccListener_anotherComputeType(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		if !plane.HasComputeType(t, "vm") {
			return
		}
		var listener api.Listener
		plane.Call(http.MethodPost, "/dev/listeners", map[string]any{"compute_type": "vm", "compute_id": "rack"}, &listener)
		on := func(config any) map[string]any {
			return imageConfig(plane, map[string]any{"source_config": map[string]any{"listener_id": listener.ID, "listener_config": config}})
		}
		d := drive(t, plane)
		wantRefused(t, d, kept{}, on(map[string]any{"k8s_namespace": "agents"}), "Namespace of another compute type", "source_config.listener_config is set",
			`listener `+listener.ID+` (rack) is of compute type "vm"`)
		if sent := plane.Requests(http.MethodPost, "/v2/deployments"); len(sent) > 0 {
			t.Errorf("the plan sent %v", sent)
		}
		without := on(nil)
		d = drive(t, plane)
		now := d.made(kept{}, without)
		wantRefused(t, d, now, on(map[string]any{"k8s_namespace": "agents"}), "Namespace of another compute type")
		d.settled(d.refreshed(now), without)
	})
}
