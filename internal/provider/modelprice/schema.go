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
		MarkdownDescription: "An entry of the workspace's price map: the token prices of some models. The tracing " +
			"service computes the costs of runs from it. Entries of a workspace take precedence over the built-in " +
			"ones. LangSmith describes [cost tracking](https://docs.langchain.com/langsmith/cost-tracking).\n\n" +
			"~> Prices apply to runs that are logged afterwards: costs that were already computed don't change, even if the " +
			"entry is deleted. To change a price on a date, add a second entry with that `start_time` instead of " +
			"changing the first.\n\n" +
			"Prices are strings, because they are exact decimals: `\"1e-6\"` and `\"0.000001\"` are the same price and " +
			"show no difference.",
		Attributes: map[string]schema.Attribute{
			"name": framework.RequiredString("Display name. Changed in place.", notEmpty()...),
			"match_pattern": framework.RequiredString("Regular expression (RE2) that matches the name of the model. Without `^` and `$`, "+
				"it also matches a part of the name. Changed in place.", patternValidator()),
			"match_path": schema.ListAttribute{
				Optional:    true,
				Computed:    true,
				ElementType: types.StringType,
				Default:     listdefault.StaticValue(defaultMatchPath),
				MarkdownDescription: "Invocation parameters that contain the name of the model; the first one that a run " +
					"has is used. Default: `[\"model\", \"model_name\", \"model_id\", \"model_path\", " +
					"\"endpoint_name\"]`. Changed in place.",
				Validators: []validator.List{
					framework.ListValue(listvalidator.SizeAtLeast(1)), listvalidator.UniqueValues(),
					listvalidator.ValueStringsAre(notEmpty()...),
				},
			},
			"model_provider": framework.OptionalString("Provider of the model, as in the metadata `ls_provider` of runs, for example "+
				"`openai`; runs with another name of it, such as `openai.responses`, have the price, too. The API's name is "+
				"`provider`, which Terraform reserves. Default: any. Changed in place.", notEmpty()...),
			"start_time": framework.OptionalString("When the prices take effect (RFC 3339): they apply to runs that start then or "+
				"later. Default: always in effect. Changed in place.", framework.Time()),
			"prompt_token_threshold": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "Number of prompt tokens that a call must exceed for the entry to apply, for models that cost " +
					"more with a long context. Default: no threshold. Changed in place.",
				Validators: []validator.Int64{framework.AtLeast(0)},
			},
			"prompt_cost": framework.RequiredString("Price of a prompt token in US dollars, for example `\"0.000002\"` or `\"2e-6\"`. "+
				"Changed in place.", priceValidator()),
			"completion_cost":         framework.RequiredString("Price of a completion token in US dollars. Changed in place.", priceValidator()),
			"prompt_cost_details":     details("prompt", "`cache_read` or `audio`"),
			"completion_cost_details": details("completion", "`reasoning` or `audio`"),
			"workspace_id":            framework.ReplacingKnown(framework.ResourceWorkspaceAttribute("model price")),
			"id":                      framework.ComputedString("ID of the entry, a UUID."),
			"created_at": framework.ComputedString(
				"When the entry was created (RFC 3339); null if the installation doesn't report it."),
		},
	}
})

func details(side, examples string) schema.MapAttribute {
	return schema.MapAttribute{
		Optional:            true,
		ElementType:         types.StringType,
		MarkdownDescription: "Prices in US dollars of " + side + " tokens of a kind, such as " + examples + ", keyed by the kinds in usage reports. Tokens of other kinds cost `" + side + "_cost`. Default: none. Changed in place.",
		Validators: []validator.Map{
			mapvalidator.KeysAre(notEmpty()...), mapvalidator.ValueStringsAre(priceValidator()),
		},
	}
}

func notEmpty() []validator.String { return []validator.String{stringvalidator.LengthAtLeast(1)} }
