package listener_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const oneListener = "/v2/listeners/{listener_id}"

// failure is an error response, and the text that the user sees.
type failure struct {
	fault devserver.Fault
	want  string
}

// refusals are error responses to any write, and the texts that the user sees.
var refusals = []failure{
	{devserver.Fault{Status: 400, Detail: "Bad listener"}, `Bad listener. Status: 400`},
	{devserver.Fault{Status: 401, Detail: "Invalid API key"}, `Check api_key (AGENTPLANE_API_KEY)`},
	{
		devserver.Fault{Status: 403, Detail: "Creating listeners is only allowed with self-hosted enterprise plans."},
		`only allowed with self-hosted enterprise plans. Status: 403`,
	},
	{devserver.Fault{Status: 404, Detail: "Not Found"}, `Not Found. Status: 404`},
	{devserver.Fault{Status: 404, HTML: "<title>Lost</title>"}, `returned a web page ("Lost") instead of a response of the control plane.`},
	{devserver.Fault{Status: 422, Detail: "Wrong"}, `Wrong. Status: 422`},
	{devserver.Fault{Status: 429, Detail: "Slow down", Times: 5}, `Slow down. Status: 429`},
	{devserver.Fault{Status: 200, HTML: "<p>Sign in"}, `returned a web page instead of a response of the control plane. Status: 200`},
}

// TestAccListener_failures refuses each kind of write in each way. Nothing may be lost or left behind.
func TestAccListener_failures(t *testing.T) {
	t.Parallel()
	newer := config.Variables{"listener_version": config.StringVariable("2.0.0")}
	verbs := map[string]struct {
		match string
		steps func(*providertest.Plane) (before, failing resource.TestStep)
	}{
		"create": {"POST /v2/listeners", func(plane *providertest.Plane) (resource.TestStep, resource.TestStep) {
			return resource.TestStep{}, step(plane, "resource", newer)
		}},
		"read": {"GET " + oneListener, func(plane *providertest.Plane) (resource.TestStep, resource.TestStep) {
			return step(plane, "resource", nil), step(plane, "resource", nil)
		}},
		"update": {"PATCH " + oneListener, func(plane *providertest.Plane) (resource.TestStep, resource.TestStep) {
			return step(plane, "resource", nil), step(plane, "resource", newer)
		}},
		"delete": {"DELETE " + oneListener, func(plane *providertest.Plane) (resource.TestStep, resource.TestStep) {
			made := step(plane, "resource", nil)
			return made, destroying(made, nil)
		}},
	}
	for verb, test := range verbs {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			before, failing := test.steps(plane)
			var steps []resource.TestStep
			if before.ConfigDirectory != nil {
				steps = append(steps, before)
			}
			for _, refusal := range refusals {
				refusal.fault.Match = test.match
				refused := failing
				refused.PreConfig = plane.Arm(refusal.fault)
				refused.ExpectError = providertest.Words(refusal.want)
				if refusal.fault.Status == 200 && (verb == "create" || verb == "update") {
					continue // The listener is looked up, and the write is sent again; see TestAccListener_repliesLost.
				}
				steps = append(steps, refused)
			}
			named := failing
			named.PreConfig = plane.Arm(devserver.Fault{Match: test.match, Status: 403})
			named.ExpectError = providertest.Words(`Cannot ` + verb + ` listener "tf-acc-cluster"`)
			// Afterwards, the next apply succeeds as usual.
			working := step(plane, "resource", newer)
			working.ConfigStateChecks = []statecheck.StateCheck{is(text("2.0.0"), "version")}
			tryAll(t, plane, append(steps, named, working)...)
		})
	}
}

// TestAccListener_oddNotFound checks that a single 404 doesn't mean that the listener is gone, neither in a refresh nor when it
// is deleted.
func TestAccListener_oddNotFound(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	missing := func(method string) devserver.Fault {
		return devserver.Fault{Match: method + " " + oneListener, Status: 404, Detail: "Listener not found"}
	}
	same := step(plane, "resource", nil)
	same.PreConfig = plane.Arm(missing(http.MethodGet), missing(http.MethodDelete))
	same.ConfigPlanChecks = planned(plancheck.ResourceActionNoop)
	tryAll(t, plane, step(plane, "resource", nil), same)
}

// TestAccListener_taken expects an error that says how to import the listener with the same compute_id.
func TestAccListener_taken(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	taken := step(plane, "resource", config.Variables{"compute_id": config.StringVariable(seeded)})
	taken.ExpectError = providertest.Words(`already exists. Status: 409`)
	advised := taken
	advised.ExpectError = providertest.Words(`import { to = ADDRESS id = "` + plane.ListenerID + `" }`)
	tryAll(t, plane, taken, advised)
}

