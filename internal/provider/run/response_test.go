package run

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// plain is a run of which the service has told its id alone; change adds to it.
func plain(change func(*model)) model {
	m := model{ID: types.StringValue("r1"), Tags: framework.TextList([]string{}), CostIncomplete: framework.TextList(nil), results: results{PromptTokens: types.Int64Value(0), CompletionTokens: types.Int64Value(0), TotalTokens: types.Int64Value(0)}}
	if change != nil {
		change(&m)
	}
	return m
}

// TestNewModel takes for null what the service doesn't tell, and nothing for a number that isn't exact.
func TestNewModel(t *testing.T) {
	t.Parallel()
	text := types.StringValue
	for name, test := range map[string]struct {
		answer string
		want   model
	}{
		"nothing": {`{"id":"r1"}`, plain(nil)},
		"words in capitals": {`{"id":"r1","run_type":"LLM","status":"PENDING"}`, plain(func(m *model) {
			m.RunType, m.Status = text("llm"), text("pending")
		})},
		"places": {`{"id":"r1","trace_id":"t1","parent_run_ids":["t1","r0"],"tags":["a","b"],"app_path":"/r/1"}`, plain(func(m *model) {
			m.TraceID, m.ParentRunID, m.AppPath = text("t1"), text("r0"), text("/r/1")
			m.Tags = framework.TextList([]string{"a", "b"})
		})},
		"costs": {`{"id":"r1","prompt_cost":3.5e-5,"completion_cost":0.000030,"total_cost":0,"total_tokens":30}`, plain(func(m *model) {
			m.PromptCost, m.CompletionCost, m.TotalCost, m.TotalTokens = text("0.000035"), text("0.00003"), text("0"), types.Int64Value(30)
		})},
		"first token": {`{"id":"r1","start_time":"2026-01-02T03:04:05.000000Z","first_token_time":"2026-01-02T03:04:05.250000Z"}`, plain(func(m *model) {
			m.StartTime, m.TimeToFirstTokenSeconds = text("2026-01-02T03:04:05.000000Z"), types.Float64Value(0.25)
		})},
		"first token before the start": {`{"id":"r1","start_time":"2026-01-02T03:04:05.000999Z","first_token_time":"2026-01-02T03:04:05.000000Z"}`, plain(func(m *model) {
			m.StartTime, m.TimeToFirstTokenSeconds = text("2026-01-02T03:04:05.000999Z"), types.Float64Value(0)
		})},
		"first token of no time": {`{"id":"r1","start_time":"yesterday","first_token_time":"2026-01-02T03:04:05.000000Z"}`, plain(func(m *model) {
			m.StartTime = text("yesterday")
		})},
		"model of the inputs": {`{"id":"r1","inputs":{"messages":[{"role":"user","content":"Hi"}],"model":"large"},"metadata":{"ls_provider":"example"}}`, plain(func(m *model) {
			m.ModelName, m.ModelProvider = text("large"), text("example")
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answer api.Run
			if err := json.Unmarshal([]byte(test.answer), &answer); err != nil {
				t.Fatal(err)
			}
			got, diags := newModel(answer)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(model{})); diff != "" || diags.HasError() {
				t.Errorf("model (-want +got):\n%s%v", diff, diags)
			}
		})
	}
}

// TestNewContent shows what a run took and returned as it is, and as messages where it is known how to read it.
func TestNewContent(t *testing.T) {
	t.Parallel()
	text := types.StringValue
	for name, test := range map[string]struct {
		answer string
		want   content
	}{
		"nothing":         {`{"id":"r1"}`, content{}},
		"no known format": {`{"inputs":{"question":"?"},"outputs":{"answer":"!"}}`, content{InputsJSON: text(`{"question":"?"}`), OutputsJSON: text(`{"answer":"!"}`)}},
		"messages": {`{"inputs":{"messages":[{"role":"user","content":"Hi"}],"model":"large"}}`, content{
			InputsJSON:        text(`{"messages":[{"role":"user","content":"Hi"}],"model":"large"}`),
			InputMessagesJSON: text(`{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"extras":{"model":"large"}}`),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answer api.Run
			if err := json.Unmarshal([]byte(test.answer), &answer); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, newContent(answer)); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNewModelCosts refuses what isn't a number rather than to leave it out: a cost that is missing looks like none.
func TestNewModelCosts(t *testing.T) {
	t.Parallel()
	cost := json.Number("much")
	for name, run := range map[string]api.Run{"prompt": {PromptCost: &cost}, "completion": {CompletionCost: &cost}, "total": {TotalCost: &cost}} {
		if _, diags := newModel(run); len(diags) != 1 || !strings.Contains(diags[0].Detail(), `"much"`) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

func TestParseImportID(t *testing.T) {
	t.Parallel()
	const workspace, project, run = "11111111-2222-4333-8444-555555555555", "0d5a1c3e-2b7f-4f0a-9b1e-6c8d2e4f6a80", "01a1fb6f-924d-7000-8000-00d1858fd5af"
	for text, want := range map[string]importID{
		project + "/" + run:                                               {"", project, run},
		workspace + "/" + project + "/" + run:                             {workspace, project, run},
		strings.ToUpper(project) + "/" + strings.ReplaceAll(run, "-", ""): {"", project, run},
		"": {}, run: {}, project + "/": {}, "/" + run: {}, "chat/" + run: {}, run + "/" + run + "/" + run + "/" + run: {},
	} {
		got, err := parseImportID(text)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(importID{})); diff != "" || (err == nil) != (want.id != "") {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
}

// TestSame tells another value from one that is written in another way.
func TestSame(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		same          func(ctx context.Context, before, after string) bool
		before, after string
		want          bool
	}{
		"order of JSON":    {isSameJSON, `{"a":1,"b":[2]}`, `{ "b": [2], "a": 1 }`, true},
		"value of JSON":    {isSameJSON, `{"a":1}`, `{"a":2}`, false},
		"order of a list":  {isSameJSON, `[1,2]`, `[2,1]`, false},
		"no JSON":          {isSameJSON, `{"a":1}`, `{"a":`, false},
		"unit":             {isSameDuration, "1s", "1000ms", true},
		"longer":           {isSameDuration, "1s", "1001ms", false},
		"no duration":      {isSameDuration, "1s", "1", false},
		"zone":             {isSameTime, "2026-01-01T10:00:00Z", "2026-01-01T11:00:00.000000+01:00", true},
		"later":            {isSameTime, "2026-01-01T10:00:00Z", "2026-01-01T10:00:00.000001Z", false},
		"below the stored": {isSameTime, "2026-01-01T10:00:00Z", "2026-01-01T10:00:00.0000001Z", true},
		"no time":          {isSameTime, "2026-01-01T10:00:00Z", "today", false},
	} {
		if got := test.same(t.Context(), test.before, test.after); got != test.want {
			t.Errorf("%s: %q and %q are the same: %v", name, test.before, test.after, got)
		}
	}
}
