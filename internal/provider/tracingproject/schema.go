package tracingproject

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// attributes are those of one tracing project, with the three that it can be looked up by.
func attributes() map[string]schema.Attribute {
	all := projectAttributes()
	maps.Copy(all, map[string]schema.Attribute{
		"id": framework.DataKey("ID of the tracing project. Exactly one of `id`, `name` and `deployment_id` is set.",
			framework.UUID(), framework.ExactlyOneOf("id", "name", "deployment_id")),
		"name":          framework.DataKey("Exact name of the tracing project, unique in the workspace.", stringvalidator.LengthAtLeast(1)),
		"deployment_id": framework.DataFilter("Deployment whose traces the project collects.", framework.UUID()),
	})
	maps.Copy(all, windowAttributes())
	return all
}

// projectAttributes are read from the service, whatever a project was looked up by.
func projectAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"description":          framework.DataString("Description of the tracing project."),
		"start_time":           framework.DataString("Time of creation (RFC 3339)."),
		"end_time":             framework.DataString("When the tracing project was closed (RFC 3339)."),
		"reference_dataset_id": framework.DataString("ID of the dataset that the tracing project evaluates, if any."),
	}
}

// model is one tracing project, and what it was looked up by.
type model struct {
	projectModel
	DeploymentID types.String `tfsdk:"deployment_id"`

	StatisticsWindow            timetypes.GoDuration `tfsdk:"statistics_window"`
	StatisticsStartTime         types.String         `tfsdk:"statistics_start_time"`
	StatisticsEndTime           types.String         `tfsdk:"statistics_end_time"`
	StatisticsExcludeInterrupts types.Bool           `tfsdk:"statistics_exclude_interrupts"`
	Statistics                  types.Object         `tfsdk:"statistics"`
}

// projectModel is what the service returns of a tracing project.
type projectModel struct {
	ID                 types.String `tfsdk:"id"`
	Name               types.String `tfsdk:"name"`
	Description        types.String `tfsdk:"description"`
	StartTime          types.String `tfsdk:"start_time"`
	EndTime            types.String `tfsdk:"end_time"`
	ReferenceDatasetID types.String `tfsdk:"reference_dataset_id"`
}

// windowAttributes choose the runs that statistics are about.
func windowAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"statistics_window": schema.StringAttribute{
			Optional:   true,
			CustomType: timetypes.GoDurationType{},
			MarkdownDescription: "Reads `statistics` of the runs that started within this time, such as `1h` or `168h`, before " +
				"`statistics_end_time` or now.",
			Validators: []validator.String{
				framework.Duration(),
				stringvalidator.ConflictsWith(path.MatchRoot("statistics_start_time")),
			},
		},
		"statistics_start_time": framework.DataFilter("Reads `statistics` of the runs that started at this time or later (RFC "+
			"3339).", framework.Time()),
		"statistics_end_time": framework.DataFilter("Reads `statistics` of the runs that started before this time (RFC 3339).", framework.Time()),
		"statistics_exclude_interrupts": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to leave interrupts out of `error_rate`, which is then null if `interrupted_run_count` " +
				"is. Default: `false`.",
		},
		"statistics": statisticsAttribute("Statistics of the traces that started in the chosen time, null where there is no " +
			"value; null as a whole if none of `statistics_window`, `statistics_start_time` and `statistics_end_time` is set."),
	}
}

func statisticsAttribute(description string) schema.SingleNestedAttribute {
	seconds := func(of string) schema.Float64Attribute {
		return schema.Float64Attribute{Computed: true, MarkdownDescription: of + ", in seconds."}
	}
	count := func(of string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: of + "."}
	}
	cost := func(of string) schema.StringAttribute {
		return framework.DataString(of + " in US dollars, for `tonumber`.")
	}
	rate := func(of string) schema.Float64Attribute {
		return schema.Float64Attribute{Computed: true, MarkdownDescription: of + ", from 0 to 1."}
	}
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"run_count":         count("Number of traces"),
			"latency_p50":       seconds("Median latency"),
			"latency_p99":       seconds("99th percentile of the latency"),
			"first_token_p50":   seconds("Median time to first token"),
			"first_token_p99":   seconds("99th percentile of the time to first token"),
			"total_tokens":      count("Tokens of all runs"),
			"prompt_tokens":     count("Tokens of the prompts"),
			"completion_tokens": count("Tokens of the completions"),
			"total_cost":        cost("Cost of all runs"),
			"prompt_cost":       cost("Cost of the prompts"),
			"completion_cost":   cost("Cost of the completions"),
			"unpriced_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of model calls without a " +
				"cost: no price matches, or no tokens were logged, as for calls that failed or still run. Unless it is 0, costs " +
				"may be too low. Null if the service can't search for them."},
			"unpriced_tokens": schema.Int64Attribute{Computed: true, MarkdownDescription: "Logged tokens of these calls; null " +
				"with it."},
			"cost_incomplete_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of model calls whose " +
				"calculated cost isn't all that the provider bills, because a tool or a tier has no price. Unless it is 0, costs " +
				"may be wrong. Null if unknown."},
			"cost_unchecked_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of model calls of " +
				"which that isn't known; null with `cost_incomplete_run_count`."},
			"unread_span_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of OpenTelemetry spans with " +
				"content or tokens that the dev server can't read; the metadata `OTEL_UNREAD_ATTRIBUTES` of their runs names the " +
				"attributes. 0 for other services."},
			"interrupted_run_count": schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of traces whose error is " +
				"a `GraphInterrupt`: a LangGraph graph waits for input. Null if the service can't search for them."},
			"error_rate":          rate("Share of traces that failed"),
			"streaming_rate":      rate("Share of traces with a first token"),
			"last_run_start_time": framework.DataString("When the newest trace started (RFC 3339)."),
			"feedback_scores": schema.MapAttribute{
				Computed: true, ElementType: types.Float64Type,
				MarkdownDescription: "Average score of the feedback on root runs, by feedback key; `true` counts as 1 and " +
					"`false` as 0.",
			},
			"feedback_counts": schema.MapAttribute{
				Computed: true, ElementType: types.Int64Type,
				MarkdownDescription: "Number of feedback entries on root runs, by feedback key.",
			},
		},
	}
}
