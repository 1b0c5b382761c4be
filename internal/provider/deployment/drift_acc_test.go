package deployment_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

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
	pushed.Check = all(g.counted(changing, 0), expectRevisions(plane, 2))
	is := func(of func(api.Deployment) *string) knownvalue.Check {
		return knownvalue.StringFunc(func(got string) error {
			if want := *of(only(plane)); got != want {
				return fmt.Errorf("got %q, want %q", got, want)
			}
			return nil
		})
	}
	newest := is(func(d api.Deployment) *string { return d.LatestRevisionID })
	pushed.ConfigStateChecks = []statecheck.StateCheck{
		known(newest, "latest_revision_id"), known(newest, "active_revision_id"),
		known(is(func(d api.Deployment) *string { return d.SourceRevisionConfig.RepoCommitSHA }), "source_revision_config", "repo_commit_sha"),
	}
	run(t, plane, step(plane, "fail_git", nil), pushed)
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

// TestAccDrift_revisionNotShown refreshes during a rollout that another user has begun: a single 404 for its revision doesn't hide it, and one
// that can't be found for longer is not "No changes".
func TestAccDrift_revisionNotShown(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	config := imageConfig(plane, nil)
	before := d.refreshed(d.made(kept{}, config))
	byOther(plane, map[string]any{"source_revision_config": image("1.0.0")})
	missing := answered(http.StatusNotFound, `{"detail": "Revision not found."}`)
	g.when(polling, 1, missing)
	now := d.refreshed(before)
	if status := now.text("latest_revision_status"); status == "" || now.text("latest_revision_id") == before.text("latest_revision_id") {
		t.Errorf("latest_revision_id = %s with status %q, want the new revision with a status", now.text("latest_revision_id"), status)
	}
	for _, patterns := range [][]string{{reading, listing}, {polling, "GET /v2/deployments/*/revisions"}} {
		for _, pattern := range patterns {
			g.when(pattern, -1, answered(http.StatusForbidden, `{"detail": "No."}`))
		}
		if now, diags := d.refresh(before); !hasError(diags) || !now.state.Equal(before.state) {
			t.Errorf("diagnostics = %s, state = %s; want an error and the old state", told(diags), now.state)
		}
		g.forget()
	}
	g.when(polling, -1, missing)
	g.when("GET /v2/deployments/*/revisions", -1, missing)
	now, diags := d.refresh(now)
	if hasError(diags) || now.text("latest_revision_status") != "" {
		t.Fatalf("diagnostics = %s, state = %s; want no status", told(diags), now.state)
	}
	if planned, diags := d.plan(now, config); hasError(diags) || planned.state.Equal(now.state) {
		t.Errorf("plan = %s, %s; want it to wait for the revision", planned.state, told(diags))
	}
	g.forget()
	d.settled(d.made(now, config), config)
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
		plane.Arm(devserver.Fault{Match: "DELETE /v2/deployments/{deployment_id}", Status: http.StatusForbidden, Detail: "Not yours."})()
		if left, diags := d.apply(t.Context(), now, nil); !strings.Contains(told(diags), "Cannot delete") || !left.state.Equal(now.state) {
			t.Errorf("destroying: diagnostics = %s, state = %s; want an error and the old state", told(diags), left.state)
		}
		if left, diags := d.apply(t.Context(), now, nil); hasError(diags) || !left.state.IsNull() {
			t.Errorf("destroying: diagnostics = %s, state = %s; want no state", told(diags), left.state)
		}
	})
}
