package run

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// NewListDataSource is the data source agentplane_runs.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "runs", Attributes: listAttributes, Read: readList,
		Description: "Reads runs of a tracing project: model calls, tool calls and chains, with tokens, costs and time to first " +
			"token. Inputs and outputs are read, and stored in state, only with `include_content`.",
	})
}

func readList(ctx context.Context, _ *framework.ProviderData, c *client.Client, config *listModel) diag.Diagnostics {
	if diags := config.refuseTimes(); diags.HasError() {
		return diags
	}
	project, diags := lookup.ProjectReference{
		ID: config.ProjectID, Name: config.ProjectName, DeploymentID: config.DeploymentID, NamePath: path.Root("project_name"),
	}.Find(ctx, c)
	if diags.HasError() {
		return diags
	}
	query := config.toQuery(project.ID)
	var runs []api.Run
	if config.IDs.IsNull() || len(query.IDs) > 0 { // The service treats an empty list as no filter.
		var err error
		if runs, err = c.QueryRuns(ctx, query, int(cmp.Or(config.Limit.ValueInt64(), defaultLimit))); err != nil {
			return refusedQuery(ctx, c, query, err)
		}
	}
	config.ProjectID = types.StringValue(project.ID)
	config.Runs = make([]model, len(runs))
	if config.IncludeContent.ValueBool() {
		config.Contents = make(map[string]content, len(runs))
	}
	config.countGaps(runs)
	for i, run := range runs {
		var d diag.Diagnostics
		config.Runs[i], d = newModel(run)
		diags.Append(d...)
		if config.Contents != nil {
			config.Contents[run.ID] = newContent(run)
		}
	}
	return diags
}

// refuseTimes refuses bounds between which no run can start.
func (m listModel) refuseTimes() diag.Diagnostics {
	from, wrongFrom := time.Parse(time.RFC3339, m.MinStartTime.ValueString())
	to, wrongTo := time.Parse(time.RFC3339, m.MaxStartTime.ValueString())
	if wrongFrom != nil || wrongTo != nil || !from.After(to) { // Null is in another form, too.
		return nil
	}
	return framework.ErrorAt(path.Root("min_start_time"), "Invalid "+path.Root("min_start_time").String(), "min_start_time is %s, which is after "+
		"max_start_time, %s. Exchange them.", m.MinStartTime.ValueString(), m.MaxStartTime.ValueString())
}

// listModel is the data source.
type listModel struct {
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

	ID             types.String  `tfsdk:"id"`
	TraceID        types.String  `tfsdk:"trace_id"`
	ParentRunID    types.String  `tfsdk:"parent_run_id"`
	Name           types.String  `tfsdk:"name"`
	RunType        types.String  `tfsdk:"run_type"`
	StartTime      types.String  `tfsdk:"start_time"`
	EndTime        types.String  `tfsdk:"end_time"`
	LatencySeconds types.Float64 `tfsdk:"latency_seconds"`
	Error          types.String  `tfsdk:"error"`
	ThreadID       types.String  `tfsdk:"thread_id"`
	Tags           types.List    `tfsdk:"tags"`
	ModelName      types.String  `tfsdk:"model_name"`
	ModelProvider  types.String  `tfsdk:"model_provider"`
	AppPath        types.String  `tfsdk:"app_path"`
	CostIncomplete types.List    `tfsdk:"cost_incomplete"` // Null if unknown.
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
	query := framework.Expand[api.RunQuery](m)
	query.ProjectIDs, query.Selects, query.IncludeSubtreeUsage = []string{projectID}, fields, true
	query.RunType, query.SortOrder = strings.ToUpper(m.RunType.ValueString()), strings.ToUpper(m.Order.ValueString())
	if m.IncludeContent.ValueBool() {
		query.Selects = append(append([]string{}, fields...), contentFields...)
	}
	return query
}

// newModel converts a run that the service returned.
func newModel(run api.Run) (model, diag.Diagnostics) {
	m := framework.Flatten(model{}, run)
	m.RunType, m.Status = framework.StringOrNull(strings.ToLower(run.RunType)), framework.StringOrNull(strings.ToLower(run.Status))
	m.PromptTokens = types.Int64Value(api.OrEmpty(run.PromptTokens)) // Services may omit zero.
	m.CompletionTokens, m.TotalTokens = types.Int64Value(api.OrEmpty(run.CompletionTokens)), types.Int64Value(api.OrEmpty(run.TotalTokens))
	m.TimeToFirstTokenSeconds, m.Tags = firstToken(run), framework.TextList(append([]string{}, run.Tags...))
	if n := len(run.ParentRunIDs); n > 0 {
		m.ParentRunID = types.StringValue(run.ParentRunIDs[n-1])
	}
	m.ModelName, m.ModelProvider = modelOf(run)
	var diags diag.Diagnostics
	for _, cost := range []struct {
		from *json.Number
		to   *types.String
	}{{run.PromptCost, &m.PromptCost}, {run.CompletionCost, &m.CompletionCost}, {run.TotalCost, &m.TotalCost}} {
		var more diag.Diagnostics
		*cost.to, more = exact(cost.from)
		diags.Append(more...)
	}
	return m, diags
}