// TestAccListener_tooManyRequests refuses every kind of request twice before it succeeds.
func TestAccListener_tooManyRequests(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	after := int64(7)
	var faults []devserver.Fault
	for _, match := range []string{
		"POST /v2/listeners", "GET " + oneListener, "PATCH " + oneListener, "DELETE " + oneListener, "GET /v2/deployments",
	} {
		faults = append(faults, devserver.Fault{Match: match, Status: 429, RetryAfter: &after, Times: 2})
	}
	create := step(plane, "resource", nil)
	create.PreConfig = plane.Arm(faults...)
	update := step(plane, "resource", config.Variables{"listener_version": config.StringVariable("2.0.0")})
	tryAll(t, plane, create, update)
	if err := expectSent(plane, 3, 3, 3)(nil); err != nil {
		t.Error(err)
	}
}

// TestAccListener_repliesLost loses the response to each write, after and before it is processed. The provider must check
// the result before sending a write again.
func TestAccListener_repliesLost(t *testing.T) {
	t.Parallel()
	newer := config.Variables{"listener_version": config.StringVariable("2.0.0"), "k8s_namespaces": names("agents")}
	drops := map[string]devserver.Fault{
		"after the work":             {Drop: true},
		"before the work":            {DropBefore: true},
		"a page instead of the work": {Status: 200, HTML: "<p>Sign in"},
	}
	for way, drop := range drops {
		before := !drop.Drop
		lose := func(plane *providertest.Plane, match string) func() {
			fault := drop
			fault.Match = match
			return plane.Arm(fault)
		}
		t.Run("create, "+way, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			create := step(plane, "resource", newer)
			create.PreConfig = lose(plane, "POST /v2/listeners")
			create.Check = expectSent(plane, 1, 0, 0)
			if before {
				create.Check = expectSent(plane, 2, 0, 0)
			}
			tryAll(t, plane, create)
		})
		t.Run("update, "+way, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			update := step(plane, "resource", newer)
			update.PreConfig = lose(plane, "PATCH "+oneListener)
			update.Check = expectSent(plane, 1, 1, 0)
			if before {
				update.Check = expectSent(plane, 1, 2, 0)
			}
			update.ConfigStateChecks = []statecheck.StateCheck{is(text("2.0.0"), "version"), is(texts("agents"), "compute_config", "k8s_namespaces")}
			tryAll(t, plane, step(plane, "resource", nil), update)
		})
		if drop.HTML != "" {
			continue // An HTML page instead of a deletion is an error, and nothing is lost; see TestAccListener_failures.
		}
		t.Run("delete, "+way, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			made := step(plane, "resource", nil)
			tryAll(t, plane, made, destroying(made, lose(plane, "DELETE "+oneListener)))
			if got := len(sent(plane, http.MethodDelete)); got != 2 {
				t.Errorf("the deletion was sent %d times, want 2", got)
			}
		})
	}
}

// TestAccListener_updateUndecided can't find out whether a change was processed: the error says so, the old state
// is kept, and the next plan compares.
func TestAccListener_updateUndecided(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	newer := config.Variables{"listener_version": config.StringVariable("2.0.0")}
	undecided := step(plane, "resource", newer)
	undecided.PreConfig = plane.Arm(
		devserver.Fault{Match: "PATCH " + oneListener, Drop: true},
		devserver.Fault{Match: "GET " + oneListener, Skip: 1, Times: 6, Status: 403, Detail: "boom"}, // The plan's read succeeds.
	)
	undecided.ExpectError = providertest.Words(`was changed is unknown: the change may still appear`)
	again := step(plane, "resource", newer)
	again.ConfigPlanChecks = planned(plancheck.ResourceActionNoop) // The change was processed.
	again.Check = expectSent(plane, 1, 1, 0)
	tryAll(t, plane, step(plane, "resource", nil), undecided, again)
}

// TestAccListener_conflict expects specific next steps for conflicts of a change and a deletion: importing or renaming doesn't help.
func TestAccListener_conflict(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made := step(plane, "resource", nil)
	for _, test := range []struct {
		match, says string
		step        resource.TestStep
	}{
		{"PATCH ", "Another change of this listener is in progress", step(plane, "resource", config.Variables{"listener_version": config.StringVariable("2.0.0")})},
		{"DELETE ", "Delete the deployments first", destroying(made, nil)},
	} {
		test.step.PreConfig = plane.Arm(devserver.Fault{Match: test.match + oneListener, Status: 409, Detail: "Busy"})
		test.step.ExpectError = providertest.Words("Busy. Status: 409")
		again := test.step
		again.ExpectError = providertest.Words(test.says)
		tryAll(t, plane, made, test.step, again)
	}
}
