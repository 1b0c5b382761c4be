package llmrun

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// statedUsages are the blocks in which providers and libraries report the usage of a call, with placeholders for counts.
var statedUsages = []string{
	`{"usage":{"prompt_tokens":#,"completion_tokens":#,"total_tokens":#,"prompt_tokens_details":{"cached_tokens":#,"audio_tokens":#,"cache_write_tokens":#},"completion_tokens_details":{"reasoning_tokens":#,"audio_tokens":#}}}`,
	`{"service_tier":"flex","usage":{"prompt_tokens":#,"completion_tokens":#,"prompt_tokens_details":{"cached_tokens":#},"completion_tokens_details":{"reasoning_tokens":#}}}`,
	`{"usage":{"prompt_tokens":#,"completion_tokens":#,"cache_creation_input_tokens":#,"cache_read_input_tokens":#,"prompt_tokens_details":{"cached_tokens":#}}}`,
	`{"type":"message","usage":{"input_tokens":#,"output_tokens":#,"cache_creation_input_tokens":#,"cache_read_input_tokens":#,"cache_creation":{"ephemeral_5m_input_tokens":#,"ephemeral_1h_input_tokens":#}}}`,
	`{"object":"response","service_tier":"priority","usage":{"input_tokens":#,"output_tokens":#,"total_tokens":#,"input_tokens_details":{"cached_tokens":#},"output_tokens_details":{"reasoning_tokens":#}}}`,
	`{"usageMetadata":{"promptTokenCount":#,"candidatesTokenCount":#,"totalTokenCount":#,"cachedContentTokenCount":#,"thoughtsTokenCount":#,"toolUsePromptTokenCount":#}}`,
	`{"usage_metadata":{"prompt_token_count":#,"response_token_count":#,"total_token_count":#,"cached_content_token_count":#,"thoughts_token_count":#}}`,
	`{"usage":{"inputTokens":#,"outputTokens":#,"totalTokens":#,"cacheReadInputTokens":#,"cacheWriteInputTokens":#}}`,
	`{"usage":{"inputTokens":#,"outputTokens":#,"totalTokens":#,"cachedInputTokens":#,"reasoningTokens":#}}`,
	`{"usage":{"inputTokens":{"total":#,"cacheRead":#,"cacheWrite":#},"outputTokens":{"total":#,"reasoning":#}}}`,
	`{"usage":{"inputTokens":#,"outputTokens":#},"providerMetadata":{"anthropic":{"usage":{"cache_creation_input_tokens":#,"cache_read_input_tokens":#}}}}`,
	`{"meta":{"tokens":{"input_tokens":#,"output_tokens":#},"billed_units":{"input_tokens":#}}}`,
	`{"done":true,"prompt_eval_count":#,"eval_count":#}`,
	`{"usage":{"prompt_tokens":#,"completion_tokens":#,"total_tokens":#,"citation_tokens":#,"reasoning_tokens":#,"connector_tokens":#,"prompt_audio_seconds":#}}`,
	`{"type":"message","usage":{"input_tokens":#,"output_tokens":#,"service_tier":"batch","cache_creation":{"ephemeral_5m_input_tokens":#},"iterations":[{"type":"compaction","input_tokens":#}]}}`,
	`{"usage":{"input_tokens":#,"output_tokens":#,"total_tokens":#,"input_token_details":{"cached_tokens":#,"text_tokens":#,"audio_tokens":#,"cached_tokens_details":{"text_tokens":#,"audio_tokens":#}}}}`,
	`{"usageMetadata":{"promptTokenCount":#,"toolUsePromptTokenCount":#,"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":#}],"promptTokensDetails":[{"modality":"AUDIO","tokenCount":#},{"modality":"TEXT","tokenCount":#}],"toolUsePromptTokensDetails":[{"modality":"IMAGE","tokenCount":#}]}}`,
	`{"modelUsage":{"a":{"inputTokens":#,"outputTokens":#,"cacheCreationInputTokens":#,"cacheCreationEphemeral1hInputTokens":#},"b":{"inputTokens":#,"thinkingTokens":#}}}`,
	`{"usage":{"inputTokens":#,"outputTokens":#,"raw":{"prompt_tokens":#,"completion_tokens":#,"prompt_tokens_details":{"audio_tokens":#}}}}`,
	`{"llmOutput":{"tokenUsage":{"promptTokens":#,"completionTokens":#,"totalTokens":#}}}`,
}

