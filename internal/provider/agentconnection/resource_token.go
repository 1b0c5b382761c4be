package agentconnection

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// NewTokenResource is the resource agentplane_agent_provider_token.
func NewTokenResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[tokenModel]{
		Name: "agent_provider_token", Schema: tokenSchema, Importer: importer{}, Noun: "token",
		Label: func(m tokenModel) string { return label(m.AgentID, m.ID) },
		Plan:  planToken, Create: createToken, Confirm: confirmToken,
		Read: readToken, Update: updateToken, Delete: removeToken,
	})
}

// defaultTokenTimeout is how long a creation may take.
const defaultTokenTimeout = 10 * time.Minute

// planToken fills in the workspace, looks for another token of the agent, and leaves open when the token will expire.
func planToken(
	ctx context.Context, provider *framework.ProviderData, planning framework.Planning[tokenModel],
) (tokenModel, diag.Diagnostics) {
	planned := planning.Plan
	planned.WorkspaceID = provider.PlannedWorkspace(planning.Config, planned.WorkspaceID)
	var diags diag.Diagnostics
	if planning.State == nil || !planned.sameKey(*planning.State) {
		destroyed := ""
		if planning.State != nil {
			destroyed = "Token " + planning.State.ID.ValueString()
		}
		diags = lookUpToken(ctx, provider, planned, planning.State)
		diags.Append(lookup.CheckOAuthProvider(ctx, provider, planned.WorkspaceID, planned.ProviderID, destroyed)...)
	} else {
		diags = planned.warnOfExpiry(*planning.State, provider.Now())
	}
	if planning.State != nil && planned.sends(*planning.State, provider.Now()) {
		planned.ExpiresAt = types.StringUnknown()
	}
	return planned, diags
}

