package tracingproject

import (
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// windowAttributes choose the runs that statistics are about.
func windowAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"statistics_window": schema.StringAttribute{
			Optional:   true,
			CustomType: timetypes.GoDurationType{},
			MarkdownDescription: "Reads `statistics` of the runs that began within this time, as a duration such as `1h` or `168h`, " +
				"counted back from `statistics_end_time` or else from now. Default: no statistics, and no request for them, " +
				"unless another `statistics_` attribute is set.",
			Validators: []validator.String{
				framework.Duration(),
				stringvalidator.ConflictsWith(path.MatchRoot("statistics_start_time")),
			},
		},
		"statistics_start_time": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Reads `statistics` of the runs that began at this time or later (RFC 3339). Default: no lower bound.",
			Validators:          []validator.String{framework.Time()},
		},
		"statistics_end_time": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Reads `statistics` of the runs that began before this time (RFC 3339). Default: no upper bound.",
			Validators:          []validator.String{framework.Time()},
		},
		"statistics": statisticsAttribute(),
	}
}

func statisticsAttribute() schema.SingleNestedAttribute {
	seconds := func(of string) schema.Float64Attribute {
		return schema.Float64Attribute{Computed: true, MarkdownDescription: of + ", in seconds; null where no run tells it."}
	}
	count := func(of string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: of + "."}
	}
	cost := func(of string) schema.StringAttribute {
		return computed(of + " in US dollars, an exact decimal; null where no run has a cost. `tonumber` makes it a number.")
	}
	rate := func(of string) schema.Float64Attribute {
		return schema.Float64Attribute{Computed: true, MarkdownDescription: of + ", from 0 to 1; null without any trace."}
	}
	return schema.SingleNestedAttribute{
		Computed: true,
		MarkdownDescription: "Figures of the traces that the `statistics_` attributes choose; null while none of them is set. A `check` " +
			"block can assert them after an apply.",
		Attributes: map[string]schema.Attribute{
			"run_count":           count("Number of traces, which is that of root runs"),
			"latency_p50":         seconds("Median of how long the finished traces took"),
			"latency_p99":         seconds("99th percentile of how long the finished traces took"),
			"first_token_p50":     seconds("Median of the time to the first token of a trace"),
			"first_token_p99":     seconds("99th percentile of the time to the first token of a trace"),
			"total_tokens":        count("Tokens of all runs of the traces"),
			"prompt_tokens":       count("Tokens of the prompts"),
			"completion_tokens":   count("Tokens of the completions"),
			"total_cost":          cost("What all runs of the traces have cost"),
			"prompt_cost":         cost("What the prompts have cost"),
			"completion_cost":     cost("What the completions have cost"),
			"error_rate":          rate("Share of the traces that failed"),
			"streaming_rate":      rate("Share of the traces with a first token"),
			"last_run_start_time": computed("When the newest trace began (RFC 3339); null without any."),
		},
	}
}
