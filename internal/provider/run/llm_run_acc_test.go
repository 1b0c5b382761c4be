package run_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const llmRun = "agentplane_llm_run.test"

// logOne is a step that logs a run.
func logOne(variables config.Variables, wants map[string]knownvalue.Check, planned ...plancheck.PlanCheck) resource.TestStep {
	step := resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/one"), ConfigVariables: variables}
	step.ConfigPlanChecks.PreApply = planned
	for name, want := range wants {
		step.ConfigStateChecks = append(step.ConfigStateChecks, statecheck.ExpectKnownValue(llmRun, tfjsonpath.New(name), want))
	}
	return step
}

func planned(action plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(llmRun, action)
}

// runsOf are the runs of a project, as the service has them.
func runsOf(plane *providertest.Plane, project string) []map[string]any {
	var projects []api.TracingProject
	plane.Call(http.MethodGet, "/api/v1/sessions?name="+project, nil, &projects)
	if len(projects) == 0 {
		return nil
	}
	var page struct{ Runs []map[string]any }
	plane.Call(http.MethodPost, "/api/v1/runs/query", map[string]any{"session": []string{projects[0].ID}}, &page)
	return page.Runs
}

// TestAccLLMRun logs a run, changes what replaces it and what doesn't, and forgets it.
func TestAccLLMRun(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	first := map[string]knownvalue.Check{
		"name": knownvalue.StringExact("terraform"), "status": knownvalue.StringExact("success"), "id": knownvalue.NotNull(),
		"trace_id": knownvalue.NotNull(), "project_id": knownvalue.NotNull(), "start_time": knownvalue.NotNull(), "url": knownvalue.NotNull(),
		"prompt_tokens": knownvalue.Int64Exact(20), "completion_tokens": knownvalue.Int64Exact(10), "total_tokens": knownvalue.Int64Exact(30),
		"prompt_cost": knownvalue.StringExact("0.000035"), "completion_cost": knownvalue.StringExact("0.00003"),
		"total_cost": knownvalue.StringExact("0.000065"), "time_to_first_token_seconds": knownvalue.Float64Exact(0.25),
	}
	same := statecheck.CompareValue(compare.ValuesSame())
	keep := func(step resource.TestStep) resource.TestStep {
		step.ConfigStateChecks = append(step.ConfigStateChecks, same.AddStateValue(llmRun, tfjsonpath.New("id")))
		return step
	}
	other := config.Variables{"inputs": config.ObjectVariable(map[string]config.Variable{"messages": config.ListVariable(
		config.ObjectVariable(map[string]config.Variable{"role": config.StringVariable("user"), "content": config.StringVariable("Hello?")}))})}
	providertest.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		Steps: []resource.TestStep{
			keep(logOne(nil, first, planned(plancheck.ResourceActionCreate))),
			keep(logOne(nil, nil, planned(plancheck.ResourceActionNoop))),
			// How long it may take is nothing to the service.
			keep(logOne(config.Variables{"timeouts": config.ObjectVariable(map[string]config.Variable{"create": config.StringVariable("5m")})}, first,
				planned(plancheck.ResourceActionUpdate))),
			logOne(config.Variables{"triggers": config.MapVariable(map[string]config.Variable{"revision": config.StringVariable("2")})}, first,
				planned(plancheck.ResourceActionReplace)),
			logOne(other, first, planned(plancheck.ResourceActionReplace)),
		},
		CheckDestroy: nil,
	})
	if runs := runsOf(plane, "chat"); len(runs) != 3 {
		t.Errorf("%d runs were logged, want 3, which stay when the resource is destroyed", len(runs))
	}
}

// TestAccLLMRun_everyField looks what the service has got.
func TestAccLLMRun_everyField(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	deployment := plane.Deploy("chat")
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{{
		ConfigDirectory: config.StaticDirectory("testdata/every"),
		ConfigVariables: config.Variables{"deployment_id": config.StringVariable(deployment.ID)},
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("status"), knownvalue.StringExact("error")),
			statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("start_time"), knownvalue.StringExact("2026-01-01T10:00:00Z")),
			statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("total_tokens"), knownvalue.Int64Exact(0)),
			statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("total_cost"), knownvalue.Null()),
		},
	}}})
	runs := runsOf(plane, "chat")
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	want := map[string]any{
		"name": "smoke", "run_type": "llm", "status": "error", "error": "no such model", "outputs": nil,
		"inputs": map[string]any{"model": "example-large", "messages": []any{map[string]any{"role": "user", "content": "Hi"}}},
		"extra": map[string]any{"metadata": map[string]any{
			"ls_model_name": "example-huge", "ls_provider": "example", "thread_id": "t1", "revision": "r1",
		}},
		"tags": []any{"smoke", "apply"}, "start_time": "2026-01-01T10:00:00.000000", "end_time": "2026-01-01T10:00:01.500000",
		"first_token_time": "2026-01-01T10:00:00.250000", "thread_id": "t1",
	}
	for key, value := range want {
		if diff := cmp.Diff(value, runs[0][key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

// TestAccLLMRun_lost: lost answers, and a service that is busy, log a run once.
func TestAccLLMRun_lost(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	step := logOne(nil, map[string]knownvalue.Check{"total_tokens": knownvalue.Int64Exact(30)})
	step.PreConfig = plane.Arm(
		devserver.Fault{Match: "POST /api/v1/runs", Drop: true},
		devserver.Fault{Match: "POST /api/v1/runs", Status: http.StatusTooManyRequests},
		devserver.Fault{Match: "GET /api/v2/runs/{run_id}", Status: http.StatusNotFound, Detail: "Run not found", Times: 2},
		devserver.Fault{Match: "GET /api/v2/runs/{run_id}", Status: http.StatusServiceUnavailable, Times: 2},
		devserver.Fault{Match: "GET /api/v2/runs/{run_id}/url", Status: http.StatusNotFound, Detail: "Run not found"},
	)
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{step}})
	if runs := runsOf(plane, "chat"); len(runs) != 1 {
		t.Errorf("%d runs were logged, want 1", len(runs))
	}
}

// TestAccLLMRun_gone: a run that the service has removed is no reason to log another one.
func TestAccLLMRun_gone(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	gone := logOne(nil, map[string]knownvalue.Check{"total_tokens": knownvalue.Int64Exact(30)}, planned(plancheck.ResourceActionNoop))
	gone.PreConfig = func() {
		var projects []api.TracingProject
		plane.Call(http.MethodGet, "/api/v1/sessions?name=chat", nil, &projects)
		plane.Call(http.MethodDelete, "/api/v1/sessions/"+projects[0].ID, nil, nil)
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{logOne(nil, nil), gone}})
}

// TestAccLLMRun_unusual logs what the service stores without understanding it, and turning strict on or off logs nothing.
func TestAccLLMRun_unusual(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	question := config.ObjectVariable(map[string]config.Variable{"question": config.StringVariable("Hi")})
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		logOne(config.Variables{"inputs": question}, map[string]knownvalue.Check{"status": knownvalue.StringExact("success")}),
		logOne(config.Variables{"inputs": question, "strict": config.BoolVariable(false)}, nil, planned(plancheck.ResourceActionUpdate)),
	}})
	if runs := runsOf(plane, "chat"); len(runs) != 1 {
		t.Errorf("%d runs were logged, want 1", len(runs))
	}
}
