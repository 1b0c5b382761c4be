package tracing_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// sampled is a server with the sample to which testdata/requests refers, its IDs by name, and its warnings as lines of JSON.
func sampled(t *testing.T) (*plane, map[string]string, *bytes.Buffer) {
	t.Helper()
	var warnings bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&warnings, &slog.HandlerOptions{Level: slog.LevelWarn}))
	p := devservertest.New(t, devserver.Config{Logger: logger, Keys: []devserver.Key{{Value: "sesame", Workspaces: []string{devservertest.WorkspaceA}}}}).As("X-Api-Key", "sesame")
	root := devservertest.RootRun(object{
		"name": "agent", "tags": []any{"smoke"}, "end_time": "2026-05-02T10:00:02Z", "inputs": object{"question": "Why?"}, "outputs": object{"answer": "So."},
		"extra":                object{"metadata": object{"thread_id": "thread 1/a", "revision": "r1"}},
		"reference_example_id": "eeeeeeee-1111-4000-8000-000000000000",
	})
	child := devservertest.ChildRun(root, object{
		"name": "model", "end_time": "2026-05-02T10:00:01.5Z", "outputs": object{"messages": []any{}, "usage_metadata": object{
			"input_tokens": 20, "output_tokens": 10, "total_tokens": 30, "total_cost": 0.5, "input_token_details": object{"cache_read": 5}}},
		"events": []any{object{"name": "new_token", "time": "2026-05-02T10:00:00.75Z"}}, "error": "late", "serialized": object{"name": "model"},
	})
	id, below := root["id"].(string), child["id"].(string)
	devservertest.NewUpload(t).Add("post", root).Add("post", child).Attach(id, "notes", "text/plain", "hello").Send(p).Want(http.StatusAccepted)
	said := p.Rate(object{"id": feedbackA, "run_id": id, "key": "correct", "score": 1, "comment": "yes", "feedback_source": object{"type": "api"}})
	p.Rate(object{"run_id": below, "key": "correct", "score": 0, "feedback_source": object{"type": "model"}})
	shared := devservertest.Into[object](p.Do(http.MethodPut, "/runs/"+id+"/share", object{}).Want(http.StatusOK))
	places := newDataset(p, "places")
	example := devservertest.Into[object](p.Do(http.MethodPost, "/examples", object{
		"dataset_id": places, "inputs": object{"country": "Spain"}, "metadata": object{"a": 1}, "split": "test",
	}).Want(http.StatusOK))
	p.Do(http.MethodPatch, "/datasets/"+places, object{"metadata": object{"team": "red"}}).Want(http.StatusOK)
	return p, map[string]string{
		"workspace": devservertest.WorkspaceA, "project": said["session_id"].(string), "root": id, "child": below, "feedback": feedbackA,
		"share": shared["share_token"].(string), "token": tokenFor(p, object{"run_id": id})["id"].(string), "new": uuid.NewString(),
		"root_order": root["dotted_order"].(string), "places": places, "example": example["id"].(string),
	}, &warnings
}
