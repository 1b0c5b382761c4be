package run

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/float64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

const replaces = " Changing it logs another run."

// exactlyOneProject requires exactly one of the attributes that identify the project.
func exactlyOneProject() validator.String {
	return framework.ExactlyOneOf("project_id", "project_name", "deployment_id")
}

// arguments describe a run to log, for the resource and for the action.
func arguments() map[string]schema.Attribute {
	text, notEmpty := framework.OptionalString, stringvalidator.LengthAtLeast(1)
	content := func(description string, validators ...validator.String) schema.StringAttribute {
		argument := text(description, validators...)
		argument.CustomType = jsontypes.NormalizedType{}
		return argument
	}
	inputs := content("Inputs as JSON, in any [message format](../guides/message-formats.md).")
	inputs.Optional, inputs.Required = false, true
	return map[string]schema.Attribute{
		"project_id":    text("ID of the tracing project."+oneProject, framework.UUID(), exactlyOneProject()),
		"project_name":  text("Exact name of the tracing project, created if it doesn't exist."+oneProject, notEmpty),
		"deployment_id": text("Deployment whose tracing project gets the run."+oneProject, framework.UUID()),
		"name":          text("Name of the run. Default: `terraform`.", notEmpty),
		"inputs_json":   inputs,
		"outputs_json": content("Outputs as JSON, in any message format, with token usage. At least one of `outputs_json`, `stream_json` and "+
			"`error` must be set.", framework.AtLeastOneOf("outputs_json", "stream_json", "error")),
		"stream_json": content("Recorded stream of the answer as JSON, instead of `outputs_json` and `time_to_first_token`: a list of " +
			"`{\"time\": …, \"chunk\": …}` in order, with chunks as for the function `reduce_stream`. A time is relative to the " +
			"start of the run, such as `350ms`, or absolute if `start_time` is set."),
		"error":          text("Error of the run. Default: none; the run succeeded.", notEmpty),
		"model_name":     text("Name of the model (metadata `ls_model_name`). Default: that in the inputs.", notEmpty),
		"model_provider": text("Provider of the model (metadata `ls_provider`).", notEmpty),
		"metadata": framework.OptionalTexts("Metadata of the run.",
			mapvalidator.KeysAre(stringvalidator.NoneOf("ls_model_name", "ls_provider"), notEmpty)), // They have their own attributes.
		"tags":       framework.OptionalTextList("Tags of the run."),
		"start_time": text("When the run started (RFC 3339). Default: `duration` before it is logged.", framework.Time()),
		"duration": framework.OptionalDuration("Duration of the run, such as `1.5s`. Default: until the last chunk of `stream_json`, or " +
			"`time_to_first_token`, or `0s`."),
		"time_to_first_token": framework.OptionalDuration("Time to first token, such as `250ms`, logged as a `new_token` event. Default: none; " +
			"nothing was streamed."),
		"strict": framework.OptionalBool("Whether a message format that the service may not understand is an error instead of a warning. " +
			"Default: `false`."),
	}
}

