package run

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

type llmRunResource struct{ framework.Resource }

var (
	_ resource.ResourceWithConfigure      = (*llmRunResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*llmRunResource)(nil)
	_ resource.ResourceWithValidateConfig = (*llmRunResource)(nil)
)

// NewResource is the resource agentplane_llm_run.
func NewResource() resource.Resource { return &llmRunResource{} }

// llmRunModel is the resource: what is logged, and what the service has made of it.
type llmRunModel struct {
	logModel

	Triggers                types.Map      `tfsdk:"triggers"`
	ID                      types.String   `tfsdk:"id"`
	TraceID                 types.String   `tfsdk:"trace_id"`
	Status                  types.String   `tfsdk:"status"`
	PromptTokens            types.Int64    `tfsdk:"prompt_tokens"`
	CompletionTokens        types.Int64    `tfsdk:"completion_tokens"`
	TotalTokens             types.Int64    `tfsdk:"total_tokens"`
	PromptCost              types.String   `tfsdk:"prompt_cost"`
	CompletionCost          types.String   `tfsdk:"completion_cost"`
	TotalCost               types.String   `tfsdk:"total_cost"`
	TimeToFirstTokenSeconds types.Float64  `tfsdk:"time_to_first_token_seconds"`
	URL                     types.String   `tfsdk:"url"`
	Timeouts                timeouts.Value `tfsdk:"timeouts"`
}

func (r *llmRunResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_llm_run"
}

func (r *llmRunResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = llmRunSchema(ctx)
}

func (r *llmRunResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config llmRunModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(config.validate()...)
	}
}

// ModifyPlan implements resource.ResourceWithModifyPlan: it fills in the workspace.
func (r *llmRunResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var planned llmRunModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned.WorkspaceID = r.PlannedWorkspace(planned.WorkspaceID)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &planned)...)
}

func (r *llmRunResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan llmRunModel
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	limit, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := r.In(plan.WorkspaceID)
	sent, diags := plan.log(ctx, c, now(r.Clock))
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Whatever happens from here on, the run is logged.
	plan.forget(sent)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	run, err := sent.process(ctx, c, poll.Policy{Clock: r.Clock}, limit)
	if err != nil {
		resp.Diagnostics.Append(sent.notProcessed(err)...)
		return
	}
	resp.Diagnostics.Append(plan.take(run)...)
	plan.URL = framework.StringOrNull(sent.address(ctx, c))
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read looks what the service has made of the run since. One that is gone stays what it was.
func (r *llmRunResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state llmRunModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || r.Client == nil || state.ProjectID.IsNull() {
		return
	}
	run, err := r.In(state.WorkspaceID).GetRun(ctx, state.ProjectID.ValueString(), state.ID.ValueString(), fields...)
	switch {
	case client.IsNotFound(err):
	case err != nil:
		resp.Diagnostics.Append(framework.Failure{Summary: "Cannot read the run"}.Diagnostics(err)...)
	default:
		resp.Diagnostics.Append(state.take(*run)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// Update has nothing to send: what could be sent replaces.
func (r *llmRunResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete forgets the run, which the framework does.
func (r *llmRunResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// forget sets what only the service can tell to nothing, so that nothing unknown is stored.
func (m *llmRunModel) forget(sent logged) {
	m.ID, m.TraceID = types.StringValue(sent.id.String()), types.StringValue(sent.id.String())
	m.ProjectID = framework.StringOrNull(sent.projectID)
	m.Status = types.StringNull()
	if m.StartTime.IsUnknown() {
		m.StartTime = types.StringNull()
	}
	m.PromptTokens, m.CompletionTokens, m.TotalTokens = types.Int64Null(), types.Int64Null(), types.Int64Null()
	m.PromptCost, m.CompletionCost, m.TotalCost = types.StringNull(), types.StringNull(), types.StringNull()
	m.TimeToFirstTokenSeconds, m.URL = types.Float64Null(), types.StringNull()
}

// take fills in what the service has found.
func (m *llmRunModel) take(run api.Run) (diags diag.Diagnostics) {
	found, diags := newModel(run)
	m.ProjectID = framework.StringOrNull(run.ProjectID)
	m.Status, m.PromptTokens, m.CompletionTokens, m.TotalTokens = found.Status, found.PromptTokens, found.CompletionTokens, found.TotalTokens
	m.PromptCost, m.CompletionCost, m.TotalCost = found.PromptCost, found.CompletionCost, found.TotalCost
	m.TimeToFirstTokenSeconds = found.TimeToFirstTokenSeconds
	if m.StartTime.IsNull() {
		m.StartTime = found.StartTime
	}
	return diags
}

// now is the time that runs are logged at.
func now(clock framework.Clock) time.Time {
	if clock == nil {
		return time.Now()
	}
	return clock.Now()
}
