package deployment_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// push pushes a commit to the branch that the configuration fail_git tracks.
func push(plane *providertest.Plane) {
	plane.Call(http.MethodPost, "/dev/push", map[string]any{"repo_url": "https://git.example.com/example-org/chat", "ref": "main"}, nil)
}

// TestAccRepair_superseded pushes while the provider waits for a revision: it follows the newest one, with a warning.
func TestAccRepair_superseded(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	config := gitConfig(plane)
	g.after(5, polling, 1, meanwhile(func() { push(plane) }))
	now, diags := d.apply(t.Context(), kept{}, config)
	expectNewest(t, plane, now, hasError(diags), told(diags))
	d.settled(now, config)

	// Twice in a row during an update.
	g.after(5, polling, 1, meanwhile(func() { push(plane) }))
	g.after(15, polling, 1, meanwhile(func() { push(plane) }))
	config["source_revision_config"] = map[string]any{"repo_ref": "main", "graph_config_path": "agents/graph.json"}
	now, diags = d.apply(t.Context(), d.refreshed(now), config)
	expectNewest(t, plane, now, hasError(diags), told(diags))
	if !strings.Contains(told(diags), " and "+*only(plane).LatestRevisionID) {
		t.Errorf("diagnostics = %s, want a warning about both superseded revisions", told(diags))
	}
	d.settled(now, config)
	if got := g.count(changing); got != 1 {
		t.Errorf("sent %d PATCHes, want 1", got)
	}
}

// TestAccRepair_supersededByFailure follows a push whose rollout fails.
func TestAccRepair_supersededByFailure(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	g.after(5, polling, 1, meanwhile(func() {
		plane.Arm(rolloutFault(api.RevisionBuilding, "npm ci: exit status 1"))()
		push(plane)
	}))
	now, diags := d.apply(t.Context(), kept{}, gitConfig(plane))
	for _, want := range []string{"was superseded", "npm ci: exit status 1", "BUILD_FAILED", *only(plane).LatestRevisionID} {
		if !hasError(diags) || !strings.Contains(told(diags), want) {
			t.Errorf("diagnostics = %[2]s, want an error with %[1]q", want, told(diags))
		}
	}
	if now.text("latest_revision_status") != "BUILD_FAILED" || !now.state.IsFullyKnown() {
		t.Errorf("state = %s, want BUILD_FAILED and no unknown values", now.state)
	}
}

func gitConfig(plane *providertest.Plane) map[string]any {
	return map[string]any{
		"name": "tf-acc-driven-repo", "source": "git_host",
		"source_config": map[string]any{
			"integration_id": plane.IntegrationID, "repo_url": "https://git.example.com/example-org/chat", "build_on_push": true,
		},
		"source_revision_config": map[string]any{"repo_ref": "main", "graph_config_path": "graph.json"},
	}
}

// expectNewest expects a warning, and the newest revision deployed and in state.
func expectNewest(t *testing.T, plane *providertest.Plane, now kept, failed bool, told string) {
	t.Helper()
	if failed || !strings.Contains(told, "was superseded") {
		t.Errorf("output = %s, want a warning about the superseded revision", told)
	}
	current := only(plane)
	if now.text("latest_revision_id") != *current.LatestRevisionID || now.text("active_revision_id") != *current.LatestRevisionID {
		t.Errorf("state = %[2]s, want the newest revision, %[1]s", *current.LatestRevisionID, now.state)
	}
	if now.text("latest_revision_status") != "DEPLOYED" {
		t.Errorf("latest_revision_status = %s, want DEPLOYED", now.text("latest_revision_status"))
	}
}

// TestAccRepair_keptWarns expects a creation with on_failed_create set to keep to end with a warning also if it is only late.
func TestAccRepair_keptWarns(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	fault := rolloutFault(api.RevisionDeploying, "out of quota")
	fault.Rollout.Stall = true
	plane.Arm(fault)()
	now, diags := drive(t, plane).apply(t.Context(), kept{}, imageConfig(plane, map[string]any{"on_failed_create": "keep"}))
	for _, want := range []string{"was not rolled out in time", "the next apply resumes waiting", "raise `timeouts`"} {
		expectKept(t, now, diags, want)
	}
	if strings.Contains(told(diags), "untaint") {
		t.Errorf("the warning suggests untaint although nothing is tainted: %s", told(diags))
	}
}

// TestAccRepair_warns expects the plan to say why it makes a revision, unless there is also another reason.
func TestAccRepair_warns(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	config := imageConfig(plane, nil)
	now := d.made(kept{}, config)
	config["source_revision_config"] = image("1.1.0")
	plane.Arm(rolloutFault(api.RevisionDeploying, "out of quota"))()
	now, diags := d.apply(t.Context(), now, config)
	if !hasError(diags) {
		t.Fatalf("diagnostics of the update = %s, want an error", told(diags))
	}
	now = d.refreshed(now)
	_, diags = d.plan(now, config)
	for _, want := range []string{"WARNING: New revision after a failed one", now.text("latest_revision_id") + ", is DEPLOY_FAILED"} {
		if !strings.Contains(told(diags), want) {
			t.Errorf("diagnostics = %[2]s, want %[1]q", want, told(diags))
		}
	}
	config["source_revision_config"] = image("1.2.0")
	if _, diags = d.plan(now, config); len(diags) > 0 {
		t.Errorf("diagnostics with another image = %s, want none", told(diags))
	}
}