// replacing returns the arguments as those of the resource, which logs another run when they change.
func replacing() map[string]schema.Attribute {
	all, kept := arguments(), stringplanmodifier.UseStateForUnknown()
	replace, sameJSON, sameDuration := framework.ReplaceString(), replaceOther(isSameJSON), replaceOther(isSameDuration)
	for name, modifiers := range map[string][]planmodifier.String{
		"project_id": {kept, lookup.TracingProject.ReplaceString()}, "project_name": {lookup.DeploymentName.ReplaceString()},
		"deployment_id": {lookup.DeploymentID.ReplaceString()}, "name": {replace}, "error": {replace}, "model_name": {replace},
		"model_provider": {replace}, "inputs_json": {sameJSON}, "outputs_json": {sameJSON}, "stream_json": {sameJSON},
		"start_time": {kept, replaceOther(isSameTime)}, "duration": {sameDuration}, "time_to_first_token": {sameDuration},
	} {
		argument, _ := all[name].(schema.StringAttribute)
		argument.PlanModifiers = modifiers
		if argument.Sensitive = strings.HasSuffix(name, "_json"); argument.Sensitive {
			argument.MarkdownDescription += " Hidden in plans, but stored in state."
		}
		argument.MarkdownDescription += replaces
		switch name {
		case "name":
			argument.Computed, argument.Default = true, stringdefault.StaticString(defaultName)
		case "project_id", "start_time":
			argument.Computed = true
		}
		all[name] = argument
	}
	metadata, _ := all["metadata"].(schema.MapAttribute)
	metadata.MarkdownDescription += replaces
	metadata.PlanModifiers = []planmodifier.Map{framework.ReplacingMap{Map: mapplanmodifier.RequiresReplaceIf(replaceMetadata, replaceKnown, replaceKnown)}}
	tags, _ := all["tags"].(schema.ListAttribute)
	tags.MarkdownDescription += replaces
	tags.PlanModifiers = []planmodifier.List{framework.ReplacingList{List: listplanmodifier.RequiresReplaceIf(replaceTags, replaceKnown, replaceKnown)}}
	all["metadata"], all["tags"] = metadata, tags
	return all
}

func llmRunSchema() schema.Schema {
	attributes := replacing()
	maps.Copy(attributes, map[string]schema.Attribute{
		"workspace_id": framework.ReplacingKnown(framework.ResourceWorkspaceAttribute("run")),
		"triggers": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Arbitrary values, such as the ID of a revision. Changed and unknown values log another run.",
			PlanModifiers:       []planmodifier.Map{framework.ReplacingMap{Map: mapplanmodifier.RequiresReplace()}},
		},
		"id":       framework.ComputedString("ID of the run."),
		"trace_id": framework.ComputedString("ID of the run's trace."),
		"status": framework.ComputedString("`success` or `error`; `pending` until the end of the run is processed; null " +
			"until the service returns the run."),
		"prompt_tokens":               computedCount("Prompt tokens."),
		"completion_tokens":           computedCount("Completion tokens."),
		"total_tokens":                computedCount("All tokens."),
		"prompt_cost":                 framework.ComputedString("Cost of the prompt in US dollars; null without a price."),
		"completion_cost":             framework.ComputedString("Cost of the completion in US dollars; null without a price."),
		"total_cost":                  framework.ComputedString("Cost of the run in US dollars; null without a price."),
		"time_to_first_token_seconds": computedSeconds("Time to first token, in seconds, if streamed."),
		"url":                         framework.ComputedString("URL of the run in the service's UI, if known."),
		"timeouts": framework.Timeouts(context.Background(), "Timeouts of operations.", timeouts.Opts{
			Create: true, CreateDescription: "Limit for logging and processing, such as `30s`. Default: `2m`.",
		}),
	})
	return schema.Schema{
		MarkdownDescription: "Logs one run of a language model into a tracing project: a smoke test of tracing, or a marker of a " +
			"deployment. The resource waits until the service has processed the run, and has the results: tokens, costs, time to " +
			"first token. LangSmith describes " +
			"[runs and traces](https://docs.langchain.com/langsmith/observability-concepts).\n\n~> Destroying the resource only " +
			"removes it from state. To log another run, change `triggers` or use `terraform apply -replace`. Once the run is " +
			"processed, the results in state are final, even if the service deletes the run; the data source `agentplane_runs` " +
			"reads the current ones. The action `agentplane_log_llm_run` logs a run without state.\n\nIf the service hasn't " +
			"processed the run within `timeouts.create`, or doesn't respond, the apply ends with a warning and a null `status`. " +
			"The next apply resumes waiting, sends the run again with the same ID if it hasn't arrived, and fails if it still " +
			"can't be found. To also fail the first apply, add a `postcondition` that `self.status` is `\"success\"`: it doesn't " +
			"taint the resource.\n\nThe configuration of an imported run must set `project_id` and repeat what was logged, or " +
			"the next apply logs another run.",
		Attributes: attributes,
	}
}

