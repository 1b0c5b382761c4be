package agentconnection

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewResource is the resource agentplane_agent_connection.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[model]{
		Name: "agent_connection", Noun: "connection", Schema: connectionSchema, Importer: connectionImporter{},
		Label:     func(m model) string { return label(m.AgentID, m.ID) },
		Workspace: func(m *model) *types.String { return &m.WorkspaceID },
		Plan:      plan, Create: create, Confirm: confirm, Refresh: refresh, Update: update, Delete: remove,
	})
}

func create(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	made, existed, diags := connect(ctx, op)
	if made == nil {
		return nil, diags
	}
	by := op.Plan.choice()
	diags.Append(by.save(ctx, op.Private)...)
	if existed {
		diags.AddAttributeWarning(path.Root("provider_id"), fmt.Sprintf("Agent %q was already connected", op.Plan.AgentID.ValueString()),
			fmt.Sprintf("Connection %s to the token of %s existed before, for example because a login has made it, and is now managed here. "+
				"If another resource manages it as well, remove one of the two.", made.ID.ValueString(), by))
	}
	return made, diags
}

// confirm finds a connection that has just been made. There is no operation to read a single one.
func confirm(ctx context.Context, op *framework.Operation[model], made model) (model, error) {
	if made.ID.IsNull() {
		return made, nil
	}
	_, err := op.In(made.WorkspaceID).FindAgentConnection(ctx, made.AgentID.ValueString(), made.ID.ValueString())
	return made, err
}

// update connects the agent if the connection is pending. Every change of what exists replaces it, except for another choice of the
// same token.
func update(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	by := op.Plan.choice()
	if !op.State.ID.IsNull() {
		chosen := op.State.chosen(by)
		chosen.Status = types.StringValue(connected)
		return &chosen, by.save(ctx, op.Private)
	}
	made, _, diags := connect(ctx, op)
	if made == nil {
		return nil, diags
	}
	diags.Append(by.save(ctx, op.Private)...)
	if !made.ID.IsNull() {
		diags.Append(op.Confirm(ctx, made)...)
	}
	return made, diags
}

func remove(ctx context.Context, op *framework.Operation[model]) diag.Diagnostics {
	state := *op.State
	if state.ID.IsNull() {
		return nil
	}
	here := connectingTo(op.ProviderData, op.In(state.WorkspaceID), state.AgentID.ValueString())
	here.Lock()
	defer here.Unlock()
	if here.found[state.ID.ValueString()] {
		return nil
	}
	return disconnect(ctx, op.ProviderData, identityModel{state.WorkspaceID, state.AgentID, state.ID})
}
