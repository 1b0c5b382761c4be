package agentconnection

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// connecting are the connections of an agent that this apply has made, or has found in the service instead. If the address of a resource
// has changed, the old address deletes the connection that the new one needs, before or after that.
type connecting struct {
	sync.Mutex
	found map[string]bool
}

func (r *connectionResource) connecting(c *client.Client, agentID string) *connecting {
	shared, _ := framework.Remember(r.Memo, "connecting/"+c.WorkspaceID()+"/"+agentID, func() (*connecting, error) {
		return &connecting{found: map[string]bool{}}, nil
	})
	return shared
}

// connect connects the agent to the token of a plan, or to the chosen one: of those, it takes over the connection that a login has
// made. Without a token, the connection is pending. The result is nil only after an error.
func (r *connectionResource) connect(ctx context.Context, plan model, by choice) (made *model, existed bool, diags diag.Diagnostics) {
	c, agentID, tokenID := r.In(plan.WorkspaceID), plan.AgentID.ValueString(), plan.OAuthTokenID.ValueString()
	workspaceID := framework.StringOrNull(c.WorkspaceID())
	here := r.connecting(c, agentID)
	here.Lock()
	defer here.Unlock()
	if by.made() {
		tokens, err := c.ListOAuthTokens(ctx, by.ProviderID)
		if err != nil {
			return nil, false, failure("look for a token of", plan.AgentID).Diagnostics(err)
		}
		token := by.from(tokens)
		if token == nil {
			waiting := newPending(workspaceID, plan.AgentID, types.StringNull(), by)
			return &waiting, false, by.warn(plan)
		}
		tokenID = token.ID
		found, err := connectionTo(ctx, c, agentID, tokenID)
		if err != nil {
			return nil, false, failure("read the connections of", plan.AgentID).Diagnostics(err)
		}
		if found != nil {
			if _, others := here.found[found.ID]; others {
				diags.AddAttributeError(path.Root("provider_id"), "Connection is claimed twice", fmt.Sprintf("Connection %s to "+
					"the user's token of %s belongs to another resource of this apply. Remove one of the resources.", found.ID, by))
				return nil, false, diags
			}
			here.found[found.ID] = true
			answered := newModel(ctx, workspaceID, *found)
			return &answered, true, nil
		}
	}
	created, err := c.CreateAgentConnection(ctx, agentID, tokenID)
	if err != nil {
		return nil, false, r.connectFailure(ctx, c, plan, by, tokenID).Diagnostics(err)
	}
	here.found[created.ID] = false
	answered := newModel(ctx, workspaceID, *created)
	return &answered, false, nil
}

// look finds the connection of a state. If it is gone, what was chosen by the OAuth provider stays in the state as pending, with the
// token that the next apply connects the agent to, unless the service connects it already.
func (r *connectionResource) look(
	ctx context.Context, private framework.PrivateReader, state model, by choice,
) (refreshed model, presence framework.Presence, diags diag.Diagnostics) {
	if !state.ID.IsNull() {
		find := func(ctx context.Context, p *framework.ProviderData) (*model, string, diag.Diagnostics) {
			found, workspaceID, diags := find(ctx, p, identityModel{state.WorkspaceID, state.AgentID, state.ID})
			if found == nil && !diags.HasError() {
				return nil, framework.Missing, diags
			} else if found == nil {
				return nil, "", diags
			}
			m := newModel(ctx, workspaceID, *found)
			return &m, "", diags
		}
		prove := framework.LookTwice[*model]
		if by.made() {
			prove = framework.Prove[*model]
		}
		found, presence, diags := prove(ctx, &r.ProviderData, private, "connection", label(state.AgentID, state.ID), find)
		switch {
		case diags.HasError() || presence == framework.NotShown || presence == framework.Gone && !by.made():
			return state, presence, diags
		case presence == framework.Shown:
			return *found, presence, diags
		}
		waiting, err := r.lookForToken(ctx, state, by)
		if err != nil {
			return state, presence, failure("look for a token of", state.AgentID).Diagnostics(err)
		}
		var what string
		switch id := state.ID.ValueString(); {
		case !waiting.ID.IsNull(): // Another login has connected the agent again.
			return waiting, framework.Shown, diags
		case !waiting.OAuthTokenID.IsNull():
			what = fmt.Sprintf("Connection %s was removed. The next apply connects the agent again.", id)
		default:
			what = fmt.Sprintf("Connection %s no longer exists, for example because the user has logged out of OAuth provider %q. The connection "+
				"is pending until the user has a token again; then an apply connects the agent.", id, by.ProviderID)
		}
		diags.AddWarning(fmt.Sprintf("Agent %q is no longer connected", state.AgentID.ValueString()), what)
		return waiting, framework.Shown, diags
	}
	refreshed, err := r.lookForToken(ctx, state, by)
	if err != nil { // The state stays true. What is pending alone must not end a destroy.
		diags.AddWarning("Cannot look for a token", fmt.Sprintf("Agent %q is not connected, and it isn't known whether the user has a token "+
			"of %s: %s.", state.AgentID.ValueString(), by, strings.TrimSuffix(err.Error(), ".")))
		return state, framework.Shown, diags
	}
	return refreshed, framework.Shown, nil
}

// lookForToken is a pending connection with what has become of its token.
func (r *connectionResource) lookForToken(ctx context.Context, state model, by choice) (model, error) {
	c := r.In(state.WorkspaceID)
	workspaceID := framework.StringOrNull(c.WorkspaceID())
	none := newPending(workspaceID, state.AgentID, types.StringNull(), by)
	token, err := by.look(ctx, &r.ProviderData, c)
	if err != nil || token == nil {
		return none, err
	}
	connections, err := connectionsOf(ctx, &r.ProviderData, c, state.AgentID.ValueString())
	for _, found := range connections {
		if client.SameID(found.OAuthTokenID, token.ID) {
			return newModel(ctx, workspaceID, found), nil
		}
	}
	none.OAuthTokenID = types.StringValue(token.ID)
	return none, err
}

// find returns nil without an error if the agent has no such connection.
func find(
	ctx context.Context, provider *framework.ProviderData, id identityModel,
) (found *api.AgentConnectionResponse, workspaceID types.String, diags diag.Diagnostics) {
	c := provider.In(id.WorkspaceID)
	connections, err := connectionsOf(ctx, provider, c, id.AgentID.ValueString())
	if err != nil {
		diags = failure("read a connection of", id.AgentID).Diagnostics(err)
	}
	for _, connection := range connections {
		if client.SameID(connection.ID, id.ID.ValueString()) {
			found = &connection
		}
	}
	return found, framework.StringOrNull(c.WorkspaceID()), diags
}
