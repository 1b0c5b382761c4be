package run

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// jsonText compares JSON as the text that is sent.
var jsonText = cmp.Transformer("text", func(raw json.RawMessage) string { return string(raw) })

// TestToIngest looks at all that is sent of runs with little and with much to say.
func TestToIngest(t *testing.T) {
	t.Parallel()
	const id = "01a1fb6f-924d-7000-8000-00d1858fd5af"
	start := time.Date(2026, 11, 21, 0, 9, 15, 597001999, time.UTC)
	for name, test := range map[string]struct {
		change func(*finishedRun)
		want   api.RunIngest // But for what all have.
	}{
		"nothing": {func(*finishedRun) {}, api.RunIngest{EndTime: "2026-11-21T00:09:15.597001Z"}},
		"streamed": {func(r *finishedRun) {
			r.firstTokenTime, r.endTime = start.Add(time.Second), start.Add(3*time.Second)
		}, api.RunIngest{
			EndTime: "2026-11-21T00:09:18.597001Z", Events: []api.RunEvent{{Name: "new_token", Time: "2026-11-21T00:09:16.597001Z"}},
		}},
		"failed": {func(r *finishedRun) { r.failure = "boom" }, api.RunIngest{EndTime: "2026-11-21T00:09:15.597001Z", Error: "boom"}},
		"project by name": {func(r *finishedRun) { r.projectName = "tests" }, api.RunIngest{
			EndTime: "2026-11-21T00:09:15.597001Z", SessionName: "tests",
		}},
		"project by id": {func(r *finishedRun) { r.projectID, r.projectName = id, "tests" }, api.RunIngest{
			EndTime: "2026-11-21T00:09:15.597001Z", SessionID: id,
		}},
		"objects": {func(r *finishedRun) {
			r.inputs, r.outputs = json.RawMessage(` {"a":1.50} `), json.RawMessage(`{"b":2}`)
			r.tags, r.metadata = []string{"smoke"}, map[string]string{"ls_provider": "example", "n": "1"}
		}, api.RunIngest{
			EndTime: "2026-11-21T00:09:15.597001Z", Inputs: json.RawMessage(`{"a":1.50}`), Outputs: json.RawMessage(`{"b":2}`),
			Tags: []string{"smoke"}, Extra: json.RawMessage(`{"metadata":{"ls_provider":"example","n":"1"}}`),
		}},
		"null": {func(r *finishedRun) { r.inputs, r.outputs = json.RawMessage(" null"), json.RawMessage("null") }, api.RunIngest{
			EndTime: "2026-11-21T00:09:15.597001Z",
		}},
		"a list and a number": {func(r *finishedRun) {
			r.inputs, r.outputs = json.RawMessage(`[{"role":"user","content":"hi"}]`), json.RawMessage("1.50")
		}, api.RunIngest{
			EndTime: "2026-11-21T00:09:15.597001Z", Inputs: json.RawMessage(`{"input":[{"role":"user","content":"hi"}]}`),
			Outputs: json.RawMessage(`{"outputs":1.50}`),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := finishedRun{id: uuid.MustParse(id), name: "chat", startTime: start, endTime: start}
			test.change(&run)
			got, err := run.toIngest()
			if err != nil {
				t.Fatal(err)
			}
			test.want.ID, test.want.TraceID, test.want.DottedOrder = id, id, "20261121T000915597001Z"+id
			test.want.Name, test.want.RunType, test.want.StartTime = "chat", "llm", "2026-11-21T00:09:15.597001Z"
			if diff := cmp.Diff(test.want, got, jsonText); diff != "" {
				t.Errorf("run (-want +got):\n%s", diff)
			}
			body, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			read, problems, err := llmrun.DecodeRun(body)
			if err != nil || len(problems) > 0 || len(read.CheckTrace()) > 0 {
				t.Errorf("%s: %v %v %v", body, problems, err, read.CheckTrace())
			}
		})
	}
}
