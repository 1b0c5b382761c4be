package run_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	logging   = "POST /api/v1/runs"
	lookingUp = "GET /api/v2/runs/*"
)

// notFound is what the service answers for a run that it hasn't processed.
func notFound(w http.ResponseWriter, _ *http.Request, _ http.Handler) { refuse(w, http.StatusNotFound) }

func broken(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	refuse(w, http.StatusInternalServerError)
}

func refuse(w http.ResponseWriter, status int) {
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, `{"detail": "Run not found"}`)
}

// loggedOnce expects one run, which is the one in the state.
func loggedOnce(plane *providertest.Plane) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		runs, id := runsOf(plane, "chat"), s.RootModule().Resources[llmRun].Primary.ID
		if len(runs) != 1 || runs[0]["id"] != id {
			return fmt.Errorf("the state holds %s, the service %d runs: %v", id, len(runs), runs)
		}
		return nil
	}
}

// TestAccLLMRun_unseen: a run that can't be read is not an error of its creation, because Terraform would replace it, and log
// another one. The next apply goes on with it, and fails if it can't be seen then. In the end it is logged once.
func TestAccLLMRun_unseen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pattern string
		do      providertest.Interruption
		want    string
	}{
		"not processed in time": {lookingUp, notFound, `was logged, but the service hasn't processed it in time`},
		"service broken":        {logging, broken, `Unknown whether the run was logged`},
		"never arrived":         {logging, providertest.HangUpBefore, `Unknown whether the run was logged`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			arm := plane.Interrupt(test.pattern, test.do)
			unseen := logOne(nil, map[string]knownvalue.Check{"status": knownvalue.Null(), "id": knownvalue.NotNull()})
			unseen.PreConfig, unseen.ExpectNonEmptyPlan = func() { arm(100_000) }, true
			still := logOne(nil, nil)
			still.ExpectError = providertest.Words(test.want)
			seen := logOne(nil, map[string]knownvalue.Check{"status": knownvalue.StringExact("success"), "total_tokens": knownvalue.Int64Exact(30)},
				planned(plancheck.ResourceActionUpdate))
			seen.PreConfig, seen.Check = func() { arm(0) }, loggedOnce(plane)
			if test.pattern == lookingUp { // The refresh of the next plan sees it.
				seen.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{planned(plancheck.ResourceActionNoop)}
			}
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{unseen, still, seen}})
		})
	}
}

// TestAccLLMRun_oddAnswer: one odd answer after the run was logged doesn't end the wait for it.
func TestAccLLMRun_oddAnswer(t *testing.T) {
	t.Parallel()
	answers := map[string]providertest.Interruption{"page": providertest.LostReplies["page with status 200"]}
	for _, status := range []int{400, 401, 403, 405, 409, 418, 422} {
		answers[http.StatusText(status)] = func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { refuse(w, status) }
	}
	for name, do := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			arm := plane.Interrupt(lookingUp, do)
			odd := logOne(nil, map[string]knownvalue.Check{"status": knownvalue.StringExact("success")})
			odd.PreConfig, odd.Check = func() { arm(1) }, loggedOnce(plane)
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{odd}})
		})
	}
}

// TestAccLLMRun_unseenCLI: the CLI neither fails nor taints. A postcondition on the status fails the apply, and no second run
// is logged all the same.
func TestAccLLMRun_unseenCLI(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	arm := plane.Interrupt(lookingUp, notFound)
	demanding := resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/demanding"), PreConfig: func() { arm(100_000) },
		ExpectError: providertest.Words(`The tracing service hasn't processed the run.`),
	}
	unseen := logOne(nil, nil, planned(plancheck.ResourceActionUpdate))
	unseen.ExpectError = providertest.Words(`was logged, but the service hasn't processed it in time`)
	seen := logOne(nil, map[string]knownvalue.Check{"status": knownvalue.StringExact("success"), "url": knownvalue.NotNull()},
		planned(plancheck.ResourceActionNoop))
	seen.PreConfig, seen.Check = func() { arm(0) }, loggedOnce(plane)
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{demanding, unseen, seen}})
}

// TestAccLLMRun_unseenText: the warning states correctly what happens to the run.
func TestAccLLMRun_unseenText(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	plane.Interrupt(lookingUp, notFound)(100_000)
	d := plane.Drive(t, runType)
	planned, _ := d.Plan(smoke(nil))
	told := strings.Join(strings.Fields(d.Apply(planned)), " ")
	for _, want := range []string{
		"WARNING: Cannot find the logged run", "hasn't processed it in time", "The next apply resumes waiting", "which logs no second run.",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("want %q in %s", want, told)
		}
	}
}

// TestAccLLMRun_refreshChangesNothing: what a refresh answers is the state. Terraform's -refresh-only exits with 2 all the same, because it
// compares numbers in two representations.
func TestAccLLMRun_refreshChangesNothing(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := plane.Drive(t, runType)
	d.Make(smoke(nil))
	made := d.State.Attributes()
	told := d.Refresh()
	if diff := cmp.Diff(made, d.State.Attributes()); diff != "" || told != "" {
		t.Errorf("%s (-made +refreshed):\n%s", told, diff)
	}
}

// TestAccLLMRun_unreadable plans and destroys while the tracing service refuses to show a run that was never seen: the state stays
// as it is, with a warning.
func TestAccLLMRun_unreadable(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 418, 500} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			refuses := plane.Interrupt(lookingUp, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { refuse(w, status) })
			unseen := logOne(nil, map[string]knownvalue.Check{"status": knownvalue.Null()})
			unseen.PreConfig, unseen.ExpectNonEmptyPlan, unseen.Check = func() { refuses(100_000) }, true, loggedOnce(plane)
			planOnly := logOne(nil, nil)
			planOnly.PlanOnly, planOnly.ExpectNonEmptyPlan = true, true
			gone := logOne(nil, nil)
			gone.Destroy = true
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{unseen, planOnly, gone}})
		})
	}
}

// TestAccLLMRun_refreshSees: a refresh takes the results only when the service has counted the tokens, and nothing is read after that.
func TestAccLLMRun_refreshSees(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	hides := plane.Interrupt(lookingUp, notFound)
	hides(100_000)
	d := plane.Drive(t, runType)
	planned, _ := d.Plan(smoke(nil))
	d.Apply(planned)
	hides(0)
	for name, answer := range map[string]string{
		"of a pending run": `"status": "PENDING", "total_tokens": 30`, "without its tokens": `"status": "SUCCESS", "total_tokens": 0`,
	} {
		plane.Arm(devserver.Fault{Match: "GET /api/v2/runs/{run_id}", Body: new(`{"id": "` + d.Text("id") + `", ` + answer + `}`)})()
		if d.Refresh(); d.Text("status") != "" {
			t.Errorf("an answer %s made the status %q", name, d.Text("status"))
		}
	}
	if d.Refresh(); d.Text("status") != "success" || d.Text("total_cost") != "0.5" {
		t.Errorf("refreshed to %v", d.State.Attributes())
	}
	before := len(plane.Seen())
	d.Refresh()
	if sent := plane.Seen()[before:]; len(sent) > 0 {
		t.Errorf("the refresh of a processed run sent %v", sent)
	}
}
