package agentconnection

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// ModifyPlan implements resource.ResourceWithModifyPlan: it plans to connect the agent once a refresh has found a token, and to record
// another choice of the same token.
func (r *connectionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	proposed, state, diags := framework.ReadPlan[model](ctx, req.Plan, req.State)
	resp.Diagnostics.Append(diags...)
	var config model
	resp.Diagnostics.Append(framework.Read(ctx, req.Config.Schema, req.Config.Raw, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planned := proposed
	planned.WorkspaceID = r.PlannedWorkspace(req.Config, planned.WorkspaceID)
	by, diags := loadChoice(ctx, req.Private)
	resp.Diagnostics.Append(diags...)
	changes, creates := !config.choice().equal(by), req.State.Raw.IsNull()
	if creates || !changes && planned.AgentID.Equal(state.AgentID) {
		resp.Diagnostics.Append(r.claim(planned, config, creates, creates && !changes)...)
	}
	if creates || changes {
		destroyed := ""
		if !state.ID.IsNull() && len(planned.replacing(state)) > 0 {
			destroyed = fmt.Sprintf("Connection %s of agent %q", state.ID.ValueString(), state.AgentID.ValueString())
		}
		resp.Diagnostics.Append(lookup.CheckOAuthProvider(ctx, &r.ProviderData, planned.WorkspaceID, config.ProviderID, destroyed)...)
	}
	switch {
	case config.choice().made(): // The apply takes an existing connection over.
	case creates:
		resp.Diagnostics.Append(unique.Check(ctx, &r.ProviderData, "connection", planned, nil)...)
	case !state.ID.IsNull():
		resp.Diagnostics.Append(unique.Check(ctx, &r.ProviderData, "connection", planned, &state)...)
	}
	if !creates {
		resp.RequiresReplace.Append(planned.replacing(state)...)
		planned.Resolved = state.chosen(by).Resolved
		switch isConnected := !state.ID.IsNull(); {
		case !isConnected && (changes || !planned.Resolved.IsNull()):
			planned = planned.withUnknown()
		case isConnected && changes:
			planned.Status = types.StringUnknown()
		}
	}
	resp.Diagnostics.Append(framework.WriteChanged(ctx, resp.Plan.Schema, &resp.Plan.Raw, proposed, planned)...)
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
func (r *connectionResource) claim(planned, config model, creates, replaces bool) diag.Diagnostics {
	if r.Client == nil || r.Memo.Applying.Load() || planned.WorkspaceID.IsUnknown() || planned.AgentID.IsUnknown() ||
		config.ProviderID.IsUnknown() || config.ProviderAccountLabel.IsUnknown() || !config.choice().made() {
		return nil
	}
	by := config.choice()
	key := fmt.Sprintf("%s %q %s", r.In(planned.WorkspaceID).WorkspaceID(), planned.AgentID.ValueString(), by)
	created, kept := framework.SharedMap(r.Memo, "created connections"), framework.SharedMap(r.Memo, "kept connections")
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
