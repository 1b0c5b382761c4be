package deployment_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// deleteByOther deletes the only deployment as another user would.
func deleteByOther(plane *providertest.Plane) {
	plane.Call(http.MethodDelete, "/v2/deployments/"+only(plane).ID+"?delete_tracing_project=true", nil, nil)
}

// TestAccDelete_alreadyGone destroys a deployment that another user has deleted, or begun to delete, after the plan: both succeed, and the
// provider waits for the end.
func TestAccDelete_alreadyGone(t *testing.T) {
	t.Parallel()
	for name, happen := range map[string]func(*providertest.Plane){
		"under way": deleteByOther,
		"gone": func(plane *providertest.Plane) {
			deleteByOther(plane)
			plane.Clock.Advance(providertest.Rollout)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			d := drive(t, plane)
			now := d.made(kept{}, imageConfig(plane, nil))
			happen(plane)
			now, diags := d.apply(t.Context(), now, nil)
			if len(diags) > 0 || !now.state.IsNull() {
				t.Errorf("diagnostics = %s, state = %s; want it destroyed", told(diags), now.state)
			}
			if err := checkNoneLeft(plane)(nil); err != nil || g.count(deletion) != 1 {
				t.Errorf("want nothing left after one deletion: %v, %d deletions", err, g.count(deletion))
			}
		})
	}
}

// TestAccDelete_seenGone destroys a deployment that was deleted before the plan: the refresh warns, and no deletion is sent.
func TestAccDelete_seenGone(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	destroy := step(plane, "fail_image", nil)
	destroy.Destroy = true
	destroy.PreConfig = func() {
		deleteByOther(plane)
		plane.Clock.Advance(providertest.Rollout)
	}
	tryAll(t, plane, step(plane, "fail_image", nil), destroy)
	if got := g.count(deletion); got != 0 {
		t.Errorf("the deletion was sent %d times, want 0", got)
	}
}

// TestAccDelete_stalls exceeds the timeout. The state keeps the deployment, and the next plan refreshes it.
func TestAccDelete_stalls(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t) // A deletion takes 2.5 minutes.
	g := gateTo(t, plane)
	brief := config.Variables{"timeouts": named("delete", "1m")}
	slow := step(plane, "fail_image", brief)
	slow.Destroy = true
	slow.ExpectError = words(`Cannot delete deployment "tf-acc-fail" .*timed out after 1m.*limit 1m.*raise timeouts.delete`)
	again := step(plane, "fail_image", brief)
	again.Destroy = true
	again.PreConfig = func() { plane.Clock.Advance(providertest.Rollout) }
	tryAll(t, plane, step(plane, "fail_image", brief), slow, again)
	if got := g.count(deletion); got != 1 {
		t.Errorf("the deletion was sent %d times, want once", got)
	}
}

// TestAccDelete_conflict waits for the end of another operation that is in progress.
func TestAccDelete_conflict(t *testing.T) {
	t.Parallel()
	busy := answered(http.StatusConflict, `{"detail": "Another operation is in progress for this deployment."}`)
	t.Run("for a while", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		g := gateTo(t, plane)
		newer := config.Variables{"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0")}
		update := step(plane, "fail_image", newer)
		update.PreConfig = g.armed(func() { g.when(changing, 7, busy) })
		update.Check = all(g.counted(changing, 8), expectRevisions(plane, 2))
		destroy := step(plane, "fail_image", newer)
		destroy.Destroy = true
		destroy.PreConfig = g.armed(func() { g.when(deletion, 7, busy) })
		tryAll(t, plane, step(plane, "fail_image", nil), update, destroy)
		if got := g.count(deletion); got != 8 {
			t.Errorf("the deletion was sent %d times, want 8", got)
		}
	})
	t.Run("for good", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		g := gateTo(t, plane)
		newer := config.Variables{
			"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0"), "timeouts": named("update", "3m", "delete", "4m"),
		}
		update := step(plane, "fail_image", newer)
		update.PreConfig = g.armed(func() { g.when(changing, -1, busy) })
		update.ExpectError = words(`Cannot update deployment "tf-acc-fail" .*Another operation is in progress for this deployment\..*Status: 409.*Apply again when it has finished.*raise timeouts.update`)
		destroy := step(plane, "fail_image", newer)
		destroy.Destroy = true
		destroy.PreConfig = g.armed(func() { g.when(deletion, -1, busy) })
		destroy.ExpectError = words(`Cannot delete deployment "tf-acc-fail" .*Another operation is in progress for this deployment\..*Status: 409.*Apply again when it has finished.*raise timeouts.delete`)
		healed := step(plane, "fail_image", config.Variables{"image_uri": newer["image_uri"]})
		healed.PreConfig = g.armed()
		healed.Check = all(g.counted(changing, 1), expectRevisions(plane, 2))
		tryAll(t, plane, step(plane, "fail_image", nil), update, destroy, healed)
	})
}