// counted replaces the placeholders of a block by counts: none, few, many, and impossibly many.
func counted(r *rand.Rand, block string) string {
	counts := []string{"0", "1", "null", fmt.Sprint(r.IntN(1000)), fmt.Sprint(r.IntN(1000)), fmt.Sprint(r.IntN(1_000_000)), "9223372036854775807"}
	for strings.Contains(block, "#") {
		block = strings.Replace(block, "#", counts[r.IntN(len(counts))], 1)
	}
	return block
}

// TestUsageProperties generates usages, consistent or not: details may never exceed their total, costs must add up
// and count each token once, and reading again must give the same result.
func TestUsageProperties(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 1))
	price := usage.Price{
		PromptCost: dec(t, "0.000002"), CompletionCost: dec(t, "0.00001"),
		PromptCostDetails:     usage.Costs{"cache_read": dec(t, "0.0000005"), "cache_creation": dec(t, "0.0000025"), "over_200k": dec(t, "0.000004")},
		CompletionCostDetails: usage.Costs{"reasoning": dec(t, "0.00002")},
	}
	stated := 0
	for range 200 {
		for _, block := range statedUsages {
			outputs := counted(r, block)
			run := `{"run_type":"llm","outputs":` + outputs + `}`
			u := decodeRun(t, run).Usage().Usage
			if !u.IsZero() {
				stated++
			}
			checkDetails(t, outputs, u.Input.Tokens, u.Input.Details)
			checkDetails(t, outputs, u.Output.Tokens, u.Output.Details)
			cost := usage.EstimateCost(u, &price)
			checkCost(t, outputs, cost)
			if again := decodeRun(t, run).Usage().Usage; text(t, again) != text(t, u) || text(t, usage.EstimateCost(again, &price)) != text(t, cost) {
				t.Errorf("%s was read as %s, and again as %s, or with other costs", outputs, text(t, u), text(t, again))
			}
		}
	}
	if stated < 2000 {
		t.Errorf("%d usages, want at least 2000", stated)
	}
}

func checkDetails(t *testing.T, outputs string, total *int64, details usage.Counts) {
	t.Helper()
	var sum decimal.Decimal
	for kind, n := range details {
		if n.Sign() <= 0 {
			t.Errorf("%s: %s of %s, want only positive details", outputs, n, kind)
		}
		sum = sum.Add(n)
	}
	switch {
	case total == nil && details != nil:
		t.Errorf("%s: details without a total", outputs)
	case total != nil && decimal.Of(*total).Sub(sum).Sign() < 0:
		t.Errorf("%s: details add up to %s, want at most the total, %d", outputs, sum, *total)
	}
}

func checkCost(t *testing.T, outputs string, c usage.Cost) {
	t.Helper()
	var total decimal.Decimal
	for _, side := range []struct {
		cost    *decimal.Decimal
		details usage.Costs
	}{{c.PromptCost, c.PromptCostDetails}, {c.CompletionCost, c.CompletionCostDetails}} {
		if side.cost == nil {
			continue
		}
		rest := *side.cost
		for _, part := range side.details {
			rest = rest.Sub(part)
		}
		if rest.Sign() < 0 {
			t.Errorf("%s: cost = %s, with larger details %v", outputs, side.cost, side.details)
		}
		total = total.Add(*side.cost)
	}
	if c.TotalCost != nil && !c.TotalCost.Equal(total) {
		t.Errorf("%s: input and output costs add up to %s, but the total is %s", outputs, total, c.TotalCost)
	}
}

func dec(t *testing.T, text string) decimal.Decimal {
	t.Helper()
	var d decimal.Decimal
	assert.Must(t, json.Unmarshal([]byte(text), &d))
	return d
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	assert.Must(t, err)
	return string(out)
}
