package check

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// usageChecks are all keys of usage_metadata, and what they must be. The service's clients refuse any other.
var usageChecks = map[string]func(v *Checker, raw json.RawMessage, at string){
	"input_tokens": (*Checker).tokens, "output_tokens": (*Checker).tokens, "total_tokens": (*Checker).tokens,
	"input_cost": (*Checker).number, "output_cost": (*Checker).number, "total_cost": (*Checker).number,
	"input_token_details": (*Checker).details, "output_token_details": (*Checker).details,
	"input_cost_details": (*Checker).details, "output_cost_details": (*Checker).details,
}

// Usage validates usage_metadata; null means that the provider of the call sent none.
func (v *Checker) Usage(raw json.RawMessage, at string) {
	if rawjson.IsNullOrAbsent(raw) {
		return
	}
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		v.Add(at, document.RuleUsageMetadataObject, "usage_metadata is "+rawjson.ShowWord(raw)+", not an object", `write it as {"input_tokens": …, "output_tokens": …}`)
		return
	}
	for _, m := range o {
		if rawjson.IsNull(m.Value) {
			continue // Some clients write all members, with null for unknown ones.
		}
		check, ok := usageChecks[m.Key]
		if !ok {
			v.Add(at+rawjson.Pointer(m.Key), document.RuleUsageMetadataKey, "usage_metadata has no key "+rawjson.Name(m.Key),
				"use input_tokens, output_tokens, total_tokens, input_cost, output_cost, total_cost or the _details of tokens and costs")
			continue
		}
		check(v, m.Value, at+rawjson.Pointer(m.Key))
	}
}

// readNumber reads a number that is neither quoted nor negative.
func readNumber(raw json.RawMessage) (n decimal.Decimal, ok bool) {
	ok = !rawjson.IsString(raw) && n.UnmarshalJSON(raw) == nil && n.Sign() >= 0
	return n, ok
}

// tokens validates a count: a whole number that isn't negative, in any notation.
func (v *Checker) tokens(raw json.RawMessage, at string) {
	n, ok := readNumber(raw)
	if _, isWhole := n.Int64(); !ok || !isWhole {
		v.Add(at, document.RuleUsageMetadataValue, "the count is "+rawjson.ShowWord(raw)+", not a whole number", "write it as an integer, 0 or more")
	}
}

// number validates a cost, or the detail of a cost or a count: any number that isn't negative.
func (v *Checker) number(raw json.RawMessage, at string) {
	if _, ok := readNumber(raw); !ok {
		v.Add(at, document.RuleUsageMetadataValue, "the value is "+rawjson.ShowWord(raw)+", not a number of 0 or more", "write it as a number without quotes")
	}
}

func (v *Checker) details(raw json.RawMessage, at string) {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		v.Add(at, document.RuleUsageMetadataValue, "the details are "+rawjson.ShowWord(raw)+", not an object", "write them as an object of numbers")
		return
	}
	for _, m := range o {
		if rawjson.IsNull(m.Value) {
			continue
		}
		v.number(m.Value, at+rawjson.Pointer(m.Key))
	}
}