// TestAccDelete_oddAnswers checks that no single error response ends the wait for another operation or for the end of the deletion.
func TestAccDelete_oddAnswers(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403, 405, 409, 418, 422} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			d := drive(t, plane)
			now := d.made(kept{}, imageConfig(plane, nil))
			g.reset()
			odd := answered(status, `{"detail": "Odd."}`)
			g.when(deletion, 1, answered(http.StatusConflict, `{"detail": "Another operation is in progress."}`))
			g.when(deletion, 1, odd)
			g.after(2, reading, 1, odd)
			now, diags := d.apply(t.Context(), now, nil)
			if len(diags) > 0 || !now.state.IsNull() {
				t.Errorf("diagnostics = %s, state = %s; want it destroyed", told(diags), now.state)
			}
			if err := checkNoneLeft(plane)(nil); err != nil || g.count(deletion) != 3 {
				t.Errorf("want nothing left after three deletions: %v, %d deletions", err, g.count(deletion))
			}
		})
	}
}

// TestAccDelete_refused expects an error with the reason after the service has refused for a minute.
func TestAccDelete_refused(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 422} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			d := drive(t, plane)
			before := d.made(kept{}, imageConfig(plane, nil))
			g.reset()
			g.after(1, reading, -1, answered(status, `{"detail": "Told by the service."}`))
			now, diags := d.apply(t.Context(), before, nil)
			if !now.state.Equal(before.state) || !strings.Contains(told(diags), "Cannot delete") || !strings.Contains(told(diags), "Told by the service.") {
				t.Errorf("diagnostics = %s, state = %s; want the reason and the old state", told(diags), now.state)
			}
			if reads := g.count(reading); reads < 10 || reads > 130 {
				t.Errorf("%d reads, want 10 to 130, as in about a minute", reads)
			}
		})
	}
}

// TestAccDelete_midCreate deletes a deployment while the provider waits for its first revision: nothing is stored, so nothing is tainted,
// and the next apply creates it.
func TestAccDelete_midCreate(t *testing.T) {
	t.Parallel()
	for name, happen := range map[string]func(*gate, func(*providertest.Plane)){
		"at the first poll": func(g *gate, gone func(*providertest.Plane)) { g.when(polling, 1, meanwhile(func() { gone(g.plane) })) },
		"later": func(g *gate, gone func(*providertest.Plane)) {
			g.after(10, polling, 1, meanwhile(func() { gone(g.plane) }))
		},
		"purged at the last moment": func(g *gate, gone func(*providertest.Plane)) {
			g.when(reading, 1, meanwhile(func() { gone(g.plane); g.plane.Clock.Advance(providertest.Rollout) }))
		},
		"at the last moment": func(g *gate, gone func(*providertest.Plane)) { g.when(reading, 1, meanwhile(func() { gone(g.plane) })) },
		"purged between two polls": func(g *gate, gone func(*providertest.Plane)) {
			g.after(10, polling, 1, meanwhile(func() { gone(g.plane); g.plane.Clock.Advance(providertest.Rollout) }))
		},
	} {
		for _, keep := range []string{"taint", "keep"} {
			t.Run(name+", "+keep, func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				g := gateTo(t, plane)
				d := drive(t, plane)
				happen(g, deleteByOther)
				config := imageConfig(plane, map[string]any{"on_failed_create": keep})
				now, diags := d.apply(t.Context(), kept{}, config)
				if name == "at the last moment" { // The deletion has only begun.
					expectKept(t, now, diags, "is being deleted")
					return
				}
				if !hasError(diags) || !strings.Contains(told(diags), `Deployment "tf-acc-driven" was deleted`) || !now.state.IsNull() {
					t.Errorf("diagnostics = %s, state = %s; want an error and no state", told(diags), now.state)
				}
				plane.Clock.Advance(10 * time.Minute)
				d.settled(d.made(kept{}, config), config)
			})
		}
	}
}

