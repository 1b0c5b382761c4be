package run

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

var applied = time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.UTC)

// minimal is a configuration with nothing that is optional; change adds to it.
func minimal(change func(*logModel)) logModel {
	m := logModel{
		ProjectID: types.StringValue("p1"), Name: types.StringValue("smoke"),
		InputsJSON: jsontypes.NewNormalizedValue(`{"messages":[]}`), OutputsJSON: jsontypes.NewNormalizedValue(`{"role":"assistant","content":"Hello"}`),
		Metadata: types.MapNull(types.StringType), Tags: types.ListNull(types.StringType),
		StartTime: types.StringValue("2026-01-01T10:00:00.000000Z"),
	}
	if change != nil {
		change(&m)
	}
	return m
}

func duration(text string) timetypes.GoDuration {
	return timetypes.NewGoDurationValueFromStringMust(text)
}

// streamed makes the run one that was streamed within a second, and that took as long as given.
func (m *logModel) streamed(took string) {
	m.OutputsJSON = jsontypes.NewNormalizedNull()
	m.StreamJSON = jsontypes.NewNormalizedValue(`[{"time":"250ms","chunk":{"choices":[{"delta":{"content":"Hel"}}]}},
		{"time":"1s","chunk":{"choices":[{"delta":{"content":"lo"}}]}}]`)
	if took != "" {
		m.Duration = duration(took)
	}
}

