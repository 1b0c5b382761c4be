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

const oneProject = " Exactly one of `project_id`, `project_name` and `deployment_id` is set."

func listAttributes() map[string]schema.Attribute {
	filter := func(of string) schema.StringAttribute {
		return framework.DataFilter("Only runs "+of+", in the filter language of the tracing service, for example "+
			"`and(eq(run_type, \"llm\"), gt(latency, 2), has(tags, \"smoke\"))`. Default: all.", stringvalidator.LengthAtLeast(1))
	}
	flag := func(description string) schema.BoolAttribute {
		return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"project_id":    framework.DataKey("ID of the tracing project, a UUID."+oneProject, framework.UUID(), exactlyOneProject()),
		"project_name":  framework.DataFilter("Exact name of the tracing project."+oneProject, stringvalidator.LengthAtLeast(1)),
		"deployment_id": framework.DataFilter("ID of the deployment whose tracing project is read, a UUID."+oneProject, framework.UUID()),
		"ids": schema.ListAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: "Only runs with these IDs; an empty list matches none. Default: all.",
			Validators: []validator.List{listvalidator.ValueStringsAre(framework.UUID())},
		},
		"trace_id": framework.DataFilter("Only runs of this trace, a UUID. Default: all.", framework.UUID()),
		"run_type": framework.DataFilter("Only runs of this type: `tool`, `chain`, `llm`, `retriever`, `embedding`, `prompt` or "+
			"`parser`. Default: all.", framework.OneOf(runTypes...)),
		"is_root":   flag("`true` for root runs only, `false` for other runs only. Default: all."),
		"has_error": flag("`true` for failed runs only, `false` for other runs only. Default: all."),
		"min_start_time": framework.DataFilter("Only runs that started at this time or later (RFC 3339). Default: one day ago; no "+
			"bound with `ids` or `trace_id`.", framework.Time()),
		"max_start_time": framework.DataFilter("Only runs that started before this time (RFC 3339). Default: no bound.", framework.Time()),
		"filter":         filter("that match this condition"),
		"trace_filter":   filter("of traces whose root run matches this condition"),
		"tree_filter":    filter("of traces with any run that matches this condition"),
		"order": framework.DataFilter("`desc` for the newest first, `asc` for the oldest first. Default: `desc`.",
			framework.OneOf("asc", "desc")),
		"limit": schema.Int64Attribute{
			Optional: true, MarkdownDescription: "Maximum number of runs, from 1 to 10000. Default: 100.",
			Validators: []validator.Int64{framework.Between(1, maxLimit)},
		},
		"include_content": flag("Whether to read inputs and outputs into `contents`, which is stored in state. " +
			"Default: `false`."),
		"runs": framework.DataList("The runs, ordered by start time.", attributes()),
		"unpriced_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of calls of models among `runs` that have no " +
			"cost: they report none, and no price matches, or no tokens were logged, as for calls that failed or still run. Unless it is 0, " +
			"costs may be too low. Model calls below the runs count only if they are among them, too: for all those of a project's traces, " +
			"read `statistics.unpriced_run_count` of `agentplane_tracing_project`."},
		"unpriced_tokens": schema.Int64Attribute{Computed: true, MarkdownDescription: "Tokens of the calls in `unpriced_run_count`, as far as " +
			"they were logged."},
		"cost_incomplete_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of calls of models among `runs` whose " +
			"`cost_incomplete` has reasons."},
		"cost_unchecked_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of calls of models among `runs` that " +
			"have a cost and no `cost_incomplete`: it was calculated before the service knew what it lacks, or the service never does."},
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
		return schema.Int64Attribute{Computed: true, MarkdownDescription: of + ", including its child runs."}
	}
	cost := func(of string) schema.StringAttribute {
		return text(of + " in US dollars, an exact decimal, including child runs; null if unknown.")
	}
	return map[string]schema.Attribute{
		"id":                          text("ID of the run, a UUID."),
		"trace_id":                    text("ID of the trace, which is the ID of its root run."),
		"parent_run_id":               text("ID of the parent run; null for a root run."),
		"name":                        text("Name of the run."),
		"run_type":                    text("Type of the run, such as `llm`."),
		"status":                      text("`pending`, `success` or `error`."),
		"start_time":                  text("When the run started (RFC 3339)."),
		"end_time":                    text("When the run ended (RFC 3339); null while it is running."),
		"latency_seconds":             seconds("Duration of the run, in seconds; null while it is running."),
		"time_to_first_token_seconds": seconds("Time to first token, in seconds; null if nothing was streamed."),
		"error":                       text("Error of the run; null if it succeeded."),
		"thread_id":                   text("Thread that the run belongs to; null if it has none."),
		"tags":                        schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Tags of the run."},
		"model_name": text("Name of the model, from the metadata or, with `include_content`, from the " +
			"inputs; null if unknown."),
		"model_provider":    text("Provider of the model, from the metadata; null if unknown."),
		"prompt_tokens":     tokens("Tokens of the prompt"),
		"completion_tokens": tokens("Tokens of the completion"),
		"total_tokens":      tokens("All tokens"),
		"prompt_cost":       cost("Cost of the prompt"),
		"completion_cost":   cost("Cost of the completion"),
		"total_cost":        cost("Total cost"),
		"cost_incomplete": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Why the calculated cost isn't " +
			"all that the provider bills, such as `no price for priority`; empty if it is, null if the service doesn't know."},
		"app_path": text("Path of the run's page, on the host of the service's UI."),
	}
}

// contentAttributes returns the attributes for inputs and outputs of one run.
func contentAttributes() map[string]schema.Attribute {
	text := framework.DataString
	return map[string]schema.Attribute{
		"inputs_json":  text("Inputs as JSON."),
		"outputs_json": text("Outputs as JSON; null while the run is running."),
		"input_messages_json": text("Messages of the inputs in the native format as JSON; null if the format isn't " +
			"recognised."),
		"output_messages_json": text("Messages of the outputs in the native format as JSON; null if the format isn't " +
			"recognised."),
	}
}