// newContent converts inputs and outputs of a run.
func newContent(run api.Run) content {
	return content{
		InputsJSON: newText(run.Inputs), OutputsJSON: newText(run.Outputs),
		InputMessagesJSON: messages(run.Inputs, document.Inputs), OutputMessagesJSON: messages(run.Outputs, document.Outputs),
	}
}

// exact is a cost as a string with all its digits.
func exact(cost *json.Number) (types.String, diag.Diagnostics) {
	if cost == nil {
		return types.StringNull(), nil
	}
	amount, err := decimal.Parse(cost.String())
	if err != nil {
		return types.StringNull(), framework.NewError("Cannot read a run", "The service returned a cost that is not a number: %s.", err)
	}
	return types.StringValue(amount.String()), nil
}

func newText(raw json.RawMessage) types.String { return framework.StringOrNull(string(raw)) }

// messages converts inputs or outputs to the native format; null if no format is recognised.
func messages(raw json.RawMessage, side document.Side) types.String {
	if raw == nil {
		return types.StringNull()
	}
	found, err := message.Normalize(raw, side)
	if err != nil || found.Format == document.FormatUnrecognized {
		return types.StringNull()
	}
	return types.StringValue(string(found.Native()))
}

// modelOf returns the model in the metadata or inputs of a run.
func modelOf(run api.Run) (name, provider types.String) {
	members := map[string]json.RawMessage{}
	for key, value := range map[string]json.RawMessage{"metadata": run.Metadata, "inputs": run.Inputs} {
		if value != nil {
			members[key] = value
		}
	}
	decoded, _ := llmrun.DecodeRunMembers(members)
	found := decoded.Model()
	return framework.StringOrNull(found.Name), framework.StringOrNull(found.Provider)
}

// firstToken returns the time to first token of a run; null if one of the times is unknown.
func firstToken(run api.Run) types.Float64 {
	first, known := since(run.StartTime, run.FirstTokenTime)
	if !known {
		return types.Float64Null()
	}
	return types.Float64Value(first.Seconds())
}

// countGaps counts the calls of models without a cost, and their tokens, and those whose cost is incomplete, or not known to be complete. A
// call without tokens counts, too: a client that logs no usage would otherwise look like one that spends nothing.
func (m *listModel) countGaps(runs []api.Run) {
	var unpriced, tokens, incomplete, unchecked int64
	for _, run := range runs {
		switch {
		case !llmrun.RunType(strings.ToLower(run.RunType)).CallsModel():
		case run.TotalCost == nil:
			unpriced, tokens = unpriced+1, tokens+api.OrEmpty(run.TotalTokens)
		case run.CostIncomplete == nil:
			unchecked++
		case len(run.CostIncomplete) > 0:
			incomplete++
		}
	}
	m.UnpricedRunCount, m.UnpricedTokens = types.Int64Value(unpriced), types.Int64Value(tokens)
	m.CostIncompleteRunCount, m.CostUncheckedRunCount = types.Int64Value(incomplete), types.Int64Value(unchecked)
}

// refusedQuery describes why runs can't be read. The service refuses a filter without saying which of the three it is, so each
// is tried alone.
func refusedQuery(ctx context.Context, c *client.Client, query api.RunQuery, err error) diag.Diagnostics {
	failure := framework.Failure{Summary: "Cannot read runs"}
	if !isRefusal(err) {
		return failure.Diagnostics(err)
	}
	var diags diag.Diagnostics
	for _, condition := range []struct {
		attribute string
		alone     api.RunQuery
	}{
		{"filter", api.RunQuery{Filter: query.Filter}},
		{"trace_filter", api.RunQuery{TraceFilter: query.TraceFilter}},
		{"tree_filter", api.RunQuery{TreeFilter: query.TreeFilter}},
	} {
		alone := condition.alone
		if alone.Filter+alone.TraceFilter+alone.TreeFilter == "" {
			continue
		}
		alone.ProjectIDs, alone.Selects, alone.MinStartTime = query.ProjectIDs, []string{"ID"}, query.MinStartTime
		if _, err := c.QueryRuns(ctx, alone, 1); isRefusal(err) {
			for _, d := range failure.Diagnostics(err) {
				diags.AddAttributeError(path.Root(condition.attribute), "Invalid "+condition.attribute, condition.attribute+": "+d.Detail())
			}
		}
	}
	if !diags.HasError() {
		return failure.Diagnostics(err)
	}
	return diags
}

// isRefusal reports whether the service refused the query itself.
func isRefusal(err error) bool {
	status := client.StatusOf(err)
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
}
