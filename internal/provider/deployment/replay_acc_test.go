package deployment_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// healthy expects the deployment in state to be the only one, and no plan to replace or change it: the step's
// plan after the apply has to be empty.
func healthy(plane *providertest.Plane) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		if id := s.RootModule().Resources[address].Primary.ID; id != only(plane).ID {
			return fmt.Errorf("id in state = %s, want that of the only deployment, %s", id, only(plane).ID)
		}
		return nil
	}
}

// TestAccReplay_createWhereTaken loses the response while another user takes the name: the existing deployment is not adopted.
func TestAccReplay_createWhereTaken(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	var theirs string
	taken := step(plane, "fail_image", config.Variables{"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0")})
	taken.PreConfig = g.armed(func() {
		g.when(creation, 1, meanwhileCut(func() { theirs = makeDeployment(plane, "tf-acc-fail", nil, nil) }))
	})
	taken.ExpectError = words(`a deployment "tf-acc-fail" exists with the ID [0-9a-f-]{36}, but this request may not have created it .*If it is yours, add this`)
	// The other user's deployment isn't in state, so it isn't destroyed either.
	untouched := step(plane, "fail_image", config.Variables{"name": config.StringVariable("tf-acc-fail-mine")})
	untouched.PreConfig = func() {
		if current := only(plane); current.ID != theirs || *current.SourceRevisionConfig.ImageURI != "registry.example.com/agents/chat:1.0.0" {
			t.Errorf("another user's deployment %s became %v, want it unchanged", theirs, current)
		}
	}
	untouched.Check = all(g.counted(creation, 2), g.counted(changing, 0), g.counted(deletion, 0))
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{taken, untouched},
		CheckDestroy: func(*terraform.State) error {
			if current := only(plane); current.ID != theirs {
				return fmt.Errorf("deployment %s is left, want the other user's, %s", current.ID, theirs)
			}
			return nil
		},
	})
}

func meanwhileCut(happen func()) action {
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		happen()
		cut(w, r, pass)
	}
}

// TestAccReplay_change loses the response to each kind of change, after and before the request is processed. It must be sent again
// exactly if it wasn't processed.
func TestAccReplay_change(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		type changed struct {
			directory     string
			before, after config.Variables
			// body is the body of every request.
			body      string
			revisions int
			breaks    bool
			// unproven changes look the same before and afterwards, so they are sent again even if they were processed.
		}
		const image = "registry.example.com/agents/chat:2.0.0"
		changes := map[string]changed{
			"image": {
				directory: "fail_image", after: config.Variables{"image_uri": config.StringVariable(image)}, revisions: 2,
				body: `{"source_revision_config": {"image_uri": "` + image + `"}}`,
			},
			"environment": {
				directory: "fail_image", before: config.Variables{"environment": named("A", "one", "B", "two")},
				after: config.Variables{"environment": named("A", "one", "B", "three")}, revisions: 2,
				body: `{"secrets": [{"name": "A", "value": "***"}, {"name": "B", "value": "***"}]}`,
			},
			"environment emptied": {
				directory: "fail_image", before: config.Variables{"environment": named("A", "one")},
				after: config.Variables{"environment": named()}, revisions: 2, body: `{"secrets": []}`,
			},
			"resource_spec": {
				directory: "fail_image", before: config.Variables{"cpu": config.IntegerVariable(1)},
				after: config.Variables{"cpu": config.IntegerVariable(2)}, revisions: 2,
			},
			"custom_url": {
				directory: "fail_image", after: config.Variables{"custom_url": config.StringVariable("https://chat.example.com")},
				revisions: 1, body: `{"source_config": {"custom_url": "https://chat.example.com"}}`,
			},
			"triggers": {
				directory: "fail_image", before: config.Variables{"triggers": named("n", "1")},
				after: config.Variables{"triggers": named("n", "2")}, revisions: 2,
				body: `{"source_revision_config": {"image_uri": "registry.example.com/agents/chat:1.0.0"}}`,
			},
			"build_on_push": {
				directory: "fail_git", after: config.Variables{"build_on_push": config.BoolVariable(false)},
				revisions: 1, body: `{"source_config": {"build_on_push": false}}`,
			},
			"repair": {
				directory: "fail_image", breaks: true, revisions: 3,
				before: config.Variables{"image_uri": config.StringVariable(image)},
				after:  config.Variables{"image_uri": config.StringVariable(image)},
				body:   `{"source_revision_config": {"image_uri": "` + image + `"}}`,
			},
		}
		for name, change := range changes {
			for way, try := range map[string]struct {
				loses action
				sent  int
			}{"after the work": {lost, 1}, "502 after the work": {done(http.StatusBadGateway, page), 1}, "before the work": {cut, 2}} {
				if way == "502 after the work" && name != "image" {
					continue // The result doesn't depend on the kind of change.
				}
				t.Run(name+", "+way, func(t *testing.T) {
					t.Parallel()
					plane := providertest.NewDev(t)
					if change.body == `{"secrets": []}` && plane.Dialect().KeepsLastSecret {
						return // The plan refuses it; see TestAccEnvironment_emptied.
					}
					g := gateTo(t, plane)
					steps := []resource.TestStep{step(plane, change.directory, change.before)}
					if change.breaks {
						steps = []resource.TestStep{step(plane, change.directory, nil), breaking(plane, change.directory, change.after)}
					}
					lossy := step(plane, change.directory, change.after)
					lossy.PreConfig = g.armed(func() { g.when(changing, 1, try.loses) })
					sent, revisions := try.sent, change.revisions
					switch { // What makes a revision is never sent twice, and what can't be seen isn't proved without a reply.
					case name == "repair" && way == "after the work":
						sent = 0
					case name == "triggers" && way == "after the work":
						revisions++
					}
					if (try.sent == 2 || sent == 0 || revisions > change.revisions) && change.revisions > 1 {
						again := step(plane, change.directory, change.after)
						steps = append(steps, neverTwice(t, g, lossy, &again))
						lossy, sent = again, min(sent, 1)
					}
					lossy.Check = all(g.counted(creation, 0), g.counted(changing, sent), g.counted(deletion, 0), healthy(plane),
						expectRevisions(plane, revisions))
					if change.body != "" && sent > 0 {
						lossy.Check = all(lossy.Check, expectBody(plane, http.MethodPatch, change.body))
					}
					lossy.ConfigStateChecks = []statecheck.StateCheck{known(text("DEPLOYED"), "latest_revision_status")}
					tryAll(t, plane, append(steps, lossy)...)
				})
			}
		}
	})
}

