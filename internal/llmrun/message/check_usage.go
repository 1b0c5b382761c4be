package message

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// usageChecks are all keys of usage_metadata. The service's clients refuse any other.
var usageChecks = map[string]func(v *validator, raw json.RawMessage, at string){
	"input_tokens":         (*validator).tokens,
	"output_tokens":        (*validator).tokens,
	"total_tokens":         (*validator).tokens,
	"input_token_details":  (*validator).details,
	"output_token_details": (*validator).details,
	"input_cost":           (*validator).number,
	"output_cost":          (*validator).number,
	"total_cost":           (*validator).number,
	"input_cost_details":   (*validator).details,
	"output_cost_details":  (*validator).details,
}

// usage validates usage_metadata; null means that the provider of the call sent none.
func (v *validator) usage(raw json.RawMessage, at string) {
	if rawjson.IsNull(raw) {
		return
	}
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		v.add(at, ruleUsageMetadataObject, "usage_metadata is "+rawjson.ShowWord(raw)+", not an object", `write it as {"input_tokens": …, "output_tokens": …}`)
		return
	}
	for _, m := range o {
		if rawjson.IsNull(m.Value) {
			continue // Some clients write all members, with null for unknown ones.
		}
		check, ok := usageChecks[m.Key]
		if !ok {
			v.add(at+rawjson.Pointer(m.Key), ruleUsageMetadataKey, "usage_metadata has no key "+rawjson.Name(m.Key),
				"use input_tokens, output_tokens, total_tokens, input_cost, output_cost, total_cost or the _details of tokens and costs")
			continue
		}
		check(v, m.Value, at+rawjson.Pointer(m.Key))
	}
}

// tokens validates a count: a whole number that isn't negative, in any notation.
func (v *validator) tokens(raw json.RawMessage, at string) {
	n, ok, err := rawjson.ReadNumber(raw)
	if !ok || err != nil || rawjson.IsString(raw) || n.Sign() < 0 || !n.IsInt() || !n.Num().IsInt64() {
		v.add(at, ruleUsageMetadataValue, "the count is "+rawjson.ShowWord(raw)+", not a whole number", "write it as an integer, 0 or more")
	}
}

// number validates a cost, or the detail of a cost or a count: any number that isn't negative.
func (v *validator) number(raw json.RawMessage, at string) {
	n, ok, err := rawjson.ReadNumber(raw)
	if !ok || err != nil || rawjson.IsString(raw) || n.Sign() < 0 {
		v.add(at, ruleUsageMetadataValue, "the value is "+rawjson.ShowWord(raw)+", not a number of 0 or more", "write it as a number without quotes")
	}
}

// details validates a map of numbers.
func (v *validator) details(raw json.RawMessage, at string) {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		v.add(at, ruleUsageMetadataValue, "the details are "+rawjson.ShowWord(raw)+", not an object", "write them as an object of numbers")
		return
	}
	for _, m := range o {
		if rawjson.IsNull(m.Value) {
			continue
		}
		v.number(m.Value, at+rawjson.Pointer(m.Key))
	}
}