// TestToRunTimes finds the three times of a run from what a configuration says of them.
func TestToRunTimes(t *testing.T) {
	t.Parallel()
	started := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		change            func(*logModel)
		start, first, end time.Time
	}{
		"nothing":                {func(m *logModel) { m.StartTime = types.StringNull() }, applied, time.Time{}, applied},
		"not known yet":          {func(m *logModel) { m.StartTime = types.StringUnknown() }, applied, time.Time{}, applied},
		"start":                  {nil, started, time.Time{}, started},
		"start elsewhere":        {func(m *logModel) { m.StartTime = types.StringValue("2026-01-01T11:00:00+01:00") }, started, time.Time{}, started},
		"start and duration":     {func(m *logModel) { m.Duration = duration("90s") }, started, time.Time{}, started.Add(90 * time.Second)},
		"start and first token":  {func(m *logModel) { m.TimeToFirstToken = duration("250ms") }, started, started.Add(250 * time.Millisecond), started.Add(250 * time.Millisecond)},
		"all":                    {func(m *logModel) { m.Duration, m.TimeToFirstToken = duration("1s"), duration("250ms") }, started, started.Add(250 * time.Millisecond), started.Add(time.Second)},
		"duration, up to now":    {func(m *logModel) { m.StartTime, m.Duration = types.StringNull(), duration("1m") }, applied.Add(-time.Minute), time.Time{}, applied},
		"stream":                 {func(m *logModel) { m.streamed("") }, started, started.Add(250 * time.Millisecond), started.Add(time.Second)},
		"stream and duration":    {func(m *logModel) { m.streamed("2s") }, started, started.Add(250 * time.Millisecond), started.Add(2 * time.Second)},
		"stream, up to now":      {func(m *logModel) { m.streamed(""); m.StartTime = types.StringNull() }, applied.Add(-time.Second), applied.Add(-750 * time.Millisecond), applied},
		"first token, up to now": {func(m *logModel) { m.StartTime, m.TimeToFirstToken = types.StringNull(), duration("1s") }, applied.Add(-time.Second), applied, applied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, diags := minimal(test.change).toRun(applied)
			if diags.HasError() {
				t.Fatal(diags)
			}
			got := []time.Time{run.startTime, run.firstTokenTime, run.endTime}
			if diff := cmp.Diff([]time.Time{test.start, test.first, test.end}, got, cmpopts.EquateApproxTime(0)); diff != "" {
				t.Errorf("start, first token and end (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLogModelRoundTrip expects of an import what the configuration said.
func TestLogModelRoundTrip(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]logModel{
		"nothing optional": minimal(nil),
		"failed": minimal(func(m *logModel) {
			m.OutputsJSON, m.Error = jsontypes.NewNormalizedNull(), types.StringValue("no such model")
		}),
		"model": minimal(func(m *logModel) {
			m.ModelName, m.ModelProvider = types.StringValue("large"), types.StringValue("example")
		}),
		"metadata": minimal(func(m *logModel) {
			m.Metadata = types.MapValueMust(types.StringType, map[string]attr.Value{"revision": types.StringValue("r1"), "empty": types.StringValue("")})
			m.ModelName = types.StringValue("large")
		}),
		"tags": minimal(func(m *logModel) {
			m.Tags = types.ListValueMust(types.StringType, []attr.Value{types.StringValue("b"), types.StringValue("a")})
		}),
		"first token": minimal(func(m *logModel) { m.TimeToFirstToken = duration("250ms") }),
		"duration":    minimal(func(m *logModel) { m.Duration = duration("1m30s") }),
		"both":        minimal(func(m *logModel) { m.Duration, m.TimeToFirstToken = duration("1s"), duration("250ms") }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, diags := m.toRun(applied)
			if diags.HasError() {
				t.Fatal(diags)
			}
			got, diags := newLogModel(logModel{ProjectID: m.ProjectID}, answered(t, run))
			if diff := cmp.Diff(m, got); diff != "" || diags.HasError() {
				t.Errorf("the configuration (-want +got):\n%s%v", diff, diags)
			}
		})
	}
}

// answered is a run as the service answers what is logged.
func answered(t *testing.T, run finishedRun) api.Run {
	t.Helper()
	metadata, err := json.Marshal(run.metadata)
	if err != nil {
		t.Fatal(err)
	}
	end := timestamp.Format(run.endTime)
	answer := api.Run{
		ID: "r1", Name: run.name, RunType: "LLM", StartTime: timestamp.Format(run.startTime), EndTime: &end,
		Inputs: run.inputs, Outputs: run.outputs, Metadata: metadata, Tags: run.tags,
	}
	if run.failure != "" {
		answer.Error = &run.failure
	}
	if !run.firstTokenTime.IsZero() {
		first := timestamp.Format(run.firstTokenTime)
		answer.FirstTokenTime = &first
	}
	return answer
}

// TestNewMetadata writes what isn't a text as JSON, and takes no metadata for none.
func TestNewMetadata(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]map[string]attr.Value{
		"":     nil,
		"null": nil,
		"[]":   nil,
		"{}":   nil,
		`{"a":1.50,"b":{"c":[true]},"d":null,"e":"x\ny","ls_provider":"example"}`: {
			"a": types.StringValue("1.50"), "b": types.StringValue(`{"c":[true]}`), "d": types.StringValue("null"), "e": types.StringValue("x\ny"),
		},
	} {
		t.Run(metadata, func(t *testing.T) {
			t.Parallel()
			got, name, provider := newMetadata(json.RawMessage(metadata))
			if diff := cmp.Diff(want, got.Elements(), cmpopts.EquateEmpty()); diff != "" || got.IsNull() != (want == nil) {
				t.Errorf("metadata %s (-want +got):\n%s", got, diff)
			}
			if !name.IsNull() || provider.IsNull() != (want == nil) {
				t.Errorf("model %s of %s", name, provider)
			}
		})
	}
}

// TestIsProcessed waits for the figures that the run states, and for no others.
func TestIsProcessed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		outputs string
		run     api.Run
		want    bool
	}{
		"pending":              {`{"role":"assistant","content":"x"}`, api.Run{Status: "PENDING"}, false},
		"no usage to find":     {`{"role":"assistant","content":"x"}`, api.Run{Status: "SUCCESS"}, true},
		"no outputs":           {"", api.Run{Status: "ERROR"}, true},
		"usage of none":        {`{"usage_metadata":{"input_tokens":0,"output_tokens":0}}`, api.Run{Status: "SUCCESS"}, true},
		"usage not found yet":  {`{"usage_metadata":{"input_tokens":1,"output_tokens":2}}`, api.Run{Status: "SUCCESS"}, false},
		"usage still 0":        {`{"usage_metadata":{"input_tokens":1,"output_tokens":2}}`, api.Run{Status: "SUCCESS", TotalTokens: new(int64(0))}, false},
		"usage found":          {`{"usage_metadata":{"input_tokens":1,"output_tokens":2}}`, api.Run{Status: "SUCCESS", TotalTokens: new(int64(3))}, true},
		"usage of a provider":  {`{"usage":{"prompt_tokens":1,"completion_tokens":2}}`, api.Run{Status: "SUCCESS"}, false},
		"usage, but no status": {`{"usage_metadata":{"input_tokens":1}}`, api.Run{Status: "PENDING", TotalTokens: new(int64(1))}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := finishedRun{}
			if test.outputs != "" {
				run.outputs = json.RawMessage(test.outputs)
			}
			if got := isProcessed(test.run, statesTokens(run)); got != test.want {
				t.Errorf("processed: %v", got)
			}
		})
	}
}

