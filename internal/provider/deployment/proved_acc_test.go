package deployment_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// anyPatch matches every change, for faults of the dev server.
const anyPatch = "PATCH /v2/deployments/{deployment_id}"

const newerImage = "registry.example.com/agents/chat:2.0.0"

// unprovable are the changes whose loss a plan can't show later, and one whose loss it can.
var unprovable = map[string]struct {
	configure     func(*devserver.Config)
	before, after config.Variables
}{
	"masked values": {masked, config.Variables{"environment": named("A", "one")}, config.Variables{"environment": named("A", "two")}},
	"triggers":      {func(*devserver.Config) {}, config.Variables{"triggers": named("n", "1")}, config.Variables{"triggers": named("n", "2")}},
	"image":         {func(*devserver.Config) {}, nil, config.Variables{"image_uri": config.StringVariable(newerImage)}},
}

// TestAccProved_swallowed accepts a change without making it, with each answer that looks like success. The apply fails, and the next
// one makes the change.
func TestAccProved_swallowed(t *testing.T) {
	t.Parallel()
	bodies := map[string]*string{"the deployment": nil}
	for name, body := range map[string]string{"nothing": "", "null": "null", "an object": "{}", "ok": `{"status":"ok"}`} {
		bodies[name] = &body
	}
	for change, test := range unprovable {
		for answer, body := range bodies {
			t.Run(change+", "+answer, func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t, test.configure)
				swallowed, again := step(plane, "fail_image", test.after), step(plane, "fail_image", test.after)
				swallowed.PreConfig = plane.Arm(devserver.Fault{Match: anyPatch, Swallow: true, Body: body})
				swallowed.ExpectError = words(`the change was accepted, but .* the change may still appear`)
				again.Check = all(expectRevisions(plane, 2), healthy(plane))
				tryAll(t, plane, step(plane, "fail_image", test.before), swallowed, again)
			})
		}
	}
}

// TestAccProved_staleAnswer makes a change and answers with the deployment as before. The rollout that is followed is the new one's.
func TestAccProved_staleAnswer(t *testing.T) {
	t.Parallel()
	for change, test := range unprovable {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, test.configure)
			stale := step(plane, "fail_image", test.after)
			stale.PreConfig = plane.Arm(devserver.Fault{Match: anyPatch, Stale: true})
			stale.Check = all(expectRevisions(plane, 2), healthy(plane))
			tryAll(t, plane, step(plane, "fail_image", test.before), stale)
		})
		t.Run(change+" that fails", func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, test.configure)
			stale := step(plane, "fail_image", test.after)
			stale.PreConfig = plane.Arm(devserver.Fault{Match: anyPatch, Stale: true}, rolloutFault(api.RevisionDeploying, "the container exited with code 1"))
			stale.ExpectError = words(`Rollout of deployment .* failed .*the container exited with code 1`)
			tryAll(t, plane, step(plane, "fail_image", test.before), stale)
		})
	}
}

// TestAccProved_notShownYet creates a deployment that reads don't show for a while.
func TestAccProved_notShownYet(t *testing.T) {
	t.Parallel()
	t.Run("lagging reads", func(t *testing.T) {
		t.Parallel()
		for _, wait := range []bool{true, false} {
			plane := providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Lag = 10 * time.Second })
			d := drive(t, plane)
			wanted := imageConfig(plane, map[string]any{"wait_for_deployed": wait})
			now, diags := d.apply(t.Context(), kept{}, wanted)
			if len(diags) > 0 || now.text("id") != only(plane).ID {
				t.Errorf("wait %t: diagnostics = %s, state = %s; want the deployment and nothing else", wait, told(diags), now.state)
			}
			d.settled(now, wanted)
		}
	})
	t.Run("404 while the list shows it", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		create := step(plane, "fail_image", nil)
		g := gateTo(t, plane)
		create.PreConfig = g.armed(func() { g.when(reading, 75, answered(http.StatusNotFound, `{"detail": "Deployment not found."}`)) })
		create.Check = resource.ComposeAggregateTestCheckFunc(healthy(plane), func(*terraform.State) error { g.forget(); return nil })
		tryAll(t, plane, create)
	})
	// It stays in state for ten minutes, with a warning in each plan.
	t.Run("for long", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		g := gateTo(t, plane)
		d := drive(t, plane)
		wanted := imageConfig(plane, map[string]any{"wait_for_deployed": false})
		hidden := func() {
			g.when(reading, -1, answered(http.StatusNotFound, `{"detail": "Deployment not found."}`))
			g.when(listing, -1, answered(http.StatusOK, `{"resources": [], "offset": 0}`))
		}
		g.when(creation, 1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			hidden()
			pass.ServeHTTP(w, r)
		})
		now, diags := d.apply(t.Context(), kept{}, wanted)
		expectKept(t, now, diags, "Deployment not read back")
		now, diags = d.refresh(now)
		expectKept(t, now, diags, "not shown by the service")
		if strings.Contains(told(diags), "deleted") {
			t.Errorf("diagnostics = %s, want no word of a deletion", told(diags))
		}
		g.forget()
		d.settled(d.refreshed(now), wanted)
		hidden()
		plane.Clock.Advance(10 * time.Minute)
		if now, diags = d.refresh(now); !now.state.IsNull() || hasError(diags) {
			t.Errorf("diagnostics = %s, state = %s; want it removed with a warning", told(diags), now.state)
		}
	})
}

