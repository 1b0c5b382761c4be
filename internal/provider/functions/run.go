package functions

import (
	"fmt"
	"maps"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// What the functions about runs of language models have in common.

// runParameter is a run as JSON.
func runParameter() function.Parameter {
	return function.StringParameter{
		Name: "run",
		MarkdownDescription: "A run as a JSON object, as the tracing service returns it or a client would log it, with the " +
			"members that are used: `inputs`, `outputs`, `extra.metadata`, `events`, `run_type`, times.",
	}
}

// messagesParameter is the inputs or the outputs of a run as JSON.
func messagesParameter() function.Parameter {
	return function.StringParameter{
		Name:                "json",
		MarkdownDescription: "Inputs or outputs of a run as JSON, in any [message format](../guides/message-formats.md).",
	}
}

// ofRun returns the runner of a function whose argument is a runParameter.
func ofRun(compute func(*llmrun.Run) attr.Value) runner {
	return ofOne(func(text string) (attr.Value, *function.FuncError) {
		run, _, err := llmrun.DecodeRun([]byte(text))
		if err != nil {
			return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The value is not a run as a JSON object: %s.", err))
		}
		return compute(run), nil
	})
}

var modelTypes = map[string]attr.Type{"name": types.StringType, "provider": types.StringType, "source": types.StringType}

// NewModelName finds the model that a run has called.
func NewModelName() function.Function {
	return spec{name: "model_name", run: ofRun(modelName), definition: function.Definition{
		Summary: "Returns the model of a run",
		MarkdownDescription: "Returns an object with the `name` of the model that a run called, its `provider`, and the " +
			"`source` of the name. The name is the first of `extra.metadata.ls_model_name`, `inputs.model`, " +
			"`inputs.model_name` and the invocation parameters; the provider is `extra.metadata.ls_provider`, under the " +
			"name that prices have: `openai` for `openai.responses`. Missing values are null.",
		Parameters: []function.Parameter{runParameter()},
		Return:     function.ObjectReturn{AttributeTypes: modelTypes},
	}}
}

func modelName(run *llmrun.Run) attr.Value {
	model := run.Model()
	return types.ObjectValueMust(modelTypes, map[string]attr.Value{
		"name": framework.StringOrNull(model.Name), "provider": framework.StringOrNull(model.Provider),
		"source": framework.StringOrNull(model.Source),
	})
}

// NewTimeToFirstToken measures how long a run took to its first token.
func NewTimeToFirstToken() function.Function {
	return spec{name: "time_to_first_token", run: ofRun(timeToFirstToken), definition: function.Definition{
		Summary: "Returns the time to first token of a run",
		MarkdownDescription: "Returns the time to first token in seconds: from the start of the run to the earliest " +
			"`new_token` event with a time. Null if the run isn't of type `llm`, or has no such event or no start. Never " +
			"negative.",
		Parameters: []function.Parameter{runParameter()},
		Return:     function.Float64Return{},
	}}
}

func timeToFirstToken(run *llmrun.Run) attr.Value {
	if waited, known := run.TimeToFirstToken(); known {
		return types.Float64Value(waited.Seconds())
	}
	return types.Float64Null()
}

var (
	counts     = types.MapType{ElemType: types.NumberType}
	costs      = types.MapType{ElemType: types.StringType}
	usageTypes = map[string]attr.Type{
		"input_tokens": types.Int64Type, "output_tokens": types.Int64Type, "total_tokens": types.Int64Type,
		"input_token_details": counts, "output_token_details": counts,
		"input_cost": types.StringType, "output_cost": types.StringType, "total_cost": types.StringType,
		"input_cost_details": costs, "output_cost_details": costs,
		"billed_units": counts, "price_modifiers": types.ListType{ElemType: types.StringType},
		"model": types.StringType, "provider": types.StringType, "start_time": types.StringType,
		"problems": types.ListType{ElemType: problemType},
	}
)

// NewUsage reads the tokens and costs of a run.
func NewUsage() function.Function {
	return spec{name: "usage", run: ofRun(runUsage), definition: function.Definition{
		Summary: "Returns the tokens and costs of a run",
		MarkdownDescription: "Returns the token usage of a run, from `usage_metadata` or from the usage block of any known model " +
			"provider. `input_tokens`, `output_tokens` and `total_tokens` are counts, and the details (`input_token_details`, " +
			"`output_token_details`) are parts of them by kind, such as `cache_read`, `audio` and `reasoning`. `input_cost`, " +
			"`output_cost`, `total_cost` and their details are the costs in the run itself, in US dollars, as strings for " +
			"`tonumber`. `billed_units` counts what is billed besides the tokens, such as `web_searches`, `pages` and " +
			"`audio_seconds`, or in place of them (`input_tokens`, `output_tokens`), and `price_modifiers` lists what changes " +
			"the prices of the tokens, such as `batch`, `priority` and `inference_geo_us`. `model`, `provider` and `start_time` " +
			"select the price. Missing values are null. `problems` lists what is wrong with the usage, such as counts that don't " +
			"add up, as `validate_messages` does.",
		Parameters: []function.Parameter{runParameter()},
		Return:     function.ObjectReturn{AttributeTypes: usageTypes},
	}}
}

func runUsage(run *llmrun.Run) attr.Value {
	reading, model := run.Usage(), run.Model()
	read := reading.Usage
	return types.ObjectValueMust(usageTypes, map[string]attr.Value{
		"input_tokens": types.Int64PointerValue(read.Input.Tokens), "output_tokens": types.Int64PointerValue(read.Output.Tokens),
		"total_tokens":        totalTokens(read),
		"input_token_details": countsValue(read.Input.Details), "output_token_details": countsValue(read.Output.Details),
		"input_cost": costValue(read.Input.Cost), "output_cost": costValue(read.Output.Cost), "total_cost": costValue(read.TotalCost),
		"billed_units": countsValue(read.Charges.Units), "price_modifiers": textsValue(read.Charges.Modifiers),
		"input_cost_details": costsValue(read.Input.CostDetails), "output_cost_details": costsValue(read.Output.CostDetails),
		"model": framework.StringOrNull(model.Name), "provider": framework.StringOrNull(model.Provider), "start_time": startTime(run),
		"problems": problemsValue(reading.Problems),
	})
}

func startTime(run *llmrun.Run) types.String {
	if run.StartTime == nil {
		return types.StringNull()
	}
	return types.StringValue(timestamp.Format(*run.StartTime))
}

// totalTokens may be missing in the response of a model provider that counts both sides.
func totalTokens(u usage.Usage) types.Int64 {
	if u.Input.Tokens == nil && u.Output.Tokens == nil && u.TotalTokens == nil {
		return types.Int64Null()
	}
	_, _, total := u.Tokens()
	return types.Int64Value(total)
}

func countsValue(details usage.Counts) attr.Value {
	if details == nil {
		return types.MapNull(types.NumberType)
	}
	elements := map[string]attr.Value{}
	for kind, count := range details {
		number, _, err := big.ParseFloat(count.String(), 10, 512, big.ToNearestEven) // As precise as Terraform's own numbers.
		if err != nil {
			continue // A decimal is always a number.
		}
		elements[kind] = types.NumberValue(number)
	}
	return types.MapValueMust(types.NumberType, elements)
}

func costValue(cost *decimal.Decimal) types.String {
	if cost == nil {
		return types.StringNull()
	}
	return types.StringValue(cost.String())
}

// textsValue returns a list, null without elements.
func textsValue(texts []string) attr.Value {
	if len(texts) == 0 {
		texts = nil
	}
	return framework.TextList(texts)
}

func costsValue(details usage.Costs) attr.Value {
	if details == nil {
		return types.MapNull(types.StringType)
	}
	elements := map[string]attr.Value{}
	for kind, cost := range maps.All(details) {
		elements[kind] = types.StringValue(cost.String())
	}
	return types.MapValueMust(types.StringType, elements)
}