// TestValidateQuotesNothing: what users and models have written is sensitive, and stays out of messages.
func TestValidateQuotesNothing(t *testing.T) {
	t.Parallel()
	const canary = "canary-of-the-content"
	for _, content := range []string{
		`{"question": "` + canary + `"}`, `"` + canary + `"`, `["` + canary + `"]`, `{"messages": ["` + canary + `"]}`,
		`{"messages": [{"role": "` + canary + `", "content": "?"}]}`, `{"messages": [{"role": "user", "content": {"a": "` + canary + `"}}]}`,
		`{"messages": [{"role": "tool", "tool_call_id": "` + canary + `", "content": "?"}]}`,
		`{"messages": [{"role": "assistant", "content": [{"type": "text", "text": {"a": "` + canary + `"}}]}]}`,
		`{"messages": [{"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "` + canary + `"}}]}]}`,
		`{"role": "assistant", "content": "?", "usage_metadata": {"input_tokens": "` + canary + `"}}`,
	} {
		m := minimal(func(m *logModel) {
			m.InputsJSON, m.OutputsJSON = jsontypes.NewNormalizedValue(content), jsontypes.NewNormalizedValue(content)
		})
		diags := m.validate()
		if len(diags) == 0 {
			t.Errorf("%s is valid", content)
		}
		for _, d := range diags {
			if strings.Contains(d.Detail(), canary) || !strings.Contains(d.Detail(), "; ") {
				t.Errorf("%s: want a remedy and no content, got %s", content, d.Detail())
			}
		}
	}
	for _, content := range []string{
		`["` + canary + `"]`, `[{"time": "1s", "chunk": "` + canary + `"}]`, `{"chunk": "` + canary + `"}`,
		`[{"time": "1s", "chunk": {"choices": "` + canary + `"}}]`, `[{"time": "1s", "chunk": {"type": "` + canary + `"}}]`,
		`[{"time": "1s", "chunk": {"choices": [{"delta": {"role": "` + canary + `", "content": 5}}]}}]`,
	} {
		m := minimal(func(m *logModel) { m.streamed(""); m.StreamJSON = jsontypes.NewNormalizedValue(content) })
		for _, d := range m.validate() {
			if strings.Contains(d.Detail(), canary) {
				t.Errorf("%s is quoted: %s", content, d.Detail())
			}
		}
	}
}

