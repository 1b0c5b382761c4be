package functions

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/listprice"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

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
		MarkdownDescription: "Returns what a model costs according to the list prices that come with the provider, or null if they don't " +
			"have the model. The dev server prices runs with them where a workspace has no price of its own. The object has the `source` of " +
			"the list, a package and its version, the `date` of that version, and the `prices` of the model, which the function " +
			"`estimate_cost` takes. There are several if the price has changed (`start_time`) or is higher for long prompts " +
			"(`prompt_token_threshold`).\n\n" +
			"Prices are what providers publish, in US dollars: `prompt_cost` and `completion_cost` per token, their details by kind of " +
			"token, such as `cache_read`, `request_cost` per call, and `unit_costs` for each of the `billed_units` of the function `usage`. " +
			"`multipliers` are factors for tokens by tier or region, such as `batch`. All are strings that keep every digit. `incomplete` " +
			"says why the price isn't that of the model, such as the region of a name of Bedrock; null if it is. Discounts of an account " +
			"and prices for a time of day are not included.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "model", MarkdownDescription: "Name of the model, as in the function `model_name`."},
			function.StringParameter{
				Name: "provider", AllowNullValue: true,
				MarkdownDescription: "Provider of the model, as in the metadata `ls_provider` of runs. If null, the name of the model " +
					"decides where it can, `gpt-4o` belongs to `openai`, or the only provider that lists it.",
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
