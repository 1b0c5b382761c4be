package agentconnection

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewTokenResource is the resource agentplane_agent_provider_token.
func NewTokenResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[tokenModel]{
		Name: "agent_provider_token", Schema: tokenSchema, Importer: importer{}, Noun: "token",
		Label: func(m tokenModel) string { return label(m.AgentID, m.ID) },
		Plan:  planToken, Create: createToken, Read: readToken, Update: updateToken, Delete: removeToken,
	})
}

// planToken fills in the workspace, and leaves open when the token will expire.
func planToken(
	_ context.Context, provider *framework.ProviderData, planning framework.Planning[tokenModel],
) (tokenModel, diag.Diagnostics) {
	planned := planning.Plan
	planned.WorkspaceID = provider.PlannedWorkspace(planning.Config, planned.WorkspaceID)
	if planning.State != nil && planned.differs(*planning.State) {
		planned.ExpiresAt = types.StringUnknown()
	}
	return planned, nil
}

func createToken(ctx context.Context, provider *framework.ProviderData, plan, config tokenModel) (*tokenModel, diag.Diagnostics) {
	plan.AccessTokenWO, plan.RefreshTokenWO = config.AccessTokenWO, config.RefreshTokenWO
	request, diags := plan.toUpsert(ctx)
	if diags.HasError() {
		return nil, diags
	}
	ctx = framework.MaskValues(ctx, plan.AccessTokenWO.ValueString(), plan.RefreshTokenWO.ValueString())
	c := provider.In(plan.WorkspaceID)
	answer, err := c.UpsertAgentProviderToken(ctx, plan.AgentID.ValueString(), plan.ProviderID.ValueString(), request)
	if err != nil {
		failure := failure("store a token of", plan.AgentID)
		failure.NextSteps[http.StatusNotFound] = "Check provider_id. The resource agentplane_oauth_provider registers an OAuth provider."
		failure.NextSteps[http.StatusConflict] = "Another user has already given the agent a token of this OAuth " +
			"provider. That user or an administrator must remove it first."
		return nil, failure.Diagnostics(err)
	}
	answered := newTokenModel(ctx, plan, framework.StringOrNull(c.WorkspaceID()), *answer)
	return &answered, nil
}

func readToken(ctx context.Context, provider *framework.ProviderData, state tokenModel) (*tokenModel, diag.Diagnostics) {
	found, workspaceID, diags := find(ctx, provider, state.identity())
	if found == nil {
		return nil, diags
	}
	refreshed := newTokenModel(ctx, state, workspaceID, *found)
	return &refreshed, diags
}

// updateToken sends the whole token: the service knows no partial change.
func updateToken(ctx context.Context, provider *framework.ProviderData, plan, state, config tokenModel) (*tokenModel, diag.Diagnostics) {
	if !plan.differs(state) {
		return &state, nil
	}
	return createToken(ctx, provider, plan, config)
}

func removeToken(ctx context.Context, provider *framework.ProviderData, state tokenModel) diag.Diagnostics {
	return disconnect(ctx, provider, state.identity())
}
