package run

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// listModel is the data source.
type listModel struct {
	WorkspaceID    types.String       `tfsdk:"workspace_id"`
	ProjectID      types.String       `tfsdk:"project_id"`
	ProjectName    types.String       `tfsdk:"project_name"`
	DeploymentID   types.String       `tfsdk:"deployment_id"`
	IDs            types.List         `tfsdk:"ids"`
	TraceID        types.String       `tfsdk:"trace_id"`
	RunType        types.String       `tfsdk:"run_type"`
	IsRoot         types.Bool         `tfsdk:"is_root"`
	HasError       types.Bool         `tfsdk:"has_error"`
	MinStartTime   types.String       `tfsdk:"min_start_time"`
	MaxStartTime   types.String       `tfsdk:"max_start_time"`
	Filter         types.String       `tfsdk:"filter"`
	TraceFilter    types.String       `tfsdk:"trace_filter"`
	TreeFilter     types.String       `tfsdk:"tree_filter"`
	Order          types.String       `tfsdk:"order"`
	Limit          types.Int64        `tfsdk:"limit"`
	IncludeContent types.Bool         `tfsdk:"include_content"`
	Runs           []model            `tfsdk:"runs"`
	Contents       map[string]content `tfsdk:"contents"` // By the ID of the run; null unless asked for.

	UnpricedRunCount types.Int64 `tfsdk:"unpriced_run_count"`
	UnpricedTokens   types.Int64 `tfsdk:"unpriced_tokens"`

	CostIncompleteRunCount types.Int64 `tfsdk:"cost_incomplete_run_count"`
	CostUncheckedRunCount  types.Int64 `tfsdk:"cost_unchecked_run_count"`
}

// content is the conversation of a run.
type content struct {
	InputsJSON         types.String `tfsdk:"inputs_json"`
	OutputsJSON        types.String `tfsdk:"outputs_json"`
	InputMessagesJSON  types.String `tfsdk:"input_messages_json"`
	OutputMessagesJSON types.String `tfsdk:"output_messages_json"`
}

// results are what the service computes of a run. The zero value is null.
type results struct {
	Status                  types.String  `tfsdk:"status"`
	PromptTokens            types.Int64   `tfsdk:"prompt_tokens"`
	CompletionTokens        types.Int64   `tfsdk:"completion_tokens"`
	TotalTokens             types.Int64   `tfsdk:"total_tokens"`
	PromptCost              types.String  `tfsdk:"prompt_cost"`
	CompletionCost          types.String  `tfsdk:"completion_cost"`
	TotalCost               types.String  `tfsdk:"total_cost"`
	TimeToFirstTokenSeconds types.Float64 `tfsdk:"time_to_first_token_seconds"`
}

// model is one run.
type model struct {
	results

	ID             types.String   `tfsdk:"id"`
	TraceID        types.String   `tfsdk:"trace_id"`
	ParentRunID    types.String   `tfsdk:"parent_run_id"`
	Name           types.String   `tfsdk:"name"`
	RunType        types.String   `tfsdk:"run_type"`
	StartTime      types.String   `tfsdk:"start_time"`
	EndTime        types.String   `tfsdk:"end_time"`
	LatencySeconds types.Float64  `tfsdk:"latency_seconds"`
	Error          types.String   `tfsdk:"error"`
	ThreadID       types.String   `tfsdk:"thread_id"`
	Tags           []types.String `tfsdk:"tags"`
	ModelName      types.String   `tfsdk:"model_name"`
	ModelProvider  types.String   `tfsdk:"model_provider"`
	AppPath        types.String   `tfsdk:"app_path"`
	CostIncomplete []types.String `tfsdk:"cost_incomplete"` // Nil if unknown.
}

// fields are read for each run; content is added on demand.
var (
	fields = []string{
		"ID", "PROJECT_ID", "TRACE_ID", "PARENT_RUN_IDS", "NAME", "RUN_TYPE", "STATUS", "START_TIME", "END_TIME", "LATENCY_SECONDS",
		"FIRST_TOKEN_TIME", "ERROR", "THREAD_ID", "TAGS", "METADATA", "PROMPT_TOKENS", "COMPLETION_TOKENS", "TOTAL_TOKENS",
		"PROMPT_COST", "COMPLETION_COST", "TOTAL_COST", "APP_PATH",
	}
	contentFields = []string{"INPUTS", "OUTPUTS"}
)

// toQuery converts the query to the API, whose enumerations are in capitals.
func (m listModel) toQuery(projectID string) api.RunQuery {
	query := api.RunQuery{
		ProjectIDs: []string{projectID}, TraceID: m.TraceID.ValueString(), RunType: strings.ToUpper(m.RunType.ValueString()),
		IsRoot: m.IsRoot.ValueBoolPointer(), HasError: m.HasError.ValueBoolPointer(),
		MinStartTime: m.MinStartTime.ValueString(), MaxStartTime: m.MaxStartTime.ValueString(), Filter: m.Filter.ValueString(),
		TraceFilter: m.TraceFilter.ValueString(), TreeFilter: m.TreeFilter.ValueString(), SortOrder: strings.ToUpper(m.Order.ValueString()),
		IDs: framework.Texts[string](m.IDs), Selects: fields, IncludeSubtreeUsage: true,
	}
	if m.IncludeContent.ValueBool() {
		query.Selects = append(append([]string{}, fields...), contentFields...)
	}
	return query
}
