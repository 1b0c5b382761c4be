package otlp_test

import (
	"encoding/json"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmruntest"
)

// TestReportedSpans converts reported spans.
func TestReportedSpans(t *testing.T) {
	t.Parallel()
	llmruntest.Check(t, []string{"otlp"}, nil, func(t *testing.T, c llmruntest.Case) string {
		var s struct {
			Scope      string
			Attributes object
			Events     []struct {
				Name       string
				Attributes object
			}
		}
		devservertest.Must(t, json.Unmarshal([]byte(c.Input), &s))
		var events []any
		for _, e := range s.Events {
			events = append(events, event(e.Name, 0, e.Attributes))
		}
		request, err := json.Marshal(object{"resourceSpans": []any{object{"scopeSpans": []any{object{
			"scope": object{"name": s.Scope}, "spans": []any{span(s.Attributes, object{"events": events})},
		}}}}})
		devservertest.Must(t, err)
		decoded, err := otlp.JSON.Decode(request)
		devservertest.Must(t, err)
		runs, rejected := otlp.Runs(decoded, "")
		if len(runs) != 1 || rejected != nil {
			t.Fatalf("%d runs, rejected %v; want 1 and none", len(runs), rejected)
		}
		run, _ := llmrun.DecodeRunMembers(runs[0].Fields)
		return outlineRun(t, run)
	})
}

// outlineRun writes a run as the table has it.
func outlineRun(t *testing.T, run *llmrun.Run) string {
	t.Helper()
	values := object{"type": run.RunType}
	for side, doc := range map[document.Side]json.RawMessage{document.Inputs: run.Inputs, document.Outputs: run.Outputs} {
		if doc == nil {
			continue
		}
		d, err := message.Normalize(doc, side)
		devservertest.Must(t, err)
		if len(d.Messages) > 0 {
			values[side.String()] = llmruntest.Outline(d.Messages)
		}
	}
	u := run.Usage().Usage
	input, output, _ := u.Tokens()
	values["tokens"] = []int64{input, output}
	for _, detail := range []string{"cache_read", "cache_creation", "reasoning"} {
		if n := u.Input.Details[detail].Add(u.Output.Details[detail]); n.Sign() > 0 {
			values[detail] = n.Number()
		}
	}
	text, err := json.Marshal(values)
	devservertest.Must(t, err)
	return string(text)
}
