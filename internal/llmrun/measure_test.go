package llmrun

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// exact parses a number.
func exact(t testing.TB, s string) decimal.Decimal {
	t.Helper()
	d, err := decimal.Parse(s)
	assert.Must(t, err)
	return d
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	prices, err := usage.NewPriceMap([]usage.Price{{ID: "p1", MatchPattern: "^m$", PromptCost: exact(t, "5e-6"), CompletionCost: exact(t, "3e-5"), Provider: "p"}})
	assert.Must(t, err)
	r := decodeRun(t, `{"run_type":"llm","start_time":10,"extra":{"metadata":{"ls_model_name":"m","ls_provider":"p"}},
		"outputs":{"usage_metadata":{"input_tokens":1,"output_tokens":1,"foo":1}},"events":[{"name":"new_token","time":12}]}`)
	m := r.Measure(prices)
	if m.Model.Name != "m" || m.UsageSource != "/outputs/usage_metadata" || m.Cost.Price == nil || m.Cost.Price.ID != "p1" {
		t.Errorf("measured %+v, want model m, its usage and the price p1", m)
	}
	assert.Same(t, "cost", "0.000035", m.Cost.TotalCost.String())
	if m.FirstTokenTime == nil || timestamp.Format(*m.FirstTokenTime) != "1970-01-01T00:00:12.000000Z" {
		t.Errorf("first token = %v, want 12 s after the epoch", m.FirstTokenTime)
	}
	assert.Same(t, "problems", []string{"/outputs/usage_metadata/foo usage_metadata_key"}, brief(t, m.Problems))
	if bare := r.Measure(nil); bare.Cost.TotalCost != nil || *bare.Usage.Input.Tokens != 1 {
		t.Errorf("measured without prices: %+v, want 1 input token and no cost", bare)
	}
}
