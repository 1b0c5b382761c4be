package agentconnection

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// importer imports what an agent is connected to: its connections are listed by agent only.
type importer struct{}

// IdentitySchema implements framework.ResourceImporter.
func (importer) IdentitySchema() identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"workspace_id": identityschema.StringAttribute{
			OptionalForImport: true, Description: "Workspace of the connection, a UUID. Default: the provider's.",
		},
		"agent_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the agent."},
		"id":       identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the connection."},
	}}
}

// Import implements framework.ResourceImporter: by identity, or as AGENT_ID/CONNECTION_ID, with WORKSPACE_ID/ before it or not.
func (importer) Import(ctx context.Context, p *framework.ProviderData, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var found identityModel
	if framework.IsImportByIdentity(req) {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &found)...)
		if found.AgentID.ValueString() == "" {
			resp.Diagnostics.AddError("Invalid identity", `agent_id is "", but it must be the ID of an agent.`)
		}
		resp.Diagnostics.Append(framework.CheckIdentity(found.WorkspaceID, "id", found.ID.ValueString(), framework.ParseImportID)...)
	} else {
		var diags diag.Diagnostics
		found, diags = parseImportID(req.ID)
		resp.Diagnostics.Append(diags...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	found.WorkspaceID, found.ID = p.KnownWorkspace(framework.CanonicalID(found.WorkspaceID)), framework.CanonicalID(found.ID)
	for name, value := range map[string]types.String{"workspace_id": found.WorkspaceID, "agent_id": found.AgentID, "id": found.ID} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, found)...)
	}
}

// parseImportID reads AGENT_ID/CONNECTION_ID or WORKSPACE_ID/AGENT_ID/CONNECTION_ID. The ID of an agent may have slashes in it: only a
// UUID before two other parts is a workspace.
func parseImportID(text string) (identityModel, diag.Diagnostics) {
	found, rest := identityModel{}, text
	if workspaceID, after, qualified := strings.Cut(text, "/"); qualified && strings.Contains(after, "/") {
		if _, err := uuid.Parse(workspaceID); err == nil {
			found.WorkspaceID, rest = types.StringValue(workspaceID), after
		}
	}
	slash := strings.LastIndex(rest, "/")
	if slash < 1 || slash == len(rest)-1 {
		return identityModel{}, diag.Diagnostics{diag.NewErrorDiagnostic("Invalid import ID", fmt.Sprintf("%q is not AGENT_ID/CONNECTION_ID "+
			"or WORKSPACE_ID/AGENT_ID/CONNECTION_ID. The data source agentplane_agent_connections lists the connections of an agent.", text))}
	}
	found.AgentID, found.ID = types.StringValue(rest[:slash]), types.StringValue(rest[slash+1:])
	return found, nil
}