func computedCount(description string) schema.Int64Attribute {
	return schema.Int64Attribute{
		Computed: true, MarkdownDescription: description, PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
}

func computedSeconds(description string) schema.Float64Attribute {
	return schema.Float64Attribute{
		Computed: true, MarkdownDescription: description, PlanModifiers: []planmodifier.Float64{float64planmodifier.UseStateForUnknown()},
	}
}

// replaceOther replaces only for another value: an equivalent one logs no other run.
func replaceOther(same func(ctx context.Context, before, after string) bool) planmodifier.String {
	const description = "Changing the value replaces the resource; an equivalent value doesn't."
	return framework.ReplacingString{String: stringplanmodifier.RequiresReplaceIf(
		func(ctx context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
			if req.PlanValue.IsUnknown() {
				resp.Diagnostics.Append(framework.Undecided(req.Path)...)
				return
			}
			resp.RequiresReplace = req.PlanValue.IsNull() || req.StateValue.IsNull() ||
				!same(ctx, req.StateValue.ValueString(), req.PlanValue.ValueString())
		}, description, description)}
}

const replaceKnown = "Changing a known value replaces the resource."

func replaceMetadata(_ context.Context, req planmodifier.MapRequest, resp *mapplanmodifier.RequiresReplaceIfFuncResponse) {
	differs := !maps.EqualFunc(req.PlanValue.Elements(), req.StateValue.Elements(), mayEqual)
	resp.RequiresReplace, resp.Diagnostics = replaceElements(req.Path, req.PlanValue, req.StateValue, differs)
}

func replaceTags(_ context.Context, req planmodifier.ListRequest, resp *listplanmodifier.RequiresReplaceIfFuncResponse) {
	differs := !slices.EqualFunc(req.PlanValue.Elements(), req.StateValue.Elements(), mayEqual)
	resp.RequiresReplace, resp.Diagnostics = replaceElements(req.Path, req.PlanValue, req.StateValue, differs)
}

// replaceElements replaces for other elements, and none are not an empty collection.
func replaceElements(at path.Path, is, was attr.Value, differs bool) (bool, diag.Diagnostics) {
	if is.IsUnknown() || !differs && is.IsNull() == was.IsNull() {
		return false, framework.Undecided(at)
	}
	return true, nil
}

// mayEqual reports whether a planned value is the one in state, or unknown.
func mayEqual(is, was attr.Value) bool { return is.IsUnknown() || is.Equal(was) }

// isSameJSON ignores whitespace and the order of keys.
func isSameJSON(ctx context.Context, before, after string) bool {
	same, diags := jsontypes.NewNormalizedValue(before).StringSemanticEquals(ctx, jsontypes.NewNormalizedValue(after))
	return same && !diags.HasError()
}

// isSameDuration treats 1s and 1000ms as equal.
func isSameDuration(_ context.Context, before, after string) bool {
	one, err := time.ParseDuration(before)
	other, otherErr := time.ParseDuration(after)
	return err == nil && otherErr == nil && one == other
}

// isSameTime compares with the precision that the service stores.
func isSameTime(_ context.Context, before, after string) bool { return timestamp.IsSame(before, after) }

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

func listAttributes() map[string]dataschema.Attribute {
	filter := func(of string) dataschema.StringAttribute {
		return framework.DataFilter("Only runs "+of+".", stringvalidator.LengthAtLeast(1))
	}
	flag := func(description string) dataschema.BoolAttribute {
		return dataschema.BoolAttribute{Optional: true, MarkdownDescription: description}
	}
	return map[string]dataschema.Attribute{
		"project_id":    framework.DataKey("ID of the tracing project."+oneProject, framework.UUID(), exactlyOneProject()),
		"project_name":  framework.DataFilter("Exact name of the tracing project."+oneProject, stringvalidator.LengthAtLeast(1)),
		"deployment_id": framework.DataFilter("Deployment whose tracing project is read."+oneProject, framework.UUID()),
		"ids": dataschema.ListAttribute{
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
		"order":          framework.DataFilter("`desc` (newest first) or `asc`. Default: `desc`.", framework.OneOf("asc", "desc")),
		"limit": dataschema.Int64Attribute{
			Optional: true, MarkdownDescription: "Maximum number of runs, from 1 to 10000. Default: 100.",
			Validators: []validator.Int64{framework.Between(1, maxLimit)},
		},
		"include_content": flag("Whether to read inputs and outputs into `contents`, which is stored in state. " +
			"Default: `false`."),
		"runs": framework.DataList("The runs, by start time; unknown values are null.", attributes()),
		"unpriced_run_count": dataschema.Int64Attribute{Computed: true, MarkdownDescription: "Number of model calls in `runs` " +
			"without a cost: no price matches, or no tokens were logged, as for calls that failed or still run. Unless it is 0, " +
			"costs may be too low. For all calls of a project, read `statistics.unpriced_run_count` of " +
			"`agentplane_tracing_project`."},
		"unpriced_tokens": dataschema.Int64Attribute{Computed: true, MarkdownDescription: "Logged tokens of the calls in " +
			"`unpriced_run_count`."},
		"cost_incomplete_run_count": dataschema.Int64Attribute{Computed: true, MarkdownDescription: "Number of model calls in `runs` " +
			"with reasons in `cost_incomplete`."},
		"cost_unchecked_run_count": dataschema.Int64Attribute{Computed: true, MarkdownDescription: "Number of model calls in `runs` " +
			"with a cost and a null `cost_incomplete`."},
		// One sensitive attribute for all runs: Terraform marks each sensitive attribute in a list separately, which
		// takes quadratic time.
		"contents": dataschema.MapNestedAttribute{
			Computed: true, Sensitive: true,
			MarkdownDescription: "Inputs and outputs of each run, by its ID; null unless `include_content` is set.",
			NestedObject:        framework.ComputedObject(contentAttributes()),
		},
	}
}

// attributes returns the attributes of one run.
func attributes() map[string]dataschema.Attribute {
	text := framework.DataString
	seconds := func(description string) dataschema.Float64Attribute {
		return dataschema.Float64Attribute{Computed: true, MarkdownDescription: description}
	}
	tokens := func(of string) dataschema.Int64Attribute {
		return dataschema.Int64Attribute{Computed: true, MarkdownDescription: of + ", including child runs."}
	}
	cost := func(of string) dataschema.StringAttribute {
		return text(of + " in US dollars, including child runs.")
	}
	return map[string]dataschema.Attribute{
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
		"tags":                        dataschema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Tags of the run."},
		"model_name":                  text("Name of the model, from the metadata or, with `include_content`, from the inputs."),
		"model_provider":              text("Provider of the model, from the metadata."),
		"prompt_tokens":               tokens("Tokens of the prompt"),
		"completion_tokens":           tokens("Tokens of the completion"),
		"total_tokens":                tokens("All tokens"),
		"prompt_cost":                 cost("Cost of the prompt"),
		"completion_cost":             cost("Cost of the completion"),
		"total_cost":                  cost("Total cost"),
		"cost_incomplete": dataschema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Why the " +
			"calculated cost isn't all that the provider bills, such as `no price for priority`; empty if it is, null if unknown."},
		"app_path": text("Path of the run's page, on the host of the service's UI."),
	}
}

// contentAttributes returns the attributes for inputs and outputs of one run.
func contentAttributes() map[string]dataschema.Attribute {
	text := framework.DataString
	return map[string]dataschema.Attribute{
		"inputs_json":          text("Inputs as JSON."),
		"outputs_json":         text("Outputs as JSON."),
		"input_messages_json":  text("Messages of the inputs in the native format as JSON, if recognised."),
		"output_messages_json": text("Messages of the outputs in the native format as JSON, if recognised."),
	}
}