// TestValidate names the attribute and the place of each problem, and keeps silent about what isn't known.
func TestValidate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*logModel)
		want   []string
	}{
		"good": {nil, nil},
		"unknown": {func(m *logModel) {
			m.InputsJSON, m.Duration = jsontypes.NewNormalizedUnknown(), timetypes.NewGoDurationUnknown()
		}, nil},
		"first token of an unknown duration": {func(m *logModel) {
			m.Duration, m.TimeToFirstToken = timetypes.NewGoDurationUnknown(), duration("1h")
		}, nil},
		"no JSON, which the type says": {func(m *logModel) { m.InputsJSON = jsontypes.NewNormalizedValue("{") }, nil},
		"first token after the end":    {func(m *logModel) { m.Duration, m.TimeToFirstToken = duration("1s"), duration("2s") }, []string{"time_to_first_token: The first token arrives after 2s"}},
		"stream":                       {func(m *logModel) { m.streamed("1s") }, nil},
		"stream that isn't known": {func(m *logModel) {
			m.streamed("")
			m.StreamJSON = jsontypes.NewNormalizedUnknown()
		}, nil},
		"stream of an unknown start": {func(m *logModel) {
			m.streamed("")
			m.StartTime, m.StreamJSON = types.StringUnknown(), jsontypes.NewNormalizedValue(`[{"time":5,"chunk":{}}]`)
		}, nil},
		"stream after the end": {func(m *logModel) { m.streamed("900ms") }, []string{"duration: The last chunk of the stream arrives after 1s"}},
		"no stream":            {func(m *logModel) { m.streamed(""); m.StreamJSON = jsontypes.NewNormalizedValue(`[]`) }, []string{"stream_json: The value is not a recorded stream: "}},
		"stream and what follows from it": {func(m *logModel) {
			outputs := m.OutputsJSON
			m.streamed("")
			m.OutputsJSON, m.TimeToFirstToken = outputs, duration("1s")
		}, []string{"outputs_json: outputs_json is derived from stream_json", "time_to_first_token: time_to_first_token is derived from stream_json"}},
		"first token at the end": {func(m *logModel) { m.Duration, m.TimeToFirstToken = duration("1s"), duration("1000ms") }, nil},
		"cut off before it began": {func(m *logModel) {
			m.OutputsJSON = jsontypes.NewNormalizedValue(`{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"length"}]}`)
		}, nil},
		"a call without arguments": {func(m *logModel) {
			m.OutputsJSON = jsontypes.NewNormalizedValue(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := minimal(test.change).validate()
			if len(got) != len(test.want) {
				t.Fatalf("%v, want %q", got, test.want)
			}
			for i, d := range got {
				located, ok := d.(diag.DiagnosticWithPath)
				if !ok || !strings.HasPrefix(located.Path().String()+": "+d.Detail(), test.want[i]) {
					t.Errorf("%v, want %q", d, test.want[i])
				}
			}
		})
	}
}

// TestValidateContent warns of what the service may not understand, and refuses it only in a strict configuration. The content
// of a run is sensitive, so nothing of it is told.
func TestValidateContent(t *testing.T) {
	t.Parallel()
	const unknown = `{"question":"correct horse battery staple"}`
	many := `{"messages":[` + strings.TrimSuffix(strings.Repeat(`{"content":"correct horse"},`, 8), ",") + `]}`
	for name, test := range map[string]struct {
		inputs, outputs string
		want            []string
	}{
		"inputs":     {unknown, `{"role":"assistant","content":"Hello"}`, []string{"inputs_json: the inputs have no known format"}},
		"both sides": {unknown, `{"answer":"correct"}`, []string{"inputs_json: the inputs have", "outputs_json: the outputs have"}},
		"a role":     {`{"messages":[{"content":"?"}]}`, `{"role":"assistant","content":"Hello"}`, []string{"inputs_json: /messages/0/role"}},
		"many":       {many, `{"role":"assistant","content":"Hello"}`, []string{"inputs_json: /messages/0/role"}},
	} {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprint(name, strict), func(t *testing.T) {
				t.Parallel()
				got := minimal(func(m *logModel) {
					m.InputsJSON, m.OutputsJSON = jsontypes.NewNormalizedValue(test.inputs), jsontypes.NewNormalizedValue(test.outputs)
					m.Strict = types.BoolValue(strict)
				}).validate()
				if len(got) != len(test.want) || got.HasError() != strict {
					t.Fatalf("%v, want %q", got, test.want)
				}
				for i, d := range got {
					located, _ := d.(diag.DiagnosticWithPath)
					detail := strings.TrimPrefix(d.Detail(), "The service stores the run, but may not show its messages or count its tokens as expected.\n\n")
					if text := located.Path().String() + ": " + strings.TrimPrefix(detail, "(document): "); !strings.HasPrefix(text, test.want[i]) {
						t.Errorf("%q, want %q", text, test.want[i])
					}
					if strings.Contains(d.Detail(), "correct") && !strings.Contains(d.Detail(), "correct those") {
						t.Errorf("content in %q", d.Detail())
					}
					if strings.Contains(d.Detail(), "And 3 more;") != (name == "many") {
						t.Errorf("%q", d.Detail())
					}
				}
			})
		}
	}
}
