package run_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// logSmoke logs what testdata/imported_by_identity describes, and returns the ids of its project and of itself.
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

// TestAccLLMRun_importAnother refuses a run that calls no model.
func TestAccLLMRun_importAnother(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	projectID, _ := logSmoke(plane)
	root, _, _ := logTrace(plane)
	told, ok := plane.Drive(t, runType).Import(projectID + "/" + root)
	if ok || !strings.Contains(told, "The run is of type chain, but the resource manages only runs of type llm.") {
		t.Errorf("imported: %t, %s", ok, told)
	}
}
