package otlp

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// tokenCounts and costs are the figures of a call, by the member of usage_metadata that contains them: none, or one for details.
var tokenCounts, costs = figures("count"), figures("cost")

func figures(kind string) map[string][]row {
	all := map[string][]row{}
	for _, figure := range table(kind) {
		of, name, detail := strings.Cut(figure.name, ".")
		if !detail {
			of, name = "", figure.name
		}
		all[of] = append(all[of], row{name, figure.attributes})
	}
	return all
}

// cachesApart are the instrumentations that count cached tokens apart from the input tokens, as Anthropic does.
var cachesApart = []string{"@traceloop/instrumentation-anthropic"}

// usage reads the usage of a call, which an instrumentation has logged, as usage_metadata; nil if there is none.
func (a attributes) usage(scope string) json.RawMessage {
	totals, input, output := a.counts(""), a.counts("input_token_details"), a.counts("output_token_details")
	a.literal("gen_ai.usage.input_token_details", input)
	a.literal("gen_ai.usage.output_token_details", output)
	o := a.costs("")
	if cost := a.gatewayCost(); cost != nil && !o.Has("total_cost") {
		o = o.With("total_cost", json.RawMessage(cost.String()))
	}
	if len(totals) == 0 && len(input) == 0 && len(output) == 0 && len(o) == 0 {
		return nil
	}
	apart := a.providerInput(input) == totals["input_tokens"] || slices.Contains(cachesApart, scope)
	// Cached tokens are included in the input tokens. One provider counts them separately, and so do programs that log its
	// response.
	if cached := input["cache_read"] + input["cache_creation"]; cached > 0 && (apart || cached > totals["input_tokens"]) {
		totals["input_tokens"] += cached
		if total, given := totals["total_tokens"]; given && total < totals["input_tokens"]+totals["output_tokens"] {
			totals["total_tokens"] = totals["input_tokens"] + totals["output_tokens"]
		}
	}
	// One provider doesn't include reasoning in the output tokens, only in the total.
	if n := output["reasoning"]; n > 0 && totals["total_tokens"] == totals["input_tokens"]+totals["output_tokens"]+n {
		totals["output_tokens"] += n
	}
	members := counted(totals)
	for key, details := range map[string]rawjson.Object{
		"input_token_details": rawjson.Object(nil).WithAll(counted(input)), "output_token_details": rawjson.Object(nil).WithAll(counted(output)),
		"input_cost_details": a.costs("input_cost_details"), "output_cost_details": a.costs("output_cost_details"),
	} {
		if len(details) > 0 {
			members[key] = details.Encode()
		}
	}
	return o.WithAll(members).Encode()
}

// withOwnUsage adds the usage that an unknown convention has written, as a block of a provider: whole, or one count an attribute. What the
// reader of such blocks doesn't understand isn't added.
func (b *builder) withOwnUsage(outputs rawjson.Object) rawjson.Object {
	if b.counted = countsTokens(outputs); b.counted {
		return outputs
	}
	for n := range b.family.called(usageWords) {
		block := nestedPayload(payloadOf(b.attributes[n.key]))
		if with := outputs.With("usage", block); rawjson.IsObject(block) && countsTokens(with) {
			b.counted = true
			delete(b.attributes, n.key)
			return with
		}
	}
	for _, words := range []int{math.MaxInt, 2} { // The whole last part of a name, or only its last words.
		var counts rawjson.Object
		var taken []string
		for n := range b.family.unread() {
			if name := n.count(words); n.countsTokens(b.attributes) && !counts.Has(name) {
				count, _ := countOf(b.attributes[n.key])
				counts, taken = counts.With(name, strconv.AppendInt(nil, count, 10)), append(taken, n.key)
			}
		}
		with := outputs.With("usage", counts.Encode())
		if b.counted = countsTokens(with); b.counted {
			b.attributes.drop(taken...)
			return with
		}
	}
	return outputs
}

// count returns the name of a count in a block of a provider: the last words of the last part of the attribute's name.
func (n named) count(most int) string {
	words := strings.Fields(wordsOf(n.key[strings.LastIndexAny(n.key, ".:/")+1:]))
	if !strings.Contains(strings.Join(words, " "), "token") {
		words = append(words, "tokens")
	}
	return strings.Join(words[max(0, len(words)-most):], "_")
}

// countsTokens reports whether outputs have the usage of a call.
func countsTokens(outputs rawjson.Object) bool {
	_, _, total := usage.Places{Outputs: outputs.Encode()}.Find().Usage.Tokens()
	return total > 0
}

// costs reads the costs of one member of usage_metadata; those of the empty one are members themselves.
func (a attributes) costs(of string) rawjson.Object {
	var o rawjson.Object
	for _, cost := range costs[of] {
		if n, given := a.number(cost.attributes...); given && n >= 0 && !math.IsInf(n, 0) {
			o = o.With(cost.name, strconv.AppendFloat(nil, n, 'g', -1, 64))
		}
	}
	return o
}

// gatewayCost returns the cost that a gateway reports to the AI SDK.
func (a attributes) gatewayCost() *decimal.Decimal {
	value := a["ai.response.providerMetadata"]
	if value == nil {
		return nil
	}
	outputs := rawjson.Of("usage", json.RawMessage("{}")).WithRaw("providerMetadata", payloadOf(value))
	return usage.Places{Outputs: outputs.Encode()}.Find().Usage.TotalCost
}

// providerInput returns the input tokens in Anthropic's own usage, which the AI SDK copies, and adds the cached tokens beside
// them: an older version has them nowhere else.
func (a attributes) providerInput(input map[string]int64) int64 {
	var metadata struct {
		Anthropic struct {
			Usage struct {
				Input         int64 `json:"input_tokens"`
				CacheRead     int64 `json:"cache_read_input_tokens"`
				CacheCreation int64 `json:"cache_creation_input_tokens"`
			} `json:"usage"`
		} `json:"anthropic"`
	}
	if json.Unmarshal(payloadOf(a["ai.response.providerMetadata"]), &metadata) != nil {
		return 0
	}
	own := metadata.Anthropic.Usage
	for kind, n := range map[string]int64{"cache_read": own.CacheRead, "cache_creation": own.CacheCreation} {
		if _, known := input[kind]; !known && n > 0 {
			input[kind] = n
		}
	}
	return own.Input
}

func (a attributes) counts(of string) map[string]int64 {
	found := map[string]int64{}
	for _, count := range tokenCounts[of] {
		if n, given := a.count(count.attributes...); given {
			found[count.name] = n
		}
	}
	return found
}

// literal reads details in one attribute: JSON or, from Python, a printed dict. Details with their own attributes are
// already known.
func (a attributes) literal(key string, details map[string]int64) {
	raw := a.payload(key)
	if text, is := rawjson.ReadString(raw); is {
		raw, _ = parse(strings.ReplaceAll(text, "'", `"`))
	}
	o, _ := rawjson.ReadObject(raw)
	for _, m := range o {
		if n, err := strconv.ParseInt(string(m.Value), 10, 64); err == nil && n >= 0 {
			if _, known := details[m.Key]; !known {
				details[m.Key] = n
			}
		}
	}
}

func counted(counts map[string]int64) rawjson.Members {
	members := rawjson.Members{}
	for name, n := range counts {
		members[name] = strconv.AppendInt(nil, n, 10)
	}
	return members
}
