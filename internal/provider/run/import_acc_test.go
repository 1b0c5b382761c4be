package run_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// logSmoke logs what testdata/imported describes, and returns the ids of its project and of itself.
func logSmoke(plane *providertest.Plane) (projectID, id string) {
	id = uuid.NewString()
	plane.Call(http.MethodPost, "/api/v1/runs", map[string]any{
		"id": id, "trace_id": id, "dotted_order": "20260101T100000000000Z" + id, "session_name": "chat", "name": "smoke", "run_type": "llm",
		"start_time": "2026-01-01T10:00:00Z", "end_time": "2026-01-01T10:00:01.5Z", "tags": []any{"smoke", "apply"},
		"inputs": map[string]any{"model": "example-large", "messages": []any{map[string]any{"role": "user", "content": "Hi"}}},
		"outputs": map[string]any{
			"role": "assistant", "content": "Hello", "usage_metadata": map[string]any{"input_tokens": 20, "output_tokens": 10},
		},
		"extra": map[string]any{"metadata": map[string]any{
			"ls_model_name": "example-huge", "ls_provider": "example", "revision": "r1", "attempt": 2,
		}},
		"events": []any{map[string]any{"name": "new_token", "time": "2026-01-01T10:00:00.25Z"}},
	}, nil)
	var projects []api.TracingProject
	plane.Call(http.MethodGet, "/api/v1/sessions?name=chat", nil, &projects)
	return projects[0].ID, id
}

// TestAccLLMRun_import takes a run over that another user has logged, and logs none for a configuration that says the same.
func TestAccLLMRun_import(t *testing.T) {
	t.Parallel()
	for name, prefix := range map[string]string{"by project": "", "by workspace": providertest.WorkspaceID + "/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			projectID, id := logSmoke(plane)
			step := resource.TestStep{
				ConfigDirectory: config.StaticDirectory("testdata/imported"),
				ConfigVariables: config.Variables{"project_id": config.StringVariable(projectID)},
			}
			command, apply := step, step
			command.ImportState, command.ImportStatePersist = true, true
			command.ResourceName, command.ImportStateId = llmRun, prefix+strings.ToUpper(projectID)+"/"+id
			// What is spelled otherwise in the configuration is taken into the state.
			apply.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{planned(plancheck.ResourceActionUpdate)}
			for attribute, want := range map[string]knownvalue.Check{
				"id": knownvalue.StringExact(id), "trace_id": knownvalue.StringExact(id), "status": knownvalue.StringExact("success"),
				"workspace_id": knownvalue.StringExact(providertest.WorkspaceID), "project_id": knownvalue.StringExact(projectID),
				"total_tokens": knownvalue.Int64Exact(30), "time_to_first_token_seconds": knownvalue.Float64Exact(0.25), "url": knownvalue.NotNull(),
			} {
				apply.ConfigStateChecks = append(apply.ConfigStateChecks, statecheck.ExpectKnownValue(llmRun, tfjsonpath.New(attribute), want))
			}
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{command, apply}})
			if runs := runsOf(plane, "chat"); len(runs) != 1 {
				t.Errorf("%d runs were logged, want 1", len(runs))
			}
		})
	}
}

// TestAccLLMRun_importRefused says what an import takes.
func TestAccLLMRun_importRefused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	projectID, id := logSmoke(plane)
	root, _, _ := logTrace(plane)
	var steps []resource.TestStep
	for importID, want := range map[string]string{
		id:                                 `"` + id + `" is neither PROJECT_ID/RUN_ID nor WORKSPACE_ID/PROJECT_ID/RUN_ID`,
		"chat/" + id:                       `"chat/` + id + `" is neither PROJECT_ID/RUN_ID`,
		projectID + "/" + root:             `The run is of type chain, but the resource manages only runs of type llm.`,
		projectID + "/" + uuid.NewString(): `Cannot import non-existent remote object`,
	} {
		steps = append(steps, resource.TestStep{
			ConfigDirectory: config.StaticDirectory("testdata/imported"),
			ConfigVariables: config.Variables{"project_id": config.StringVariable(projectID)},
			ImportState:     true, ResourceName: llmRun, ImportStateId: importID, ExpectError: providertest.Words(want),
		})
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}

// TestAccLLMRun_unknown plans with inputs that are known only in the apply.
func TestAccLLMRun_unknown(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	step := func(text string, action plancheck.ResourceActionType) resource.TestStep {
		s := resource.TestStep{
			ConfigDirectory: config.StaticDirectory("testdata/unknown"), ConfigVariables: config.Variables{"text": config.StringVariable(text)},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("name"), knownvalue.StringExact("run of "+text)),
				statecheck.ExpectKnownValue(llmRun, tfjsonpath.New("time_to_first_token_seconds"), knownvalue.Float64Exact(0.25)),
			},
		}
		s.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{planned(action)}
		return s
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		step("Hi", plancheck.ResourceActionCreate), step("Hi", plancheck.ResourceActionNoop), step("Ho", plancheck.ResourceActionReplace),
	}})
	if runs := runsOf(plane, "chat"); len(runs) != 2 {
		t.Errorf("%d runs were logged, want 2", len(runs))
	}
}
