package run_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const runs = "data.agentplane_runs.test"

// logTrace logs a root with a call of a model and a tool that fails into the project chat, and returns their ids.
func logTrace(plane *providertest.Plane) (root, call, tool string) {
	root, call, tool = uuid.NewString(), uuid.NewString(), uuid.NewString()
	order := "20260102T030305000000Z" + root
	plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": []any{
		map[string]any{
			"id": root, "trace_id": root, "dotted_order": order, "session_name": "chat", "name": "agent", "run_type": "chain",
			"start_time": "2026-01-02T03:03:05Z", "end_time": "2026-01-02T03:03:07Z", "tags": []any{"smoke"},
			"extra": map[string]any{"metadata": map[string]any{"thread_id": "t1"}},
		},
		map[string]any{
			"id": call, "trace_id": root, "parent_run_id": root, "session_name": "chat", "name": "model", "run_type": "llm",
			"dotted_order": order + ".20260102T030305000000Z" + call, "start_time": "2026-01-02T03:03:05Z", "end_time": "2026-01-02T03:03:06.5Z",
			"inputs":  map[string]any{"model": "example-large", "messages": []any{map[string]any{"role": "user", "content": "Hi"}}},
			"events":  []any{map[string]any{"name": "new_token", "time": "2026-01-02T03:03:05.25Z"}},
			"outputs": map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": "Hello"}}}, "usage_metadata": map[string]any{"input_tokens": 20, "output_tokens": 10, "input_cost": 0.000035, "output_cost": 0.00003}},
			"extra":   map[string]any{"metadata": map[string]any{"ls_provider": "example"}},
		},
		map[string]any{
			"id": tool, "trace_id": root, "parent_run_id": root, "session_name": "chat", "name": "search", "run_type": "tool",
			"dotted_order": order + ".20260102T030306000000Z" + tool, "start_time": "2026-01-02T03:03:06Z", "end_time": "2026-01-02T03:03:06.5Z",
			"error": "no such tool",
		},
	}}, nil)
	return root, call, tool
}

func list(variables config.Variables, checks ...statecheck.StateCheck) resource.TestStep {
	return resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/list"), ConfigVariables: variables, ConfigStateChecks: checks}
}

func at(i int, name string) tfjsonpath.Path {
	return tfjsonpath.New("runs").AtSliceIndex(i).AtMapKey(name)
}

// TestAccRunsDataSource reads every attribute of a run, with and without its content.
func TestAccRunsDataSource(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	root, call, _ := logTrace(plane)
	text, number := knownvalue.StringExact, knownvalue.Float64Exact
	plain := map[string]knownvalue.Check{
		"id": text(call), "trace_id": text(root), "parent_run_id": text(root), "name": text("model"), "run_type": text("llm"),
		"status": text("success"), "start_time": text("2026-01-02T03:03:05.000000Z"), "end_time": text("2026-01-02T03:03:06.500000Z"),
		"latency_seconds": number(1.5), "time_to_first_token_seconds": number(0.25), "error": knownvalue.Null(),
		"thread_id": knownvalue.Null(), "tags": knownvalue.ListExact(nil), "model_name": knownvalue.Null(), "model_provider": text("example"),
		"prompt_tokens": knownvalue.Int64Exact(20), "completion_tokens": knownvalue.Int64Exact(10), "total_tokens": knownvalue.Int64Exact(30),
		"prompt_cost": text("0.000035"), "completion_cost": text("0.00003"), "total_cost": text("0.000065"), "cost_incomplete": knownvalue.ListExact(nil),
		"app_path": knownvalue.StringRegexp(regexp.MustCompile(`^/o/.*/r/` + call)),
	}
	content := knownvalue.MapExact(map[string]knownvalue.Check{call: knownvalue.ObjectExact(map[string]knownvalue.Check{
		"inputs_json":          text(`{"messages":[{"content":"Hi","role":"user"}],"model":"example-large"}`),
		"input_messages_json":  knownvalue.StringRegexp(regexp.MustCompile(`"messages":\[\{"role":"user","content":\[\{"type":"text","text":"Hi"\}\]`)),
		"output_messages_json": knownvalue.StringRegexp(regexp.MustCompile(`"role":"assistant","content":\[\{"type":"text","text":"Hello"\}\]`)),
		"outputs_json":         knownvalue.StringRegexp(regexp.MustCompile(`"content":"Hello"`)),
	})})
	checks := func(wants map[string]knownvalue.Check, contents knownvalue.Check) []statecheck.StateCheck {
		all := []statecheck.StateCheck{
			statecheck.ExpectKnownValue(runs, tfjsonpath.New("runs"), knownvalue.ListSizeExact(1)),
			statecheck.ExpectKnownValue(runs, tfjsonpath.New("contents"), contents),
		}
		for name, want := range wants {
			all = append(all, statecheck.ExpectKnownValue(runs, at(0, name), want))
		}
		return all
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		list(config.Variables{"run_type": config.StringVariable("llm")}, checks(plain, knownvalue.Null())...),
		list(config.Variables{"run_type": config.StringVariable("llm"), "include_content": config.BoolVariable(true)}, append(
			checks(map[string]knownvalue.Check{"model_name": text("example-large")}, content),
			statecheck.ExpectSensitiveValue(runs, tfjsonpath.New("contents")),
		)...),
	}})
}

