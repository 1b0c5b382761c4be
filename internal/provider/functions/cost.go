package functions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

var costTypes = map[string]attr.Type{
	"prompt_cost": types.StringType, "completion_cost": types.StringType, "total_cost": types.StringType,
	"prompt_cost_details": costs, "completion_cost_details": costs, "price": types.StringType,
	"cost_incomplete": types.ListType{ElemType: types.StringType},
}

// NewEstimateCost computes the cost of a usage.
func NewEstimateCost() function.Function {
	return spec{name: "estimate_cost", run: estimateCost, definition: function.Definition{
		Summary: "Computes the cost of a run",
		MarkdownDescription: "Returns the cost of a usage, in US dollars: `prompt_cost`, `completion_cost`, `total_cost`, their " +
			"details by kind of token, and the name of the `price` that was used. Costs are strings for `tonumber`, and null " +
			"without a matching price or tokens. Costs in the usage itself take precedence. Kinds of tokens without a price in " +
			"the details use `prompt_cost` or `completion_cost`. `cost_incomplete` lists why the calculated cost isn't all that " +
			"the provider bills, such as `no price for web_searches`; it is null without a cost.\n\nA price with a `start_time` " +
			"applies to usages with the same or a later `start_time`. Quotients such as `0.15 / 1000000` are rounded to 12 " +
			"decimal places.",
		Parameters: []function.Parameter{
			function.DynamicParameter{
				Name:                "usage",
				MarkdownDescription: "An object like that of the function `usage`.",
			},
			function.DynamicParameter{
				Name: "prices",
				MarkdownDescription: "A list of objects like those of the function `default_model_price`: `name`, " +
					"`match_pattern` (a regular expression for the name of the model), `prompt_cost` and `completion_cost` " +
					"(numbers or strings), and optionally `provider`, `prompt_cost_details`, `completion_cost_details`, " +
					"`request_cost`, `unit_costs`, `multipliers`, `start_time` and `prompt_token_threshold`. If several match, a " +
					"price of the provider takes precedence, then the higher threshold, then the latest `start_time`, then the " +
					"last in the list.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: costTypes},
	}}
}

func estimateCost(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError) {
	var used, list types.Dynamic
	if failed := arguments.Get(ctx, &used, &list); failed != nil {
		return nil, failed
	}
	call, err := readCall(used)
	if err != nil {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The value is not a usage: %s. Pass the result of the "+
			"function usage, or an object with input_tokens, output_tokens and model.", err))
	}
	prices, err := readPrices(list)
	if err != nil {
		return nil, function.NewArgumentFuncError(1, fmt.Sprintf("The prices are invalid: %s.", err))
	}
	input, _, _ := call.usage.Tokens()
	if call.start.IsZero() && call.usage.TotalCost == nil && prices.DependsOnTime(call.model, input) {
		return nil, function.NewArgumentFuncError(0, "The usage has no start_time, but a price of its model has one, so "+
			"it is unknown whether that price applies. Set start_time, which the function usage returns, or remove it "+
			"from the prices.")
	}
	cost := usage.EstimateCost(call.usage, prices.Find(call.model, call.start, input))
	price := types.StringNull()
	if cost.Price != nil {
		price = framework.StringOrNull(cost.Price.Name)
	}
	return types.ObjectValueMust(costTypes, map[string]attr.Value{
		"prompt_cost": costValue(cost.PromptCost), "completion_cost": costValue(cost.CompletionCost),
		"total_cost":          costValue(cost.TotalCost),
		"prompt_cost_details": costsValue(cost.PromptCostDetails), "completion_cost_details": costsValue(cost.CompletionCostDetails),
		"price": price, "cost_incomplete": incompleteValue(cost),
	}), nil
}

func incompleteValue(cost usage.Cost) attr.Value {
	if cost.TotalCost != nil && len(cost.Incomplete) == 0 {
		return types.ListValueMust(types.StringType, []attr.Value{})
	}
	return textsValue(cost.Incomplete)
}

// pricedCall is a usage with its model and its start, which is zero if it isn't known.
type pricedCall struct {
	usage usage.Usage
	model usage.Model
	start time.Time
}

// readCall reads a usage as the function usage returns it: with nulls for what is not known, and costs as texts.
func readCall(value types.Dynamic) (pricedCall, error) {
	data, err := jsonOf(value)
	if err != nil {
		return pricedCall{}, err
	}
	var c pricedCall
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil || members == nil {
		return c, errors.New("it is not an object")
	}
	charges, err := takeCharges(members)
	if err != nil {
		return c, err
	}
	for name, member := range members {
		text, isText := rawjson.ReadString(member)
		own := name == "model" || name == "provider" || name == "start_time"
		switch {
		case string(member) == "null", name == "problems":
			delete(members, name)
			continue
		case own && !isText:
			return c, fmt.Errorf("%s is %s, not a string", name, rawjson.Show(member))
		case strings.HasSuffix(name, "_cost"):
			members[name] = unquoted(member)
		case strings.HasSuffix(name, "_cost_details"):
			members[name] = unquotedAll(member)
		}
		switch name {
		case "model":
			c.model.Name = text
		case "provider":
			c.model.Provider, _ = usage.ProviderName(text)
		case "start_time":
			if c.start, err = timestamp.Parse(text); err != nil {
				return c, fmt.Errorf("start_time: %w", err)
			}
		}
		if own {
			delete(members, name)
		}
	}
	if data, err = json.Marshal(members); err != nil {
		return c, err
	}
	used, problems := usage.Read(data)
	if len(problems) > 0 {
		return c, errors.New(strings.TrimSuffix(problems[0].String(), "."))
	}
	c.usage, c.usage.Charges = used, charges
	return c, nil
}