// refusals are what proxies answer: nothing of it is about the rollout.
var refusals = []int{302, 400, 401, 403, 405, 409, 410, 418, 422}

// TestAccProved_refusedForAWhile refuses everything for 75 seconds after the creation was accepted. The deployment is healthy, so it is
// neither tainted nor replaced.
func TestAccProved_refusedForAWhile(t *testing.T) {
	t.Parallel()
	answers := map[string]action{"a 200 that is no deployment": answered(http.StatusOK, `{"status": "ok"}`)}
	for _, status := range refusals {
		answers[fmt.Sprint(status)] = answered(status, `{"detail": "Not for you."}`)
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			refused := func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				until := plane.Clock.Now().Add(75 * time.Second)
				wait := func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
					if plane.Clock.Now().Before(until) {
						answer(w, r, pass)
						return
					}
					pass.ServeHTTP(w, r)
				}
				g.when(polling, -1, wait)
				g.when(reading, -1, wait)
				pass.ServeHTTP(w, r)
			}
			create := step(plane, "fail_image", nil)
			create.PreConfig = g.armed(func() { g.when(creation, 1, refused) })
			create.Check = all(healthy(plane), g.counted(creation, 1))
			same := step(plane, "fail_image", nil)
			same.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop)}
			tryAll(t, plane, create, same)
		})
	}
}

// TestAccProved_refusedForLong refuses for more than ten minutes. A creation ends with a warning and a status that isn't known, which the
// next apply waits for; an update ends with an error.
func TestAccProved_refusedForLong(t *testing.T) {
	t.Parallel()
	forbidden := answered(http.StatusForbidden, `{"detail": "Not for you."}`)
	t.Run("a creation", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		g := gateTo(t, plane)
		d := drive(t, plane)
		g.when(polling, -1, forbidden)
		wanted := imageConfig(plane, nil)
		now, diags := d.apply(t.Context(), kept{}, wanted)
		expectKept(t, now, diags, "Cannot follow the rollout")
		if now.text("latest_revision_status") != "" || now.text("latest_revision_id") == "" {
			t.Errorf("state = %s, want a revision without a status", now.state)
		}
		g.forget()
		d.settled(d.made(now, wanted), wanted)
		if g.count(creation) != 1 || g.count(changing) != 0 {
			t.Errorf("%d creations and %d changes, want one and none", g.count(creation), g.count(changing))
		}
	})
	t.Run("an update", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		g := gateTo(t, plane)
		newer := config.Variables{"image_uri": config.StringVariable(newerImage)}
		update, again := step(plane, "fail_image", newer), step(plane, "fail_image", newer)
		update.PreConfig = g.armed(func() { g.when(polling, -1, forbidden) })
		update.ExpectError = words(`Cannot follow the rollout .*can't be read: .*403 Forbidden.*plan again`)
		again.PreConfig = g.forget
		again.Check = all(g.counted(changing, 1), expectRevisions(plane, 2), healthy(plane))
		tryAll(t, plane, step(plane, "fail_image", nil), update, again)
	})
}