// TestAccDelete_midUpdate deletes a deployment while the provider waits for a later revision: the next plan creates it again.
func TestAccDelete_midUpdate(t *testing.T) {
	t.Parallel()
	for name, arm := range map[string]func(*gate, func()){
		"before the change": func(g *gate, f func()) { g.when(changing, 1, meanwhile(f)) },
		"gone before the change": func(g *gate, f func()) {
			g.when(changing, 1, meanwhile(func() { f(); g.plane.Clock.Advance(providertest.Rollout) }))
		},
		"at the first poll":      func(g *gate, f func()) { g.when(polling, 1, meanwhile(f)) },
		"later":                  func(g *gate, f func()) { g.after(10, polling, 1, meanwhile(f)) },
		"before it is read back": func(g *gate, f func()) { g.after(1, reading, 1, meanwhile(f)) },
		"purged between two polls": func(g *gate, f func()) {
			g.after(10, polling, 1, meanwhile(func() { f(); g.plane.Clock.Advance(providertest.Rollout) }))
		},
		"purged before it is read back": func(g *gate, f func()) {
			g.after(2, reading, 1, meanwhile(func() { f(); g.plane.Clock.Advance(providertest.Rollout) }))
		},
		"while it was superseded": func(g *gate, f func()) { g.after(3, polling, 1, meanwhile(func() { supersede(g.plane); f() })) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			d := drive(t, plane)
			before := d.refreshed(d.made(kept{}, imageConfig(plane, nil)))
			arm(g, func() { deleteByOther(plane) })
			config := imageConfig(plane, map[string]any{"source_revision_config": image("2.0.0")})
			now, diags := d.apply(t.Context(), before, config)
			if !hasError(diags) || now.state.IsNull() || !now.state.IsFullyKnown() {
				t.Errorf("diagnostics = %s, state = %s; want an error and a known state", told(diags), now.state)
			}
			if strings.Contains(name, "change") != strings.Contains(told(diags), "Cannot update") ||
				!strings.Contains(name, "change") && !strings.Contains(told(diags), `eployment "tf-acc-driven" was deleted`) && !strings.Contains(told(diags), "is being deleted") {
				t.Errorf("diagnostics = %s, want a failed update or a deletion during the rollout", told(diags))
			}
			now, diags = d.refresh(now)
			if hasError(diags) || len(diags) != 1 || !now.state.IsNull() {
				t.Errorf("diagnostics = %s, state = %s; want it removed with a warning", told(diags), now.state)
			}
			if created := d.made(kept{}, config); created.text("latest_revision_status") != "DEPLOYED" {
				t.Errorf("state after the next apply = %s, want it DEPLOYED", created.state)
			}
		})
	}
}

// supersede deploys a newer revision.
func supersede(plane *providertest.Plane) {
	plane.Call(http.MethodPatch, "/v2/deployments/"+only(plane).ID, map[string]any{"source_revision_config": image("3.0.0")}, nil)
}

// TestAccDelete_replaced creates the replacement only after the name has become available.
func TestAccDelete_replaced(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	replaced := step(plane, "fail_image", config.Variables{"k8s_namespace": config.StringVariable(plane.OtherK8sNamespace)})
	replaced.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace)}
	replaced.PreConfig = g.armed()
	replaced.Check = all(g.counted(deletion, 1), g.counted(creation, 1), g.counted(changing, 0), healthy(plane))
	tryAll(t, plane, step(plane, "fail_image", nil), replaced)
}

// TestAccDelete_nameOnItsWayOut creates a deployment while another one with its name is being deleted.
func TestAccDelete_nameOnItsWayOut(t *testing.T) {
	t.Parallel()
	t.Run("seen by the plan", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		create := step(plane, "fail_image", nil)
		create.PreConfig = func() {
			makeDeployment(plane, "tf-acc-fail", nil, nil)
			deleteByOther(plane)
		}
		create.Check = healthy(plane)
		tryAll(t, plane, create)
	})
	// The other one can be gone between the refusal and the lookup.
	t.Run("gone in between", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		g := gateTo(t, plane)
		d := drive(t, plane)
		makeDeployment(plane, "tf-acc-driven", nil, nil)
		deleteByOther(plane)
		// The first read is the plan's, the second that right before the creation.
		g.after(2, listing, 1, meanwhile(func() { plane.Clock.Advance(providertest.Rollout) }))
		now := d.made(kept{}, imageConfig(plane, nil))
		if now.text("id") != only(plane).ID || g.count(creation) != 2 {
			t.Errorf("id in state = %s after %d creations, want the new deployment after two", now.text("id"), g.count(creation))
		}
	})
}

// TestAccDelete_nameTaken creates another deployment with the name between plan and apply: the error says how to import it.
func TestAccDelete_nameTaken(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	g.when(creation, 1, meanwhile(func() {
		makeDeployment(plane, "tf-acc-driven", map[string]any{"resource_spec": map[string]any{"cpu": 3}}, []map[string]string{{"name": "OTHER", "value": "1"}})
	}))
	now, diags := d.apply(t.Context(), kept{}, imageConfig(plane, nil))
	block := fmt.Sprintf("\n    import {\n      to = ADDRESS\n      id = %q\n    }\n", only(plane).ID)
	for _, want := range []string{"A deployment named 'tf-acc-driven' already exists.", "Status: 409", block, "create_before_destroy"} {
		if !strings.Contains(told(diags), want) {
			t.Errorf("diagnostics = %[2]s, want %[1]q", want, told(diags))
		}
	}
	if !now.state.IsNull() || g.count(creation) > 20 {
		t.Errorf("state = %s after %d requests, want none after at most 20", now.state, g.count(creation))
	}
	// A name that stays reserved without a deployment isn't retried forever either.
	g.reset()
	g.when(creation, -1, answered(http.StatusConflict, `{"detail": "A tracing project named 'x' already exists."}`))
	_, diags = d.apply(t.Context(), kept{}, imageConfig(plane, map[string]any{"name": "tf-acc-other"}))
	if !hasError(diags) || !strings.Contains(told(diags), "tracing project") || g.count(creation) > 20 {
		t.Errorf("diagnostics = %s after %d requests, want an error after at most 20", told(diags), g.count(creation))
	}
}
