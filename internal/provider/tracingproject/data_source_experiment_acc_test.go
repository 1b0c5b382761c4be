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

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// newDataset makes a dataset with two examples, and returns its ID.
func newDataset(plane *providertest.Plane, name string) string {
	var dataset api.Dataset
	plane.Call(http.MethodPost, "/api/v1/datasets", map[string]any{"name": name}, &dataset)
	for _, country := range []string{"France", "Spain"} {
		plane.Call(http.MethodPost, "/api/v1/examples", map[string]any{"dataset_id": dataset.ID, "inputs": map[string]any{"country": country}}, nil)
	}
	return dataset.ID
}

// evaluate logs an experiment as an evaluation does: a run for each example, of which the second one fails unless the agent has passed.
func evaluate(plane *providertest.Plane, datasetID, name, start string, passed bool) {
	var project api.TracingProject
	plane.Call(http.MethodPost, "/api/v1/sessions", map[string]any{"name": name, "reference_dataset_id": datasetID, "start_time": start}, &project)
	for i, score := range []bool{true, passed} {
		id := uuid.NewString()
		run := map[string]any{
			"id": id, "trace_id": id, "dotted_order": "20260102T030305000000Z" + id, "session_name": name, "name": "agent", "run_type": "llm",
			"start_time": "2026-01-02T03:03:05Z", "end_time": "2026-01-02T03:03:07Z",
			"outputs": map[string]any{"usage_metadata": map[string]any{"input_tokens": 1, "output_tokens": 1, "input_cost": 0.125, "output_cost": 0.125}},
		}
		if i == 1 && !passed {
			run["error"] = "expected Madrid"
		}
		plane.Call(http.MethodPost, "/api/v1/runs/batch", map[string]any{"post": []any{run}}, nil)
		for _, key := range []string{"correct", "pass"} {
			plane.Call(http.MethodPost, "/api/v1/feedback", map[string]any{"run_id": id, "key": key, "score": score}, nil)
		}
	}
	plane.Call(http.MethodPost, "/api/v1/feedback", map[string]any{"session_id": project.ID, "key": "count", "score": 2}, nil)
}

// TestAccExperimentDataSource reads the newest experiment of a dataset: first of a suite that fails, then of one that passes.
func TestAccExperimentDataSource(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	other := newDataset(plane, "others")
	evaluate(plane, other, "of-others", "2026-01-02T00:00:00Z", true)
	var dataset string
	step := func(before func(), wants map[string]knownvalue.Check) resource.TestStep {
		step := resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/experiment"), PreConfig: before}
		for name, want := range wants {
			at := tfjsonpath.New(name)
			if statistic, is := statistics[name]; is {
				at = tfjsonpath.New("statistics").AtMapKey(statistic)
			}
			step.ConfigStateChecks = append(step.ConfigStateChecks, statecheck.ExpectKnownValue("data.agentplane_experiment.test", at, want))
		}
		return step
	}
	refused := func(before func(), want string) resource.TestStep {
		step := step(before, nil)
		step.ExpectError = providertest.Words(want)
		return step
	}
	scores := func(score float64) knownvalue.Check {
		return knownvalue.MapExact(map[string]knownvalue.Check{"correct": knownvalue.Float64Exact(score), "pass": knownvalue.Float64Exact(score)})
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		refused(nil, `No dataset of this workspace is named "capitals".`),
		refused(func() { dataset = newDataset(plane, "capitals") }, `The dataset "capitals" has no experiment yet.`),
		step(func() {
			evaluate(plane, dataset, "newest", "2026-01-02T03:00:00Z", false)
			evaluate(plane, dataset, "oldest", "2026-01-02T02:00:00Z", true) // It was started before.
		}, map[string]knownvalue.Check{
			"name": knownvalue.StringExact("newest"), "start_time": knownvalue.StringExact("2026-01-02T03:00:00.000000Z"),
			"example_count": knownvalue.Int64Exact(2), "runs": knownvalue.Int64Exact(2), "errors": knownvalue.Float64Exact(0.5),
			"cost": knownvalue.StringExact("0.5"), "unpriced": knownvalue.Int64Exact(0), "scores": scores(0.5),
			"summary_scores": knownvalue.MapExact(map[string]knownvalue.Check{"count": knownvalue.Float64Exact(2)}),
		}),
		step(func() { evaluate(plane, dataset, "fixed", "2026-01-02T04:00:00Z", true) }, map[string]knownvalue.Check{
			"name": knownvalue.StringExact("fixed"), "errors": knownvalue.Float64Exact(0), "scores": scores(1),
		}),
		refused(plane.Arm(devserver.Fault{Match: "GET /api/v1/datasets", Status: 403}), "workspace_id (AGENTPLANE_WORKSPACE_ID)"),
		refused(plane.Arm(devserver.Fault{Match: "GET /api/v1/datasets", Body: new(`{"detail": "none"}`)}), "the response is not a list of datasets"),
		refused(plane.Arm(devserver.Fault{Match: "GET /api/v1/sessions", Status: 500, Detail: "boom", Times: 5}), "boom. Status: 500"),
		refused(plane.Arm(devserver.Fault{Match: "GET /api/v1/sessions", Body: new(`[{"id": "` + nothing + `", "name": "a", "reference_dataset_id": null}]`)}),
			`The dataset "capitals" has no experiment yet.`),
		refused(plane.Arm(devserver.Fault{Match: "POST /api/v1/runs/stats", Status: 500, Detail: "boom", Times: 5}), "boom. Status: 500"),
	}})
}

// statistics are the names of statistics in TestAccExperimentDataSource.
var statistics = map[string]string{
	"runs": "run_count", "errors": "error_rate", "cost": "total_cost", "unpriced": "unpriced_run_count", "scores": "feedback_scores",
}
