package llmrun

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmruntest"
)

// TestReportedMessages reads reported inputs, outputs and streams.
func TestReportedMessages(t *testing.T) {
	t.Parallel()
	llmruntest.Check(t, []string{"in", "out", "red:auto"}, nil, func(t *testing.T, c llmruntest.Case) string {
		doc, side := []byte(c.Input), document.Outputs
		switch c.Op {
		case "in":
			side = document.Inputs
		case "red:auto":
			doc = reduced(t, c.Input)
		}
		d, err := message.Normalize(doc, side)
		assert.Must(t, err)
		return string(d.Format) + " " + llmruntest.Outline(d.Messages)
	})
}

// reduced combines chunks in the format that they have.
func reduced(t *testing.T, text string) json.RawMessage {
	t.Helper()
	var chunks []json.RawMessage
	assert.Must(t, json.Unmarshal([]byte(text), &chunks))
	whole, err := message.Reduce(message.StreamFormat(chunks), chunks)
	assert.Must(t, err)
	return whole
}

// TestReportedUsage reads the usage of reported runs and streams.
func TestReportedUsage(t *testing.T) {
	t.Parallel()
	llmruntest.Check(t, []string{"use", "reduse"}, nil, func(t *testing.T, c llmruntest.Case) string {
		run := c.Input
		if c.Op == "reduse" {
			run = `{"run_type":"llm","outputs":` + string(reduced(t, c.Input)) + `}`
		}
		return usageMetadata(t, decodeRun(t, run).Usage().Usage)
	})
}

// usageMetadata writes a usage as usage_metadata.
func usageMetadata(t *testing.T, u usage.Usage) string {
	t.Helper()
	values := map[string]any{}
	add := func(key string, value *decimal.Decimal) {
		if value != nil {
			values[key] = value.Number()
		}
	}
	tokens := func(key string, n *int64) {
		if n != nil {
			values[key] = *n
		}
	}
	for name, side := range map[string]usage.Side{"input": u.Input, "output": u.Output} {
		tokens(name+"_tokens", side.Tokens)
		add(name+"_cost", side.Cost)
		for key, details := range map[string]map[string]decimal.Decimal{"_token_details": side.Details, "_cost_details": side.CostDetails} {
			if len(details) > 0 {
				values[name+key] = usage.Counts(maps.Clone(details))
			}
		}
	}
	tokens("total_tokens", u.TotalTokens)
	add("total_cost", u.TotalCost)
	text, err := json.Marshal(values)
	assert.Must(t, err)
	return string(text)
}

// TestReportedCosts prices reported runs with the list prices.
func TestReportedCosts(t *testing.T) {
	t.Parallel()
	prices := listPrices(t)
	llmruntest.Check(t, []string{"cost"}, nil, func(t *testing.T, c llmruntest.Case) string {
		run := decodeRun(t, c.Input)
		reading := run.Usage()
		input, _, _ := reading.Usage.Tokens()
		cost := usage.EstimateCost(reading.Usage, prices.Find(run.Model(), *run.StartTime, input))
		switch {
		case cost.TotalCost == nil:
			return "none"
		case cost.Incomplete != nil:
			return "incomplete"
		default:
			return cost.TotalCost.String()
		}
	})
}