// TestAccProved_refusedCreation processes a creation and answers with a refusal. The deployment is adopted, or named with its import
// block if the refusal is the service's own.
func TestAccProved_refusedCreation(t *testing.T) {
	t.Parallel()
	for _, status := range []int{302, 401, 403, 404, 410, 418} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			create := step(plane, "fail_image", nil)
			create.PreConfig = g.armed(func() { g.when(creation, 1, done(status, "")) })
			create.Check = all(healthy(plane), g.counted(creation, 1))
			tryAll(t, plane, create)
		})
	}
	for _, status := range []int{400, 422} {
		t.Run(fmt.Sprintf("%d with a detail", status), func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, unlagged)
			g := gateTo(t, plane)
			d := drive(t, plane)
			g.when(creation, 1, done(status, `{"detail": "No."}`))
			now, diags := d.apply(t.Context(), kept{}, imageConfig(plane, nil))
			block := fmt.Sprintf("import {\n      to = ADDRESS\n      id = %q\n    }", only(plane).ID)
			if !now.state.IsNull() || !hasError(diags) || !strings.Contains(told(diags), block) || !strings.Contains(told(diags), "No.") {
				t.Errorf("diagnostics = %s, state = %s; want the refusal and the import block", told(diags), now.state)
			}
		})
	}
	t.Run("not processed", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		g := gateTo(t, plane)
		refused := step(plane, "fail_image", nil)
		refused.PreConfig = g.armed(func() { g.when(creation, 1, answered(http.StatusForbidden, "")) })
		refused.ExpectError = words(`Status: 403 .*it may still appear under this name`)
		tryAll(t, plane, refused, step(plane, "fail_image", nil))
	})
	// What can't be read might be another's: it is sent again.
	t.Run("masked values", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t, masked)
		g := gateTo(t, plane)
		variables := config.Variables{"environment": named("A", "one")}
		create := step(plane, "fail_image", variables)
		create.PreConfig = g.armed(func() { g.when(creation, 1, lost) })
		create.Check = all(healthy(plane), g.counted(creation, 1), g.counted(changing, 1), expectBody(plane, http.MethodPatch, `{"secrets": [{"name": "A", "value": "***"}]}`))
		tryAll(t, plane, create)
	})
}

// TestAccProved_foreign reports a revision that another user makes between the read and the write of an update.
func TestAccProved_foreign(t *testing.T) {
	t.Parallel()
	for name, ownership := range map[string]string{"declared": "declared", "all": "all"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			d := drive(t, plane)
			wanted := imageConfig(plane, map[string]any{"environment_ownership": ownership})
			now := d.refreshed(d.made(kept{}, wanted))
			theirs := patchedByOther(plane, map[string]any{"secrets": []map[string]string{{"name": "LOG_LEVEL", "value": "debug"}, {"name": "THEIRS", "value": "1"}}})
			var foreign string
			g.when(changing, 1, meanwhile(func() { theirs(); foreign = *only(plane).LatestRevisionID }))
			wanted["environment"] = map[string]string{"LOG_LEVEL": "info"}
			now, diags := d.apply(t.Context(), now, wanted)
			expectKept(t, now, diags, "was changed after the plan")
			if !strings.Contains(told(diags), foreign) {
				t.Errorf("diagnostics = %s, want revision %s named", told(diags), foreign)
			}
		})
	}
}

// TestAccProved_unreadStatus can't find the newest revision: that is not "No changes".
func TestAccProved_unreadStatus(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	wanted := imageConfig(plane, nil)
	now := d.refreshed(d.made(kept{}, wanted))
	same := map[string]any{"source_revision_config": map[string]any{"image_uri": now.text("source_revision_config", "image_uri")}}
	plane.Call(http.MethodPatch, "/v2/deployments/"+now.text("id"), same, nil)
	missing := answered(http.StatusNotFound, `{"detail": "Revision not found."}`)
	g.when(polling, -1, missing)
	g.when("GET /v2/deployments/*/revisions", -1, missing)
	now, diags := d.refresh(now)
	if hasError(diags) || now.text("latest_revision_status") != "" {
		t.Fatalf("diagnostics = %s, state = %s; want no status", told(diags), now.state)
	}
	if planned, diags := d.plan(now, wanted); hasError(diags) || planned.state.Equal(now.state) {
		t.Errorf("plan = %s, %s; want it to wait for the revision", planned.state, told(diags))
	}
	g.forget()
	d.settled(d.made(now, wanted), wanted)
}
