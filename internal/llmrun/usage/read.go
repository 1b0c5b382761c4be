package usage

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

func notUsage(raw json.RawMessage) error {
	return fmt.Errorf(`usage_metadata is %s, not an object: write it as {"input_tokens": …, "output_tokens": …}`, rawjson.Show(raw))
}

// Read reads a usage_metadata object, which must be valid JSON. It accepts quoted numbers, and omits negative and invalid
// ones, which the problems report.
func Read(raw json.RawMessage) (Usage, []document.Problem) {
	o, _ := rawjson.ReadObject(raw)
	return Usage{
		InputTokens:        readTokens(o.Get("input_tokens")),
		OutputTokens:       readTokens(o.Get("output_tokens")),
		TotalTokens:        readTokens(o.Get("total_tokens")),
		InputTokenDetails:  readDetails(o.Get("input_token_details")),
		OutputTokenDetails: readDetails(o.Get("output_token_details")),
		InputCost:          readAmount(o.Get("input_cost")),
		OutputCost:         readAmount(o.Get("output_cost")),
		TotalCost:          readAmount(o.Get("total_cost")),
		InputCostDetails:   readDetails(o.Get("input_cost_details")),
		OutputCostDetails:  readDetails(o.Get("output_cost_details")),
	}, message.ValidateUsage(raw)
}

// readAmount reads a number that is not negative.
func readAmount(raw json.RawMessage) *Decimal {
	d, ok, err := readDecimal(raw)
	if !ok || err != nil || d.Sign() < 0 {
		return nil
	}
	return &d
}

// readTokens reads a count, which clients with only floats may write as 12.0.
func readTokens(raw json.RawMessage) *int64 {
	d := readAmount(raw)
	if d == nil {
		return nil
	}
	n, ok := d.Int64()
	if !ok {
		return nil
	}
	return &n
}

// readDetails reads the numbers of an object, nil if it isn't one.
func readDetails(raw json.RawMessage) map[string]Decimal {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return nil
	}
	details := make(map[string]Decimal, len(o))
	for _, m := range o {
		if n := readAmount(m.Value); n != nil {
			details[m.Key] = *n
		}
	}
	return details
}

// addTokens adds counts; an overflow is capped at the maximum rather than turning negative.
func addTokens(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
