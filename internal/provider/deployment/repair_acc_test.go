package deployment_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// A repair sends the unchanged revision config.
const (
	imageBody = `{"source_revision_config": {"image_uri": "registry.example.com/agents/chat:1.0.0"}}`
	gitBody   = `{"source_revision_config": {"repo_ref": "main", "graph_config_path": "graph.json"}}`
)

// newRevision expects a plan of an update in place with a new revision.
func newRevision() []plancheck.PlanCheck {
	return append(revisionPredicted(true), plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate))
}

// waitOnly expects a plan of an update without a new revision.
func waitOnly() []plancheck.PlanCheck {
	return []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
		plancheck.ExpectKnownValue(address, tfPath([]string{"latest_revision_id"}), knownvalue.StringRegexp(uuidPattern)),
		plancheck.ExpectUnknownValue(address, tfPath([]string{"latest_revision_status"})),
	}
}

// TestAccRepair fails a revision, the first one with on_failed_create set to keep, which is a warning and no taint, or a later one, which is an
// error. The next plan shows the repair, which sends the unchanged revision config again.
func TestAccRepair(t *testing.T) {
	t.Parallel()
	for name, rollout := range map[string]struct {
		directory, body string
		before          bool // A revision was deployed before.
		state, ends     api.RevisionStatus
	}{
		"first of an image":     {"fail_image", imageBody, false, api.RevisionQueued, api.RevisionCreateFailed},
		"first of a repository": {"fail_git", gitBody, false, api.RevisionBuilding, api.RevisionBuildFailed},
		"later of an image":     {"fail_image", imageBody, true, api.RevisionDeploying, api.RevisionDeployFailed},
		"later of a repository": {"fail_git", gitBody, true, api.RevisionAwaitingBuild, api.RevisionBuildFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			keep := config.Variables{"on_failed_create": config.StringVariable("keep")}
			failing, repaired := step(plane, rollout.directory, keep), step(plane, rollout.directory, keep)
			failing.PreConfig = plane.Arm(rolloutFault(rollout.state, "out of quota"))
			repaired.ConfigPlanChecks.PreApply = newRevision()
			repaired.ConfigStateChecks = []statecheck.StateCheck{known(text("DEPLOYED"), "latest_revision_status")}
			if !rollout.before {
				failing.ExpectNonEmptyPlan = true
				failing.ConfigStateChecks = []statecheck.StateCheck{known(text(string(rollout.ends)), "latest_revision_status")}
				failing.Check = all(g.counted(creation, 1), g.counted(changing, 0))
				repaired.Check = all(g.counted(creation, 1), g.counted(changing, 1), g.counted(deletion, 0), healthy(plane),
					expectRevisions(plane, 2), expectBody(plane, http.MethodPatch, rollout.body))
				tryAll(t, plane, failing, repaired)
				return
			}
			newer := config.Variables{"repo_ref": config.StringVariable("release")}
			body := strings.ReplaceAll(rollout.body, "main", "release")
			if rollout.directory == "fail_image" {
				newer = config.Variables{"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0")}
				body = strings.ReplaceAll(rollout.body, "1.0.0", "2.0.0")
			}
			maps.Copy(failing.ConfigVariables, newer)
			maps.Copy(repaired.ConfigVariables, newer)
			failing.ExpectError = words(`Rollout of deployment .* failed .*out of quota.*status: ` + string(rollout.ends) + `.*Fix the problem and apply again: the next apply makes a new revision.`)
			repaired.Check = all(g.counted(changing, 2), g.counted(deletion, 0), healthy(plane), expectRevisions(plane, 3),
				expectBody(plane, http.MethodPatch, body))
			tryAll(t, plane, step(plane, rollout.directory, nil), failing, repaired)
		})
	}
}

// TestAccRepair_inProgress finds a rollout that another user has begun: the plan shows that the apply waits, and it does
// nothing else.
func TestAccRepair_inProgress(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]struct {
		directory string
		begin     func(*providertest.Plane)
	}{
		"push": {"fail_git", push},
		"another's change of what isn't managed": {"fail_image", func(plane *providertest.Plane) {
			plane.Call(http.MethodPatch, "/v2/deployments/"+only(plane).ID,
				map[string]any{"secrets": []map[string]string{{"name": "THEIRS", "value": "1"}}}, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			waiting := step(plane, begun.directory, nil)
			waiting.PreConfig = g.armed(func() { begun.begin(plane) })
			waiting.ConfigPlanChecks.PreApply = waitOnly()
			waiting.Check = all(g.counted(changing, 0), g.counted(creation, 0), expectRevisions(plane, 2))
			waiting.ConfigStateChecks = []statecheck.StateCheck{known(text("DEPLOYED"), "latest_revision_status")}
			tryAll(t, plane, step(plane, begun.directory, nil), waiting)
		})
	}
	t.Run("and it fails", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		g := gateTo(t, plane)
		waiting := step(plane, "fail_git", nil)
		waiting.PreConfig = g.armed(plane.Arm(rolloutFault(api.RevisionBuilding, "npm ci: exit status 1")), func() { push(plane) })
		waiting.ExpectError = words(`npm ci: exit status 1.*BUILD_FAILED`)
		repaired := step(plane, "fail_git", nil)
		repaired.ConfigPlanChecks.PreApply = newRevision()
		repaired.Check = all(g.counted(changing, 1), expectRevisions(plane, 3), expectBody(plane, http.MethodPatch, gitBody))
		tryAll(t, plane, step(plane, "fail_git", nil), waiting, repaired)
	})
}

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
