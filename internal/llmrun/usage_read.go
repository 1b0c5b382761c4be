package llmrun

import (
	"encoding/json"
	"fmt"
	"math"
)

func notUsage(raw json.RawMessage) error {
	return fmt.Errorf(`usage_metadata is %s, not an object: write it as {"input_tokens": …, "output_tokens": …}`, show(raw))
}

// ReadUsage reads a usage_metadata object, which has to be valid JSON. It takes numbers in quotes for numbers, and
// leaves out what is none, or negative; the problems tell.
func ReadUsage(raw json.RawMessage) (Usage, []Problem) {
	o, _ := readObject(raw)
	return Usage{
		InputTokens:        readTokens(o.get("input_tokens")),
		OutputTokens:       readTokens(o.get("output_tokens")),
		TotalTokens:        readTokens(o.get("total_tokens")),
		InputTokenDetails:  readDetails(o.get("input_token_details")),
		OutputTokenDetails: readDetails(o.get("output_token_details")),
		InputCost:          readAmount(o.get("input_cost")),
		OutputCost:         readAmount(o.get("output_cost")),
		TotalCost:          readAmount(o.get("total_cost")),
		InputCostDetails:   readDetails(o.get("input_cost_details")),
		OutputCostDetails:  readDetails(o.get("output_cost_details")),
	}, ValidateUsage(raw)
}

// readAmount reads a number that is not negative.
func readAmount(raw json.RawMessage) *Decimal {
	d, ok, err := readDecimal(raw)
	if !ok || err != nil || d.Sign() < 0 {
		return nil
	}
	return &d
}

// readTokens reads a count, which may be written like 12.0 by clients whose numbers are floats.
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

// readDetails reads the numbers of an object, nil when it is none.
func readDetails(raw json.RawMessage) map[string]Decimal {
	o, ok := readObject(raw)
	if !ok {
		return nil
	}
	details := make(map[string]Decimal, len(o))
	for _, m := range o {
		if n := readAmount(m.value); n != nil {
			details[m.key] = *n
		}
	}
	return details
}

// addTokens adds counts; a sum beyond what a count can be stays at the most, rather than turn negative.
func addTokens(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
