package agentconnection

import (
	"context"
	"fmt"
	"strings"

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
		resp.Diagnostics.Append(r.checkProvider(ctx, planned, config, state)...)
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

// checkProvider warns that no OAuth provider has the configured ID. That is an error if the plan replaces a connection, which must not be
// destroyed in vain.
func (r *connectionResource) checkProvider(ctx context.Context, planned, config, state model) diag.Diagnostics {
	id := config.ProviderID
	if r.Client == nil || r.Memo.Applying.Load() || planned.WorkspaceID.IsUnknown() || id.IsUnknown() || id.IsNull() {
		return nil
	}
	at, destroyed := path.Root("provider_id"), ""
	if !state.ID.IsNull() && len(planned.replacing(state)) > 0 {
		destroyed = fmt.Sprintf("Connection %s of agent %q would be destroyed, but ", state.ID.ValueString(), state.AgentID.ValueString())
	}
	lacks, err := lookup.LacksOAuthProvider(ctx, &r.ProviderData, r.In(planned.WorkspaceID), id.ValueString())
	switch {
	case err != nil && destroyed != "":
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Replacement can't be checked", fmt.Sprintf("%sit isn't known whether OAuth provider "+
			"%q exists, because reading the list failed: %s. Use a key that may read it, or make two applies: remove the resource in the first, "+
			"and add it again in the second.", destroyed, id.ValueString(), strings.TrimSuffix(err.Error(), ".")))}
	case err != nil, !lacks:
		return nil
	case destroyed != "":
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Replacement can't be connected",
			destroyed+"the new one can't be made. "+lookup.NoOAuthProvider(id.ValueString()))}
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, fmt.Sprintf("Agent %q is not connected yet", planned.AgentID.ValueString()),
		lookup.NoOAuthProvider(id.ValueString()))}
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
