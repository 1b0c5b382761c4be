package deployment_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccDrift changes managed settings outside Terraform: the plan shows the drift, and one request with only these settings repairs it.
func TestAccDrift(t *testing.T) {
	t.Parallel()
	for name, drift := range map[string]struct {
		directory string
		variables config.Variables
		change    map[string]any
		revision  bool
		shows     statecheck.StateCheck
		body      string
	}{
		"image_uri": {
			directory: "fail_image", revision: true, body: imageBody,
			change: map[string]any{"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:theirs"}},
			shows:  known(text("registry.example.com/agents/chat:1.0.0"), "source_revision_config", "image_uri"),
		},
		"custom_url": {
			directory: "fail_image", variables: config.Variables{"custom_url": config.StringVariable("https://ours.example.com")},
			change: map[string]any{"source_config": map[string]any{"custom_url": "https://theirs.example.com"}},
			shows:  known(text("https://ours.example.com"), "source_config", "custom_url"),
			body:   `{"source_config": {"custom_url": "https://ours.example.com"}}`,
		},
		"repo_ref": {
			directory: "fail_git", revision: true,
			change: map[string]any{"source_revision_config": map[string]any{"repo_ref": "next"}},
			shows:  known(text("main"), "source_revision_config", "repo_ref"),
			body:   `{"source_revision_config": {"repo_ref": "main"}}`,
		},
		"build_on_push": {
			directory: "fail_git",
			change:    map[string]any{"source_config": map[string]any{"build_on_push": false}},
			shows:     known(knownvalue.Bool(true), "source_config", "build_on_push"),
			body:      `{"source_config": {"build_on_push": true}}`,
		},
		"repo_ref and build_on_push": {
			directory: "fail_git", revision: true,
			change: map[string]any{
				"source_config": map[string]any{"build_on_push": false}, "source_revision_config": map[string]any{"repo_ref": "refs/tags/v1"},
			},
			shows: known(knownvalue.Bool(true), "source_config", "build_on_push"),
			body:  `{"source_config": {"build_on_push": true}, "source_revision_config": {"repo_ref": "main"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			seen := step(plane, drift.directory, drift.variables)
			seen.PreConfig = g.armed(patchedByOther(plane, drift.change))
			seen.PlanOnly, seen.ExpectNonEmptyPlan = true, true
			repaired := step(plane, drift.directory, drift.variables)
			repaired.ConfigPlanChecks.PreApply = append(revisionPredicted(drift.revision),
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate))
			repaired.ConfigStateChecks = []statecheck.StateCheck{drift.shows}
			repaired.Check = all(g.counted(changing, 1), expectBody(plane, http.MethodPatch, drift.body))
			tryAll(t, plane, step(plane, drift.directory, drift.variables), seen, repaired)
		})
	}
}

// TestAccDrift_pushed deploys a new commit by a push. That isn't drift: the plan is empty, and computed attributes are updated.
func TestAccDrift_pushed(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	pushed := step(plane, "fail_git", nil)
	pushed.PreConfig = g.armed(func() {
		push(plane)
		plane.Clock.Advance(providertest.Rollout)
	})
	pushed.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
	unchanged := step(plane, "fail_git", nil)
	unchanged.ConfigPlanChecks.PreApply = pushed.ConfigPlanChecks.PreApply
	var current api.Deployment
	unchanged.PreConfig = func() { current = only(plane) }
	unchanged.ConfigStateChecks = []statecheck.StateCheck{
		known(knownvalue.StringFunc(func(id string) error { return same(id, *current.LatestRevisionID) }), "latest_revision_id"),
		known(knownvalue.StringFunc(func(id string) error { return same(id, *current.LatestRevisionID) }), "active_revision_id"),
		known(knownvalue.StringFunc(func(sha string) error { return same(sha, *current.SourceRevisionConfig.RepoCommitSHA) }), "source_revision_config", "repo_commit_sha"),
	}
	unchanged.Check = all(g.counted(changing, 0), expectRevisions(plane, 2))
	refreshed := step(plane, "fail_git", nil)
	refreshed.ConfigDirectory, refreshed.ConfigVariables = nil, nil
	refreshed.RefreshState = true
	runCLI(t, plane, step(plane, "fail_git", nil), pushed, refreshed, unchanged)
}

// TestAccDrift_unmanaged changes settings that the configuration doesn't manage: plans don't show them.
func TestAccDrift_unmanaged(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	unmanaged := step(plane, "fail_image", nil)
	unmanaged.PreConfig = g.armed(patchedByOther(plane, map[string]any{
		"secrets": []map[string]string{{"name": "THEIRS", "value": "1"}},
		"source_config": map[string]any{
			"custom_url": "https://theirs.example.com", "resource_spec": map[string]any{"cpu": 3},
		},
	}))
	unmanaged.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
	unmanaged.Check = g.counted(changing, 0)
	tryAll(t, plane, step(plane, "fail_image", nil), unmanaged)
}

// TestAccDrift_phantom applies an update whose plan equals the state, as older CLIs do for differences without effect:
// nothing is sent.
func TestAccDrift_phantom(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	config := imageConfig(plane, map[string]any{"secrets": map[string]string{"TOKEN": "s3cret-value"}})
	before := d.refreshed(d.made(kept{}, config))
	g.reset()
	now := d.made(before, config)
	if !now.state.Equal(before.state) {
		t.Errorf("state = %s, want it unchanged", now.state)
	}
	if got := g.count(everything); got != 0 {
		t.Errorf("%d requests were sent, want 0", got)
	}
}

// TestAccDrift_revisionNotFoundOnce refreshes during a rollout that another user has begun: a single 404 for
// its revision doesn't hide it.
func TestAccDrift_revisionNotFoundOnce(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	before := d.refreshed(d.made(kept{}, imageConfig(plane, nil)))
	plane.Call(http.MethodPatch, "/v2/deployments/"+only(plane).ID, map[string]any{
		"secrets": []map[string]string{{"name": "THEIRS", "value": "1"}},
	}, nil)
	plane.Arm(devserver.Fault{Match: "GET /v2/deployments/{deployment_id}/revisions/{revision_id}", Status: http.StatusNotFound, Detail: "Revision not found"})()
	now := d.refreshed(before)
	if status := now.text("latest_revision_status"); status == "" || now.text("latest_revision_id") == before.text("latest_revision_id") {
		t.Errorf("latest_revision_id = %s with status %q, want the new revision with a status", now.text("latest_revision_id"), status)
	}
}

func same(got, want string) error {
	if got != want {
		return fmt.Errorf("got %q, want %q", got, want)
	}
	return nil
}

// TestAccDrift_status refreshes a deployment whose status no request leads to: nothing is planned, and it can be changed and destroyed.
func TestAccDrift_status(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, _ *api.Dialect) {
		d := drive(t, plane)
		config := imageConfig(plane, nil)
		now := d.made(kept{}, config)
		for tag, status := range map[string]string{"2.0.0": "UNUSED", "3.0.0": "UNKNOWN"} {
			plane.Call(http.MethodPost, "/dev/status", map[string]any{"deployment_id": now.text("id"), "status": status}, nil)
			now = d.refreshed(now)
			if got := now.text("status"); got != status {
				t.Errorf("status = %s, want %s", got, status)
			}
			d.settled(now, config)
			plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Status: api.RevisionUnknown}})()
			config["source_revision_config"] = image(tag)
			now = d.made(now, config)
			if got := now.text("status") + " " + now.text("latest_revision_status"); got != status+" DEPLOYED" {
				t.Errorf("statuses after a rollout in which the revision was UNKNOWN = %s, want %s DEPLOYED", got, status)
			}
			d.settled(now, config)
		}
		if left, diags := d.apply(t.Context(), now, nil); hasError(diags) || !left.state.IsNull() {
			t.Errorf("destroying: diagnostics = %s, state = %s; want no state", told(diags), left.state)
		}
	})
}
