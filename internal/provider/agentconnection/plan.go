package agentconnection

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// plan plans to connect the agent once a refresh has found a token, and to record another choice of the same token.
func plan(ctx context.Context, planning *framework.Planning[model]) (model, diag.Diagnostics) {
	planned, state, p := planning.Plan, planning.State, planning.ProviderData
	by, diags := loadChoice(ctx, planning.Private)
	changes, creates := !planned.choice().equal(by), state == nil
	if creates || !changes && planned.AgentID.Equal(state.AgentID) {
		diags.Append(claim(p, planned, creates, creates && !changes)...)
	}
	if creates || changes {
		destroyed := ""
		if !creates && !state.ID.IsNull() && len(planned.replacing(*state)) > 0 {
			destroyed = fmt.Sprintf("Connection %s of agent %q", state.ID.ValueString(), state.AgentID.ValueString())
		}
		diags.Append(lookup.CheckOAuthProvider(ctx, p, planned.WorkspaceID, planned.ProviderID, destroyed)...)
	}
	if !planned.choice().made() && (creates || !state.ID.IsNull()) { // Otherwise the apply takes an existing connection over.
		diags.Append(unique.Check(ctx, p, "connection", planned, state)...)
	}
	if creates {
		return planned, diags
	}
	planning.RequiresReplace.Append(planned.replacing(*state)...)
	planned.Resolved = state.chosen(by).Resolved
	switch isConnected := !state.ID.IsNull(); {
	case !isConnected && (changes || !planned.Resolved.IsNull()):
		planned = planned.withUnknown()
	case isConnected && changes:
		planned.Status = types.StringUnknown()
	}
	return planned, diags
}

// unique is the key of a connection to a configured token.
var unique = framework.UniqueKey[model]{
	Attribute: "agent_id", Words: "agent_id and oauth_token_id",
	ID: func(m model) types.String { return types.StringValue(importID(m.AgentID, m.ID.ValueString())) },
	Values: func(m model) (types.String, types.String, []attr.Value) {
		return m.AgentID, m.WorkspaceID, []attr.Value{m.OAuthTokenID}
	},
	Holder: func(ctx context.Context, p *framework.ProviderData, planned model) (string, error) {
		connections, err := connectionsOf(ctx, p, p.In(planned.WorkspaceID), planned.AgentID.ValueString())
		for _, found := range connections {
			if client.SameID(found.OAuthTokenID, planned.OAuthTokenID.ValueString()) {
				return importID(planned.AgentID, found.ID), nil
			}
		}
		return "", err
	},
}

// claim refuses two resources for one connection in one plan: destroying one of them would remove it from the other. What exists
// claims its own, too. A replacement is planned as a change and then as a creation, which has the private state of the former.
func claim(p *framework.ProviderData, planned model, creates, replaces bool) diag.Diagnostics {
	by := planned.choice()
	if p.Client == nil || p.Memo.Applying.Load() || planned.WorkspaceID.IsUnknown() || planned.AgentID.IsUnknown() ||
		planned.ProviderID.IsUnknown() || planned.ProviderAccountLabel.IsUnknown() || !by.made() {
		return nil
	}
	key := fmt.Sprintf("%s %q %s", p.In(planned.WorkspaceID).WorkspaceID(), planned.AgentID.ValueString(), by)
	created, kept := framework.SharedMap(p.Memo, "created connections"), framework.SharedMap(p.Memo, "kept connections")
	var twice bool
	if creates {
		_, twice = created.LoadOrStore(key, replaces)
		if _, keeps := kept.Load(key); keeps && !replaces {
			twice = true
		}
	} else {
		kept.Store(key, true)
		replaced, creating := created.Load(key)
		twice = creating && replaced == false
	}
	if !twice {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("provider_id"), "Connection is claimed twice", fmt.Sprintf("This plan "+
		"connects agent %q twice to the user's token of %s, but that is one connection. Remove one of the resources.", planned.AgentID.ValueString(), by))}
}
