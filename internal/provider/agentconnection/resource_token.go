package agentconnection

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type tokenResource struct{ framework.Resource }

var (
	_ resource.ResourceWithConfigure  = (*tokenResource)(nil)
	_ resource.ResourceWithIdentity   = (*tokenResource)(nil)
	_ resource.ResourceWithModifyPlan = (*tokenResource)(nil)
)

// NewTokenResource is the resource agentplane_agent_provider_token.
func NewTokenResource() resource.Resource { return &tokenResource{} }

func (r *tokenResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_agent_provider_token"
}

func (r *tokenResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = tokenSchema()
}

// IdentitySchema implements resource.ResourceWithIdentity.
func (r *tokenResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identitySchema()
}

// ModifyPlan implements resource.ResourceWithModifyPlan: it fills in the workspace, and leaves open when the token will expire.
func (r *tokenResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var planned, state tokenModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	filled := planned
	filled.WorkspaceID = r.PlannedWorkspace(planned.WorkspaceID)
	if !req.State.Raw.IsNull() && planned.differs(state) {
		filled.ExpiresAt = types.StringUnknown()
	}
	resp.Diagnostics.Append(framework.WriteChanged(ctx, resp.Plan.Schema, &resp.Plan.Raw, planned, filled)...)
}

func (r *tokenResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config tokenModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(r.upsert(ctx, plan, config, framework.StateWriter{State: &resp.State, Identity: resp.Identity}, resp.Diagnostics)...)
}

func (r *tokenResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state tokenModel
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.Client == nil { // Only plans see that: the last known state stands.
		resp.Diagnostics.Append(stored.Write(ctx, state)...)
		return
	}
	c := r.In(state.WorkspaceID)
	found, err := c.FindAgentConnection(ctx, state.AgentID.ValueString(), state.ID.ValueString())
	switch {
	case err != nil:
		resp.Diagnostics.Append(failure("read a token of", state.AgentID).Diagnostics(err)...)
	case found == nil:
		resp.Diagnostics.AddWarning("Token of the agent is gone", gone(state.AgentID, state.ID))
		resp.Diagnostics.Append(stored.Remove(ctx, state)...)
	default:
		resp.Diagnostics.Append(stored.Write(ctx, newTokenModel(ctx, state, framework.StringOrNull(c.WorkspaceID()), *found))...)
	}
}

func (r *tokenResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state, config tokenModel
	stored := framework.StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() && !plan.differs(state) {
		resp.Diagnostics.Append(stored.Write(ctx, framework.KeepPlanned(ctx, plan, state))...)
		return
	}
	resp.Diagnostics.Append(r.upsert(ctx, plan, config, stored, resp.Diagnostics)...)
}

// upsert sends the tokens of the configuration with what is planned, unless something was wrong before.
func (r *tokenResource) upsert(
	ctx context.Context, plan, config tokenModel, stored framework.StateWriter, before diag.Diagnostics,
) diag.Diagnostics {
	if before.HasError() {
		return nil
	}
	diags := r.Configured()
	plan.AccessTokenWO, plan.RefreshTokenWO = config.AccessTokenWO, config.RefreshTokenWO
	request, d := plan.toUpsert(ctx)
	if diags.Append(d...); diags.HasError() {
		return diags
	}
	ctx = framework.MaskValues(ctx, plan.AccessTokenWO.ValueString(), plan.RefreshTokenWO.ValueString())
	c := r.In(plan.WorkspaceID)
	answer, err := c.UpsertAgentProviderToken(ctx, plan.AgentID.ValueString(), plan.ProviderID.ValueString(), request)
	if err != nil {
		failure := failure("store a token of", plan.AgentID)
		failure.NextSteps[http.StatusNotFound] = "Check provider_id. The resource agentplane_oauth_provider registers an OAuth provider."
		failure.NextSteps[http.StatusConflict] = "Another user has given the agent a token of this OAuth provider. They, or an administrator, " +
			"must remove it first."
		return append(diags, failure.Diagnostics(err)...)
	}
	answered := newTokenModel(ctx, plan, framework.StringOrNull(c.WorkspaceID()), *answer)
	kept := framework.KeepPlanned(ctx, plan, answered)
	kept.AccessTokenWO, kept.RefreshTokenWO = types.StringNull(), types.StringNull()
	return append(diags, stored.Write(ctx, kept)...)
}

func (r *tokenResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state tokenModel
	resp.Diagnostics.Append(r.Configured()...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	err := r.In(state.WorkspaceID).DeleteAgentConnection(ctx, state.AgentID.ValueString(), state.ID.ValueString())
	if err != nil && !client.IsNotFound(err) {
		resp.Diagnostics.Append(failure("remove a token of", state.AgentID).Diagnostics(err)...)
	}
}