// TestAccRunsDataSource_unpriced counts calls of models without a cost, with and without tokens, but nothing else.
func TestAccRunsDataSource_unpriced(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	logTrace(plane) // A call with a cost, and two runs that call no model.
	counts := func(n, tokens int64) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			statecheck.ExpectKnownValue(runs, tfjsonpath.New("unpriced_run_count"), knownvalue.Int64Exact(n)),
			statecheck.ExpectKnownValue(runs, tfjsonpath.New("unpriced_tokens"), knownvalue.Int64Exact(tokens)),
		}
	}
	log := func() {
		for i, run := range []map[string]any{
			{"run_type": "llm", "outputs": map[string]any{"usage_metadata": map[string]any{"input_tokens": 20, "output_tokens": 10}}},
			{"run_type": "embedding", "outputs": map[string]any{"usage_metadata": map[string]any{"input_tokens": 5, "total_tokens": 5}}},
			{"run_type": "llm"}, {"run_type": "prompt"},
		} {
			id := uuid.NewString()
			run["id"], run["trace_id"], run["session_name"], run["name"] = id, id, "chat", "unpriced"
			run["dotted_order"], run["start_time"] = fmt.Sprintf("20260102T03030%d000000Z%s", i, id), fmt.Sprintf("2026-01-02T03:03:0%dZ", i)
			plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": []any{run}}, nil)
		}
	}
	withoutPrice := list(config.Variables{"order": config.StringVariable("asc")}, counts(3, 35)...)
	withoutPrice.PreConfig = log
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		list(nil, counts(0, 0)...), withoutPrice,
	}})
}

// TestAccRunsDataSource_filters asks in each way, for the names of the runs.
func TestAccRunsDataSource_filters(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	root, call, tool := logTrace(plane)
	text, flag := config.StringVariable, config.BoolVariable
	var steps []resource.TestStep
	for _, test := range []struct {
		variables config.Variables
		want      []string
	}{
		{nil, []string{"search", "model", "agent"}},
		{config.Variables{"order": text("asc")}, []string{"agent", "model", "search"}},
		{config.Variables{"limit": config.IntegerVariable(2)}, []string{"search", "model"}},
		{config.Variables{"is_root": flag(true)}, []string{"agent"}},
		{config.Variables{"is_root": flag(false)}, []string{"search", "model"}},
		{config.Variables{"has_error": flag(true)}, []string{"search"}},
		{config.Variables{"ids": config.ListVariable(text(call), text(tool))}, []string{"search", "model"}},
		{config.Variables{"ids": config.ListVariable([]config.Variable{}...)}, []string{}},
		{config.Variables{"trace_id": text(root)}, []string{"search", "model", "agent"}},
		{config.Variables{"filter": text(`has(tags, "smoke")`)}, []string{"agent"}},
		{config.Variables{"trace_filter": text(`has(tags, "smoke")`), "run_type": text("tool")}, []string{"search"}},
		{config.Variables{"tree_filter": text(`neq(error, null)`), "is_root": flag(true)}, []string{"agent"}},
		{config.Variables{"min_start_time": text("2026-01-02T03:03:05.5Z")}, []string{"search"}},
		{config.Variables{"min_start_time": text("2026-01-01T00:00:00Z"), "max_start_time": text("2026-01-02T03:03:05.5Z")}, []string{"model", "agent"}},
		{config.Variables{"run_type": text("retriever")}, nil},
	} {
		checks := []statecheck.StateCheck{statecheck.ExpectKnownValue(runs, tfjsonpath.New("runs"), knownvalue.ListSizeExact(len(test.want)))}
		for i, name := range test.want {
			checks = append(checks, statecheck.ExpectKnownValue(runs, at(i, "name"), knownvalue.StringExact(name)))
		}
		steps = append(steps, list(test.variables, checks...))
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}

// TestAccRunsDataSource_refused expects an error that says what to do.
func TestAccRunsDataSource_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	logTrace(plane)
	text := config.StringVariable
	query := "POST /api/v2/runs/query"
	var steps []resource.TestStep
	for _, test := range []struct {
		variables config.Variables
		want      string
		fault     devserver.Fault
	}{
		{variables: config.Variables{"project_name": text("no-such")}, want: `No tracing project of this workspace is named "no-such".`},
		{variables: config.Variables{"filter": text(`eq(name, "a"`)}, want: `filter: invalid filter at character 13`},
		{
			variables: config.Variables{"filter": text(`eq(name, "a")`), "trace_filter": text(`eq(name, "a"`)},
			want:      `trace_filter: invalid filter`,
		},
		{variables: config.Variables{"filter": text(`eq(name, "a")`), "tree_filter": text(`nope`)}, want: `tree_filter: invalid filter`},
		{want: `the installation may be too old: reading runs requires version 0.16`, fault: devserver.Fault{Match: query, Status: 404, Detail: "Not Found"}},
	} {
		step := list(test.variables)
		step.ExpectError = providertest.Words(test.want)
		step.PreConfig = func() {
			if test.fault.Match != "" {
				plane.Arm(test.fault)()
			}
		}
		steps = append(steps, step)
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}

// TestAccRunsDataSource_byDeployment finds the project by the deployment, and asks again after a lost answer.
func TestAccRunsDataSource_byDeployment(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	deployment := plane.Deploy("chat")
	logTrace(plane)
	step := resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/by_deployment"),
		ConfigVariables: config.Variables{"deployment_id": config.StringVariable(deployment.ID)},
		PreConfig:       func() { plane.Arm(devserver.Fault{Match: "POST /api/v2/runs/query", Drop: true})() },
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(runs, tfjsonpath.New("runs"), knownvalue.ListSizeExact(3)),
			statecheck.ExpectKnownValue(runs, tfjsonpath.New("project_id"), knownvalue.NotNull()),
		},
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{step}})
}