// TestAccReplay_changeWhereMasked loses the response to a change of values that the service masks: the new revision may be another
// user's, so the change is made again by the next apply.
func TestAccReplay_changeWhereMasked(t *testing.T) {
	t.Parallel()
	for way, loses := range map[string]action{"after the work": lost, "before the work": cut} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, masked)
			g := gateTo(t, plane)
			steps := []resource.TestStep{step(plane, "fail_image", config.Variables{"environment": named("A", "one-value")})}
			lossy := step(plane, "fail_image", config.Variables{"environment": named("A", "another-value")})
			changed := lossy
			lossy.PreConfig = g.armed(func() { g.when(changing, 1, loses) })
			steps = append(steps, neverTwice(t, g, lossy, &changed))
			changed.Check = all(g.counted(changing, 1), expectRevisions(plane, map[string]int{"after the work": 3, "before the work": 2}[way]))
			changed.ConfigStateChecks = []statecheck.StateCheck{known(text("another-value"), "environment", "A")}
			tryAll(t, plane, append(steps, changed)...)
		})
	}
}

// neverTwice expects that the change of a step, which is lost, is an error and isn't sent again. again is the next step.
func neverTwice(t *testing.T, g *gate, lossy resource.TestStep, again *resource.TestStep) resource.TestStep {
	t.Helper()
	lossy.ExpectError = words(`was changed is unknown: the change may still appear`)
	again.PreConfig = func() {
		if err := g.counted(changing, 1)(nil); err != nil {
			t.Error(err)
		}
		g.reset()
	}
	return lossy
}

// TestAccReplay_changeWhereOthersChange loses a change before it is processed, while another user's change makes a revision: that
// revision must not be mistaken for the lost one.
func TestAccReplay_changeWhereOthersChange(t *testing.T) {
	t.Parallel()
	none := func(*devserver.Config) {}
	resources := map[string]any{"source_config": map[string]any{"resource_spec": map[string]any{"cpu": 3}}}
	sameImage := map[string]any{"source_revision_config": map[string]any{"image_uri": newerImage}}
	one, both := config.Variables{"environment": named("A", "one")}, config.Variables{"environment": named("A", "two"), "image_uri": config.StringVariable(newerImage)}
	for name, test := range map[string]struct {
		configure     func(*devserver.Config)
		before, after config.Variables
		theirs        map[string]any
	}{
		"variables":                       {none, one, config.Variables{"environment": named("A", "two")}, resources},
		"variables, masked":               {masked, one, config.Variables{"environment": named("A", "two")}, resources},
		"triggers":                        {none, config.Variables{"triggers": named("n", "1")}, config.Variables{"triggers": named("n", "2")}, resources},
		"variables, added":                {none, nil, config.Variables{"environment": named("A", "two")}, resources},
		"image and variables":             {masked, one, both, resources},
		"image and variables, same image": {masked, one, both, sameImage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, test.configure)
			g := gateTo(t, plane)
			theirs := patchedByOther(plane, test.theirs)
			between := step(plane, "fail_image", test.after)
			again := between
			between.PreConfig = g.armed(func() { g.when(changing, 1, meanwhileCut(theirs)) })
			again.Check = all(g.counted(changing, 1), expectRevisions(plane, 3))
			tryAll(t, plane, step(plane, "fail_image", test.before), neverTwice(t, g, between, &again), again)
		})
	}
}

// TestAccReplay_changeTwiceLost loses a change without a revision before it is processed, twice: no third request is sent.
func TestAccReplay_changeTwiceLost(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	newer := config.Variables{"custom_url": config.StringVariable("https://chat.example.com")}
	twice := step(plane, "fail_image", newer)
	twice.PreConfig = g.armed(func() { g.when(changing, -1, cut) })
	twice.ExpectError = words(`was changed is unknown`)
	again := step(plane, "fail_image", newer)
	again.PreConfig = func() {
		if err := g.counted(changing, 2)(nil); err != nil {
			t.Error(err)
		}
		g.reset()
	}
	again.Check = all(g.counted(changing, 1), expectRevisions(plane, 1))
	tryAll(t, plane, step(plane, "fail_image", nil), twice, again)
}

// breaking changes the deployment to a revision whose rollout fails.
func breaking(plane *providertest.Plane, directory string, variables config.Variables) resource.TestStep {
	breaks := step(plane, directory, variables)
	breaks.PreConfig = plane.Arm(rolloutFault(api.RevisionDeploying, "the container exited with code 1"))
	breaks.ExpectError = words(`Rollout of deployment .* failed .*the container exited with code 1`)
	return breaks
}

// named returns a map of strings.
func named(pairs ...string) config.Variable {
	values := map[string]config.Variable{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values[pairs[i]] = config.StringVariable(pairs[i+1])
	}
	return config.MapVariable(values)
}

// tryAll runs the steps, and expects no deployments at the end.
func tryAll(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), Steps: steps,
	})
}