// createToken stores the token unless the agent has another one.
func createToken(ctx context.Context, provider *framework.ProviderData, plan, config tokenModel) (*tokenModel, diag.Diagnostics) {
	ctx, request := plan.sending(ctx, config)
	limit, diags := plan.Timeouts.Create(ctx, defaultTokenTimeout)
	if diags.HasError() {
		return nil, diags
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	failure, c := tokenFailure("store a", plan.AgentID), provider.In(plan.WorkspaceID)
	failure.TimeUp = "Apply again, with a longer timeouts.create if it was waiting for another token to be deleted."
	before, taken, err := awaitKey(ctx, provider, c, plan)
	switch {
	case err != nil:
		return nil, failure.Diagnostics(err)
	case taken != nil:
		diags.AddError(failure.Summary, takenBy(provider, plan, *taken))
		return nil, diags
	}
	answer, adopted, err := c.CreateAgentProviderToken(ctx, plan.AgentID.ValueString(), plan.ProviderID.ValueString(), request, before)
	if err != nil {
		failure.Last = provider.Found(plan.WorkspaceID, err, func(id string) string { return importID(plan.AgentID, id) })
		if client.IsConflict(err) {
			failure.NextSteps[http.StatusConflict] = conflicting(ctx, provider, c, plan, failure.NextSteps[http.StatusConflict])
		}
		return nil, failure.Diagnostics(err)
	}
	if adopted {
		unknown := fmt.Sprintf("Connection %s was probably made by this apply. If it is yours, %s", answer.ID,
			provider.TakeOver(plan.WorkspaceID, importID(plan.AgentID, answer.ID)))
		looking, done := c.WithGrace(ctx) // After Ctrl-C, too: the token would be lost.
		defer done()
		if diags := refuseUsers(looking, c.ListOAuthTokens, *answer, unknown); diags.HasError() {
			return nil, diags
		}
	}
	written(provider).Store(answer.ID, true)
	answered := newTokenModel(plan, framework.StringOrNull(c.WorkspaceID()), *answer)
	return &answered, nil
}

// conflicting returns the remedies after a conflict. If the agent's own token can be found, they name it.
func conflicting(ctx context.Context, provider *framework.ProviderData, c *client.Client, plan tokenModel, otherwise string) string {
	connections, err := client.Collect(c.ListAgentConnections(ctx, plan.AgentID.ValueString()))
	if own, wrong := ownTokens(ctx, c.ListOAuthTokens, connections, plan.ProviderID.ValueString()); err == nil && wrong == nil && len(own) > 0 {
		return takenBy(provider, plan, own[0])
	}
	return otherwise
}

func confirmToken(ctx context.Context, provider *framework.ProviderData, created tokenModel) (tokenModel, error) {
	shown, err := provider.In(created.WorkspaceID).FindAgentConnection(ctx, created.AgentID.ValueString(), created.ID.ValueString())
	if err != nil {
		return created, err
	}
	return newTokenModel(created, created.WorkspaceID, *shown), nil
}

func readToken(ctx context.Context, provider *framework.ProviderData, state tokenModel) (*tokenModel, diag.Diagnostics) {
	found, workspaceID, diags := find(ctx, provider, state.identity())
	if found == nil {
		return nil, diags
	}
	if state.ProviderID.IsNull() { // An import.
		if diags.Append(refuseUsers(ctx, usersTokens(provider, provider.In(state.WorkspaceID)), *found, "")...); diags.HasError() {
			return nil, diags
		}
	}
	refreshed := newTokenModel(state, workspaceID, *found)
	return &refreshed, diags
}

// updateToken sends the whole token, because the service knows no partial change, unless it was deleted after the plan: it would be
// another token then, with another ID.
func updateToken(ctx context.Context, provider *framework.ProviderData, plan, state, config tokenModel) (*tokenModel, diag.Diagnostics) {
	diags := plan.refuseStale(state, provider.Now())
	switch {
	case diags.HasError():
		return nil, diags
	case !plan.ExpiresAt.IsUnknown() || !plan.sends(state, provider.Now()):
		return &state, diags
	}
	ctx, request := plan.sending(ctx, config)
	failure, c := tokenFailure("update the", plan.AgentID), provider.In(plan.WorkspaceID)
	before, err := currentToken(ctx, provider, c, state)
	switch {
	case client.IsNotFound(err):
		diags.AddError(failure.Summary, fmt.Sprintf("Token %s no longer exists: it was deleted after this plan. Plan again.", state.ID.ValueString()))
		return nil, diags
	case err != nil:
		return nil, failure.Diagnostics(err)
	}
	answer, err := c.UpdateAgentProviderToken(ctx, *before, request)
	if err != nil {
		return nil, failure.Diagnostics(err)
	}
	written(provider).Store(answer.ID, true)
	answered := newTokenModel(plan, framework.StringOrNull(c.WorkspaceID()), *answer)
	return &answered, nil
}

// current returns the connection of a state. It looks twice, because a list may lag behind.
func currentToken(ctx context.Context, provider *framework.ProviderData, c *client.Client, state tokenModel) (*api.AgentConnectionResponse, error) {
	found, err := c.FindAgentConnection(ctx, state.AgentID.ValueString(), state.ID.ValueString())
	if client.IsNotFound(err) && provider.Policy().Sleep(ctx, lookAgainAfter) == nil {
		found, err = c.FindAgentConnection(ctx, state.AgentID.ValueString(), state.ID.ValueString())
	}
	return found, err
}

// lookAgainAfter is the time between two looks for a token that a list doesn't have.
const lookAgainAfter = 3 * time.Second

// removeToken deletes the token of a state, and nothing that was written later.
func removeToken(ctx context.Context, provider *framework.ProviderData, state tokenModel) (diags diag.Diagnostics) {
	deleted, ended := false, beginDeletion(provider, state.ID.ValueString())
	defer func() { ended(deleted) }()
	found, err := provider.In(state.WorkspaceID).FindAgentConnection(ctx, state.AgentID.ValueString(), state.ID.ValueString())
	if err != nil && !client.IsNotFound(err) {
		return tokenFailure("delete the", state.AgentID).Diagnostics(err)
	}
	_, rewritten := written(provider).Load(state.ID.ValueString())
	if rewritten || err == nil && !sameTime(state.CreatedAt.ValueString(), found.CreatedAt) {
		return diag.Diagnostics{diag.NewWarningDiagnostic("Token is kept", fmt.Sprintf("Token %s was stored again after the one in this state, "+
			"by another resource or another user. It was removed from this state, not deleted.", label(state.AgentID, state.ID)))}
	}
	diags = disconnect(ctx, provider, state.identity())
	deleted = !diags.HasError()
	return diags
}
