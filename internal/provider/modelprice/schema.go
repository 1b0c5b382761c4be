package modelprice

import (
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// defaultMatchPath is the documented default of the API.
var defaultMatchPath = types.ListValueMust(types.StringType, []attr.Value{
	types.StringValue("model"), types.StringValue("model_name"), types.StringValue("model_id"), types.StringValue("model_path"),
	types.StringValue("endpoint_name"),
})

// modelPriceSchema is built once, to look up the paths of refused values.
var modelPriceSchema = sync.OnceValue(func() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "An entry of the workspace's price map: the token prices of some models. It takes precedence over " +
			"built-in ones. Arguments except `workspace_id` are changed in place. LangSmith describes " +
			"[cost tracking](https://docs.langchain.com/langsmith/cost-tracking).\n\n~> Prices apply to runs that are logged " +
			"afterwards; computed costs don't change. To change a price on a date, add a second entry with that " +
			"`start_time`.\n\nPrices are exact decimals in strings: `\"1e-6\"` and `\"0.000001\"` are the same price.",
		Attributes: map[string]schema.Attribute{
			"name": framework.RequiredString("Display name.", notEmpty()...),
			"match_pattern": framework.RequiredString("Regular expression (RE2) that matches the name of the model, or, without "+
				"`^` and `$`, a part of it.", patternValidator()),
			"match_path": schema.ListAttribute{
				Optional:    true,
				Computed:    true,
				ElementType: types.StringType,
				Default:     listdefault.StaticValue(defaultMatchPath),
				MarkdownDescription: "Invocation parameters with the name of the model; the first one that a run has is used. " +
					"Default: `[\"model\", \"model_name\", \"model_id\", \"model_path\", \"endpoint_name\"]`.",
				Validators: []validator.List{
					framework.ListValue(listvalidator.SizeAtLeast(1)), listvalidator.UniqueValues(),
					listvalidator.ValueStringsAre(notEmpty()...),
				},
			},
			"model_provider": framework.OptionalString("Provider of the model (`provider` in the API), as in the metadata "+
				"`ls_provider` of runs; `openai` includes other names of it, such as `openai.responses`. Default: any.", notEmpty()...),
			"start_time": framework.OptionalString("When the prices take effect (RFC 3339), for runs that start then or later. "+
				"Default: always.", framework.Time()),
			"prompt_token_threshold":  framework.OptionalInt64("Number of prompt tokens that a call must exceed for the entry to apply. Default: none.", framework.AtLeast(0)),
			"prompt_cost":             framework.RequiredString("Price of a prompt token in US dollars.", priceValidator()),
			"completion_cost":         framework.RequiredString("Price of a completion token in US dollars.", priceValidator()),
			"prompt_cost_details":     details("prompt", "`cache_read` or `audio`"),
			"completion_cost_details": details("completion", "`reasoning` or `audio`"),
			"workspace_id":            framework.ReplacingKnown(framework.ResourceWorkspaceAttribute("model price")),
			"id":                      framework.ComputedString("ID of the entry."),
			"created_at": framework.ComputedString(
				"Time of creation (RFC 3339); null if unknown."),
		},
	}
})

func details(side, examples string) schema.MapAttribute {
	return framework.OptionalTexts("Prices in US dollars of "+side+" tokens by kind, such as "+examples+". Other kinds cost `"+side+"_cost`.", mapvalidator.KeysAre(notEmpty()...), mapvalidator.ValueStringsAre(priceValidator()))
}

func notEmpty() []validator.String { return []validator.String{stringvalidator.LengthAtLeast(1)} }