// takeCharges reads and removes the members that aren't part of usage_metadata.
func takeCharges(members map[string]json.RawMessage) (c usage.Charges, _ error) {
	for name, to := range map[string]any{"billed_units": &c.Units, "price_modifiers": &c.Modifiers} {
		if member := members[name]; member != nil && json.Unmarshal(member, to) != nil {
			return c, fmt.Errorf("%s is %s: write what the function usage returns", name, rawjson.Show(member))
		}
		delete(members, name)
	}
	return c, nil
}

// unquoted converts a decimal in a string to a number, and returns anything else unchanged.
func unquoted(value json.RawMessage) json.RawMessage {
	var decimal decimal.Decimal
	if err := json.Unmarshal(value, &decimal); err != nil {
		return value
	}
	return json.RawMessage(decimal.String())
}

func unquotedAll(values json.RawMessage) json.RawMessage {
	var details map[string]json.RawMessage
	if err := json.Unmarshal(values, &details); err != nil {
		return values
	}
	for kind, value := range details {
		details[kind] = unquoted(value)
	}
	all, err := json.Marshal(details)
	if err != nil {
		return values
	}
	return all
}

func readPrices(value types.Dynamic) (*usage.PriceMap, error) {
	data, err := jsonOf(value)
	if err != nil {
		return nil, err
	}
	elements, isList := rawjson.ReadArray(data)
	if !isList {
		return nil, fmt.Errorf("it must be a list, not %s", rawjson.Show(data))
	}
	prices := make([]usage.Price, len(elements))
	for i, element := range elements {
		if err := json.Unmarshal(element, &prices[i]); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return usage.NewPriceMap(prices)
}

var (
	defaultEntryTypes = map[string]attr.Type{
		"name": types.StringType, "match_pattern": types.StringType, "start_time": types.StringType, "prompt_token_threshold": types.Int64Type,
		"prompt_cost": types.StringType, "completion_cost": types.StringType, "request_cost": types.StringType,
		"prompt_cost_details": costs, "completion_cost_details": costs, "unit_costs": costs, "multipliers": costs, "incomplete": types.StringType,
	}
	defaultPriceTypes = map[string]attr.Type{
		"source": types.StringType, "date": types.StringType, "prices": types.ListType{ElemType: types.ObjectType{AttrTypes: defaultEntryTypes}},
	}
)

// NewDefaultModelPrice shows the list prices of a model.
func NewDefaultModelPrice() function.Function {
	return spec{name: "default_model_price", run: defaultModelPrice, definition: function.Definition{
		Summary: "Returns the list prices of a model",
		MarkdownDescription: "Returns the list prices of a model, as published by providers, in US dollars, or null if it has " +
			"none: the `source` of the list, a package and its version, the `date` of that version, and `prices` for the " +
			"function `estimate_cost`. There are several if the price has changed (`start_time`) or is higher for long prompts " +
			"(`prompt_token_threshold`).\n\nA price has `prompt_cost` and `completion_cost` per token, their details by kind of " +
			"token, such as `cache_read`, `request_cost` per call, `unit_costs` for each of the `billed_units` of the function " +
			"`usage`, and `multipliers`, factors for tokens by tier or region, such as `batch`. All are strings that keep every " +
			"digit. `incomplete` says why the price isn't that of the model, such as a region in a Bedrock name. Discounts and " +
			"prices by time of day are not included.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "model", MarkdownDescription: "Name of the model, as in the function `model_name`."},
			function.StringParameter{
				Name: "provider", AllowNullValue: true,
				MarkdownDescription: "Provider of the model, as in the metadata `ls_provider` of runs. If null, it follows from " +
					"the name, as with `gpt-4o`, or is the only provider that lists the model.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: defaultPriceTypes},
	}}
}

func defaultModelPrice(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError) {
	var model, provider types.String
	if failed := arguments.Get(ctx, &model, &provider); failed != nil {
		return nil, failed
	}
	book := listprice.Bundled()
	prices := book.Prices(provider.ValueString(), model.ValueString())
	if len(prices) == 0 {
		return types.ObjectNull(defaultPriceTypes), nil
	}
	entries := make([]attr.Value, len(prices))
	for i, price := range prices {
		entries[i] = defaultEntry(price)
	}
	return types.ObjectValueMust(defaultPriceTypes, map[string]attr.Value{
		"source": types.StringValue(book.Source + " " + book.Version), "date": types.StringValue(book.Date.Format(time.DateOnly)),
		"prices": types.ListValueMust(types.ObjectType{AttrTypes: defaultEntryTypes}, entries),
	}), nil
}

func defaultEntry(p usage.Price) attr.Value {
	start, request := types.StringNull(), types.StringNull()
	if p.StartTime != nil {
		start = types.StringValue(timestamp.Format(*p.StartTime))
	}
	if p.RequestCost.Sign() > 0 {
		request = types.StringValue(p.RequestCost.String())
	}
	return types.ObjectValueMust(defaultEntryTypes, map[string]attr.Value{
		"name": framework.StringOrNull(p.Name), "match_pattern": types.StringValue(p.MatchPattern), "start_time": start,
		"prompt_token_threshold": types.Int64PointerValue(p.PromptTokenThreshold),
		"prompt_cost":            types.StringValue(p.PromptCost.String()), "completion_cost": types.StringValue(p.CompletionCost.String()),
		"request_cost":        request,
		"prompt_cost_details": costsValue(p.PromptCostDetails), "completion_cost_details": costsValue(p.CompletionCostDetails),
		"unit_costs": costsValue(p.UnitCosts), "multipliers": costsValue(p.Multipliers), "incomplete": framework.StringOrNull(p.Incomplete),
	})
}
