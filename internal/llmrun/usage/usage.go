package usage

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Counts are numbers of tokens by kind, such as cache_read. Unknown kinds are kept.
type Counts map[string]Decimal

// MarshalJSON writes numbers.
func (c Counts) MarshalJSON() ([]byte, error) { return encodeNumbers(c), nil }

// Costs are US dollars by kind of token. They are encoded as strings.
type Costs map[string]Decimal

// Usage is usage_metadata: the tokens and costs of model calls. Details are parts of the totals, but need not add up to
// them. Fields that are nil were absent.
type Usage struct {
	InputTokens        *int64
	OutputTokens       *int64
	TotalTokens        *int64
	InputTokenDetails  Counts
	OutputTokenDetails Counts

	InputCost         *Decimal
	OutputCost        *Decimal
	TotalCost         *Decimal
	InputCostDetails  Costs
	OutputCostDetails Costs
}

// IsZero says whether it is empty.
func (u Usage) IsZero() bool {
	return u.InputTokens == nil && u.OutputTokens == nil && u.TotalTokens == nil && u.InputTokenDetails == nil &&
		u.OutputTokenDetails == nil && u.InputCost == nil && u.OutputCost == nil && u.TotalCost == nil &&
		u.InputCostDetails == nil && u.OutputCostDetails == nil
}

// Tokens returns the counts that the service stores: 0 for absent ones, and the sum as the default total.
func (u Usage) Tokens() (input, output, total int64) {
	input, output = orZero(u.InputTokens), orZero(u.OutputTokens)
	if u.TotalTokens != nil {
		return input, output, *u.TotalTokens
	}
	return input, output, addTokens(input, output)
}

// MarshalJSON encodes usage_metadata, with costs as numbers with all their digits.
func (u Usage) MarshalJSON() ([]byte, error) {
	var o rawjson.Object
	count := func(key string, n *int64) {
		if n != nil {
			o = o.With(key, json.RawMessage(DecimalOf(*n).String()))
		}
	}
	cost := func(key string, c *Decimal) {
		if c != nil {
			o = o.With(key, json.RawMessage(c.String()))
		}
	}
	details := func(key string, d map[string]Decimal) {
		if d != nil {
			o = o.With(key, encodeNumbers(d))
		}
	}
	count("input_tokens", u.InputTokens)
	count("output_tokens", u.OutputTokens)
	count("total_tokens", u.TotalTokens)
	details("input_token_details", u.InputTokenDetails)
	details("output_token_details", u.OutputTokenDetails)
	cost("input_cost", u.InputCost)
	cost("output_cost", u.OutputCost)
	cost("total_cost", u.TotalCost)
	details("input_cost_details", u.InputCostDetails)
	details("output_cost_details", u.OutputCostDetails)
	return o.Encode(), nil
}

// UnmarshalJSON reads usage_metadata. It is as tolerant as Read.
func (u *Usage) UnmarshalJSON(data []byte) error {
	if rawjson.IsNull(data) {
		return nil
	}
	if !rawjson.IsObject(data) {
		return notUsage(data)
	}
	*u, _ = Read(data)
	return nil
}

func encodeNumbers(d map[string]Decimal) json.RawMessage {
	o := make(rawjson.Object, 0, len(d))
	for _, key := range slices.Sorted(maps.Keys(d)) {
		o = o.With(key, json.RawMessage(d[key].String()))
	}
	return o.Encode()
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
