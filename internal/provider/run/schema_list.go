package run

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// Bounds of the number of runs.
const (
	defaultLimit = 100
	maxLimit     = 10000
)

var runTypes = []string{
	string(llmrun.RunTypeTool), string(llmrun.RunTypeChain), string(llmrun.RunTypeLLM), string(llmrun.RunTypeRetriever),
	string(llmrun.RunTypeEmbedding), string(llmrun.RunTypePrompt), string(llmrun.RunTypeParser),
}

const oneProject = " Exactly one of `project_id`, `project_name` and `deployment_id`."

func listAttributes() map[string]schema.Attribute {
	filter := func(of string) schema.StringAttribute {
		return framework.DataFilter("Only runs "+of+".", stringvalidator.LengthAtLeast(1))
	}
	flag := func(description string) schema.BoolAttribute {
		return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"project_id":    framework.DataKey("ID of the tracing project."+oneProject, framework.UUID(), exactlyOneProject()),
		"project_name":  framework.DataFilter("Exact name of the tracing project."+oneProject, stringvalidator.LengthAtLeast(1)),
		"deployment_id": framework.DataFilter("Deployment whose tracing project is read."+oneProject, framework.UUID()),
		"ids": schema.ListAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: "Only runs with these IDs; an empty list matches " +
				"none.",
			Validators: []validator.List{listvalidator.ValueStringsAre(framework.UUID())},
		},
		"trace_id": framework.DataFilter("Only runs of this trace.", framework.UUID()),
		"run_type": framework.DataFilter("Only runs of this type: `tool`, `chain`, `llm`, `retriever`, `embedding`, `prompt` or "+
			"`parser`.", framework.OneOf(runTypes...)),
		"is_root":   flag("`true`: only root runs; `false`: only others."),
		"has_error": flag("`true`: only failed runs; `false`: only others."),
		"min_start_time": framework.DataFilter("Only runs that started at this time or later (RFC 3339). Default: one day ago; "+
			"none with `ids` or `trace_id`.", framework.Time()),
		"max_start_time": framework.DataFilter("Only runs that started before this time (RFC 3339).", framework.Time()),
		"filter":         filter("that match this condition, such as `and(eq(run_type, \"llm\"), gt(latency, 2), has(tags, \"smoke\"))`"),
		"trace_filter":   filter("of traces whose root run matches this condition"),
		"tree_filter":    filter("of traces with any run that matches this condition"),
		"order": framework.DataFilter("`desc` (newest first) or `asc`. Default: `desc`.",
			framework.OneOf("asc", "desc")),
		"limit": schema.Int64Attribute{
			Optional: true, MarkdownDescription: "Maximum number of runs, from 1 to 10000. Default: 100.",
			Validators: []validator.Int64{framework.Between(1, maxLimit)},
		},
		"include_content": flag("Whether to read inputs and outputs into `contents`, which is stored in state. " +
			"Default: `false`."),
		"runs": framework.DataList("The runs, by start time; unknown values are null.", attributes()),
		"unpriced_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of model calls in `runs` " +
			"without a cost: no price matches, or no tokens were logged, as for calls that failed or still run. Unless it is 0, " +
			"costs may be too low. For all calls of a project, read `statistics.unpriced_run_count` of " +
			"`agentplane_tracing_project`."},
		"unpriced_tokens": schema.Int64Attribute{Computed: true, MarkdownDescription: "Logged tokens of the calls in " +
			"`unpriced_run_count`."},
		"cost_incomplete_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of model calls in `runs` " +
			"with reasons in `cost_incomplete`."},
		"cost_unchecked_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of model calls in `runs` " +
			"with a cost and a null `cost_incomplete`."},
		// One sensitive attribute for all runs: Terraform marks each sensitive attribute in a list separately, which
		// takes quadratic time.
		"contents": schema.MapNestedAttribute{
			Computed: true, Sensitive: true,
			MarkdownDescription: "Inputs and outputs of each run, by its ID; null unless `include_content` is set.",
			NestedObject:        framework.ComputedObject(contentAttributes()),
		},
	}
}

// attributes returns the attributes of one run.
func attributes() map[string]schema.Attribute {
	text := framework.DataString
	seconds := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{Computed: true, MarkdownDescription: description}
	}
	tokens := func(of string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: of + ", including child runs."}
	}
	cost := func(of string) schema.StringAttribute {
		return text(of + " in US dollars, including child runs.")
	}
	return map[string]schema.Attribute{
		"id":                          text("ID of the run."),
		"trace_id":                    text("ID of the trace, which is that of its root run."),
		"parent_run_id":               text("ID of the parent run, if any."),
		"name":                        text("Name of the run."),
		"run_type":                    text("Type of the run, such as `llm`."),
		"status":                      text("`pending`, `success` or `error`."),
		"start_time":                  text("When the run started (RFC 3339)."),
		"end_time":                    text("When the run ended (RFC 3339)."),
		"latency_seconds":             seconds("Duration of the run, in seconds."),
		"time_to_first_token_seconds": seconds("Time to first token, in seconds, if streamed."),
		"error":                       text("Error of the run, if any."),
		"thread_id":                   text("Thread of the run."),
		"tags":                        schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Tags of the run."},
		"model_name":                  text("Name of the model, from the metadata or, with `include_content`, from the inputs."),
		"model_provider":              text("Provider of the model, from the metadata."),
		"prompt_tokens":               tokens("Tokens of the prompt"),
		"completion_tokens":           tokens("Tokens of the completion"),
		"total_tokens":                tokens("All tokens"),
		"prompt_cost":                 cost("Cost of the prompt"),
		"completion_cost":             cost("Cost of the completion"),
		"total_cost":                  cost("Total cost"),
		"cost_incomplete": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Why the " +
			"calculated cost isn't all that the provider bills, such as `no price for priority`; empty if it is, null if unknown."},
		"app_path": text("Path of the run's page, on the host of the service's UI."),
	}
}

// contentAttributes returns the attributes for inputs and outputs of one run.
func contentAttributes() map[string]schema.Attribute {
	text := framework.DataString
	return map[string]schema.Attribute{
		"inputs_json":          text("Inputs as JSON."),
		"outputs_json":         text("Outputs as JSON."),
		"input_messages_json":  text("Messages of the inputs in the native format as JSON, if recognised."),
		"output_messages_json": text("Messages of the outputs in the native format as JSON, if recognised."),
	}
}
