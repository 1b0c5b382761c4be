package tracingproject_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// logTraces logs two traces into the project chat: one of a minute before the clock's time that streams and costs, and one
// of an hour before that fails.
func logTraces(plane *providertest.Plane) {
	root, call, failed := uuid.NewString(), uuid.NewString(), uuid.NewString()
	plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": []any{
		map[string]any{
			"id": root, "trace_id": root, "dotted_order": "20260102T030305000000Z" + root, "session_name": "chat", "name": "chat",
			"run_type": "chain", "start_time": "2026-01-02T03:03:05Z", "end_time": "2026-01-02T03:03:07Z",
		},
		map[string]any{
			"id": call, "trace_id": root, "parent_run_id": root, "session_name": "chat", "name": "model", "run_type": "llm",
			"dotted_order": "20260102T030305000000Z" + root + ".20260102T030305000000Z" + call,
			"start_time":   "2026-01-02T03:03:05Z", "end_time": "2026-01-02T03:03:06Z",
			"events":  []any{map[string]any{"name": "new_token", "time": "2026-01-02T03:03:05.25Z"}},
			"outputs": map[string]any{"usage_metadata": map[string]any{"input_tokens": 20, "output_tokens": 10, "input_cost": 0.000035, "output_cost": 0.00003}},
		},
		map[string]any{
			"id": failed, "trace_id": failed, "dotted_order": "20260102T020305000000Z" + failed, "session_name": "chat", "name": "chat",
			"run_type": "chain", "start_time": "2026-01-02T02:03:05Z", "end_time": "2026-01-02T02:03:09Z", "error": "no such tool",
		},
	}}, nil)
	for _, feedback := range []map[string]any{
		{"run_id": root, "key": "correct", "score": 0.5}, {"run_id": root, "key": "correct", "score": true},
		{"run_id": root, "key": "tone", "value": "kind"}, {"run_id": failed, "key": "correct", "score": 0},
	} {
		plane.Call(http.MethodPost, "/api/v1/feedback", feedback, nil)
	}
}

func statisticsStep(variables config.Variables, wants map[string]knownvalue.Check) resource.TestStep {
	step := resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/statistics"), ConfigVariables: variables}
	for name, want := range wants {
		at := tfjsonpath.New("statistics")
		if name != "" {
			at = at.AtMapKey(name)
		}
		step.ConfigStateChecks = append(step.ConfigStateChecks, statecheck.ExpectKnownValue(address, at, want))
	}
	return step
}

// TestAccTracingProjectDataSource_statistics reads every figure, over windows of each form.
func TestAccTracingProjectDataSource_statistics(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	plane.Deploy("chat")
	logTraces(plane)
	one := map[string]knownvalue.Check{
		"run_count": knownvalue.Int64Exact(1), "latency_p50": knownvalue.Float64Exact(2), "latency_p99": knownvalue.Float64Exact(2),
		"first_token_p50": knownvalue.Float64Exact(0.25), "first_token_p99": knownvalue.Float64Exact(0.25),
		"total_tokens": knownvalue.Int64Exact(30), "prompt_tokens": knownvalue.Int64Exact(20), "completion_tokens": knownvalue.Int64Exact(10),
		"total_cost": knownvalue.StringExact("0.000065"), "prompt_cost": knownvalue.StringExact("0.000035"),
		"completion_cost": knownvalue.StringExact("0.00003"), "error_rate": knownvalue.Float64Exact(0), "streaming_rate": knownvalue.Float64Exact(1),
		"last_run_start_time": knownvalue.StringExact("2026-01-02T03:03:05.000000Z"),
		"feedback_scores":     knownvalue.MapExact(map[string]knownvalue.Check{"correct": knownvalue.Float64Exact(0.75)}),
		"feedback_counts":     knownvalue.MapExact(map[string]knownvalue.Check{"correct": knownvalue.Int64Exact(2), "tone": knownvalue.Int64Exact(1)}),
	}
	both := map[string]knownvalue.Check{
		"run_count": knownvalue.Int64Exact(2), "latency_p50": knownvalue.Float64Exact(3), "first_token_p50": knownvalue.Float64Exact(0.25),
		"total_cost": knownvalue.StringExact("0.000065"), "error_rate": knownvalue.Float64Exact(0.5), "streaming_rate": knownvalue.Float64Exact(0.5),
		"feedback_scores": knownvalue.MapExact(map[string]knownvalue.Check{"correct": knownvalue.Float64Exact(0.5)}),
	}
	none := map[string]knownvalue.Check{
		"run_count": knownvalue.Int64Exact(0), "latency_p50": knownvalue.Null(), "first_token_p99": knownvalue.Null(),
		"total_tokens": knownvalue.Int64Exact(0), "total_cost": knownvalue.Null(), "error_rate": knownvalue.Null(), "last_run_start_time": knownvalue.Null(),
		"feedback_scores": knownvalue.MapExact(map[string]knownvalue.Check{}),
	}
	text := config.StringVariable
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		statisticsStep(nil, map[string]knownvalue.Check{"": knownvalue.Null()}),
		statisticsStep(config.Variables{"window": text("10m")}, one),
		statisticsStep(config.Variables{"window": text("2h")}, both),
		statisticsStep(config.Variables{"window": text("1s")}, none),
		statisticsStep(config.Variables{"window": text("1h"), "end_time": text("2026-01-02T02:30:00Z")},
			map[string]knownvalue.Check{"run_count": knownvalue.Int64Exact(1), "error_rate": knownvalue.Float64Exact(1)}),
		statisticsStep(config.Variables{"start_time": text("2026-01-02T04:00:00+01:00")}, one),
		statisticsStep(config.Variables{"start_time": text("2026-01-01T00:00:00Z"), "end_time": text("2026-01-03T00:00:00Z")}, both),
	}})
}
