package llmrun

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// exact parses a number.
func exact(t testing.TB, s string) decimal.Decimal {
	t.Helper()
	d, err := decimal.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	prices, err := usage.NewPriceMap([]usage.Price{{ID: "p1", MatchPattern: "^m$", PromptCost: exact(t, "5e-6"), CompletionCost: exact(t, "3e-5"), Provider: "p"}})
	if err != nil {
		t.Fatal(err)
	}
	r := decodeRun(t, `{"run_type":"llm","start_time":10,"extra":{"metadata":{"ls_model_name":"m","ls_provider":"p"}},
		"outputs":{"usage_metadata":{"input_tokens":1,"output_tokens":1,"foo":1}},"events":[{"name":"new_token","time":12}]}`)
	m := r.Measure(prices)
	if m.Model.Name != "m" || m.UsageSource != "/outputs/usage_metadata" || m.Cost.Price == nil || m.Cost.Price.ID != "p1" {
		t.Errorf("measured %+v, want model m, its usage and the price p1", m)
	}
	if got := m.Cost.TotalCost.String(); got != "0.000035" {
		t.Errorf("cost = %s, want 0.000035", got)
	}
	if m.FirstTokenTime == nil || timestamp.Format(*m.FirstTokenTime) != "1970-01-01T00:00:12.000000Z" {
		t.Errorf("first token = %v, want 12 s after the epoch", m.FirstTokenTime)
	}
	if diff := cmp.Diff([]string{"/outputs/usage_metadata/foo usage_metadata_key"}, brief(t, m.Problems)); diff != "" {
		t.Error(diff)
	}
	if bare := r.Measure(nil); bare.Cost.TotalCost != nil || *bare.Usage.Input.Tokens != 1 {
		t.Errorf("measured without prices: %+v, want 1 input token and no cost", bare)
	}
}

// TestCostCategories checks input, output and other costs of a trace.
func TestCostCategories(t *testing.T) {
	t.Parallel()
	var nodes []usage.Node
	for i, run := range []string{
		`{"run_type":"chain","start_time":1}`,
		`{"run_type":"llm","start_time":1,"outputs":{"usage_metadata":{"input_cost":0.1,"output_cost":0.2}},"events":[{"name":"new_token","time":3}]}`,
		`{"run_type":"llm","start_time":1,"outputs":{"usage_metadata":{"input_tokens":5}},"events":[{"name":"new_token","time":2}]}`,
		`{"run_type":"tool","start_time":1,"outputs":{"usage_metadata":{"total_cost":0.7}}}`,
	} {
		r := decodeRun(t, run)
		r.ID, r.TraceID = ids[i], ids[0]
		if i > 0 {
			r.ParentRunID = ids[0]
		}
		nodes = append(nodes, node(r, r.Measure(nil)))
	}
	runs, traces := usage.Rollup(nodes)
	got := traces[ids[0]]
	if diff := cmp.Diff(got, runs[ids[0]]); diff != "" {
		t.Errorf("totals (-trace +root):\n%s", diff)
	}
	want := usage.Totals{
		PromptTokens: 5, TotalTokens: 5, PromptCost: new(exact(t, "0.1")), CompletionCost: new(exact(t, "0.2")), OtherCost: new(exact(t, "0.7")),
		TotalCost: new(exact(t, "1")), FirstTokenTime: new(time.Unix(2, 0).UTC()),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// node returns a run with its own figures.
func node(r *Run, m Measurement) usage.Node {
	totals := usage.Totals{
		PromptTokenDetails: m.Usage.Input.Details, CompletionTokenDetails: m.Usage.Output.Details,
		PromptCost: m.Cost.PromptCost, CompletionCost: m.Cost.CompletionCost, TotalCost: m.Cost.TotalCost,
		PromptCostDetails: m.Cost.PromptCostDetails, CompletionCostDetails: m.Cost.CompletionCostDetails,
		FirstTokenTime: m.FirstTokenTime,
	}
	totals.PromptTokens, totals.CompletionTokens, totals.TotalTokens = m.Usage.Tokens()
	if totals.PromptCost == nil && totals.CompletionCost == nil {
		totals.OtherCost = totals.TotalCost
	}
	return usage.Node{ID: r.ID, ParentRunID: r.ParentRunID, TraceID: r.TraceID, Totals: totals}
}
