package agentconnection

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// importer imports connections of agents, which are listed by agent only.
type importer struct {
	// byProvider also imports by the OAuth provider of the token.
	byProvider bool
}

// IdentitySchema implements framework.ResourceImporter.
func (i importer) IdentitySchema() identityschema.Schema {
	attributes := map[string]identityschema.Attribute{
		"workspace_id": identityschema.StringAttribute{
			OptionalForImport: true, Description: "Workspace of the connection. Default: the provider's.",
		},
		"agent_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the agent."},
		"id":       identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the connection."},
	}
	if i.byProvider {
		attributes["id"] = identityschema.StringAttribute{
			OptionalForImport: true, Description: "ID of the connection, unless provider_id is set.",
		}
		attributes["provider_id"] = identityschema.StringAttribute{
			OptionalForImport: true, Description: "The provider_id of the OAuth provider, for a connection that is configured with it.",
		}
		attributes["provider_account_label"] = identityschema.StringAttribute{
			OptionalForImport: true, Description: "The provider_account_label, if that is configured, too.",
		}
	}
	return identityschema.Schema{Attributes: attributes}
}

// Import implements framework.ResourceImporter: by identity, or as AGENT_ID/CONNECTION_ID or AGENT_ID/provider:PROVIDER_ID, with :LABEL after
// the latter or not, and with WORKSPACE_ID/ before it or not.
func (i importer) Import(ctx context.Context, p *framework.ProviderData, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	found, diags := i.find(ctx, req)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	found.WorkspaceID, found.ID = p.KnownWorkspace(framework.CanonicalID(found.WorkspaceID)), framework.CanonicalID(found.ID)
	if !i.byProvider {
		framework.StoreImported(ctx, resp, found.identityModel)
		return
	}
	framework.StoreImported(ctx, resp, found)
	by := choice{found.ProviderID.ValueString(), found.ProviderAccountLabel.ValueStringPointer()}
	resp.Diagnostics.Append(by.save(ctx, resp.Private)...)
}

// find reads what a request names.
func (i importer) find(ctx context.Context, req resource.ImportStateRequest) (found connectionIdentity, diags diag.Diagnostics) {
	switch {
	case framework.IsImportByIdentity(req) && i.byProvider:
		diags = req.Identity.Get(ctx, &found)
		return found, append(diags, found.check()...)
	case framework.IsImportByIdentity(req):
		diags = req.Identity.Get(ctx, &found.identityModel)
		return found, append(diags, found.identityModel.check(found.ID.ValueString())...)
	case i.byProvider:
		return parseConnectionID(req.ID)
	}
	found.identityModel, diags = parseImportID(req.ID)
	return found, diags
}

// check validates the identity of a connection with an ID.
func (m identityModel) check(id string) diag.Diagnostics {
	var diags diag.Diagnostics
	if m.AgentID.ValueString() == "" {
		diags.AddError("Invalid identity", `agent_id is "", but it must be the ID of an agent.`)
	}
	return append(diags, framework.CheckIdentity(m.WorkspaceID, "id", id, framework.ParseImportID)...)
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

// check validates the identity's attributes.
func (c connectionIdentity) check() diag.Diagnostics {
	var diags diag.Diagnostics
	if providerID := c.ProviderID.ValueString(); !c.ProviderID.IsNull() && !api.ProviderIDForm.MatchString(providerID) {
		diags.AddError("Invalid identity", fmt.Sprintf("provider_id is %q, but it must be the provider_id of an OAuth provider.", providerID))
	}
	if label := c.ProviderAccountLabel; !label.IsNull() && (label.ValueString() == "" || c.ProviderID.IsNull()) {
		diags.AddError("Invalid identity", fmt.Sprintf("provider_account_label is %q, but it must be a label of an account beside provider_id.",
			label.ValueString()))
	}
	id := uuid.Nil.String()
	if c.ID.IsNull() == c.ProviderID.IsNull() {
		diags.AddError("Invalid identity", "Exactly one of id and provider_id must be set.")
	} else if !c.ID.IsNull() {
		id = c.ID.ValueString()
	}
	return append(diags, c.identityModel.check(id)...)
}

// chosenBy is before the OAuth provider in an import ID.
const chosenBy = "/provider:"

// parseConnectionID reads an import ID.
func parseConnectionID(text string) (connectionIdentity, diag.Diagnostics) {
	at := strings.LastIndex(text, chosenBy)
	if at < 1 {
		id, diags := parseImportID(text)
		return connectionIdentity{identityModel: id}, diags
	}
	providerID, label, labelled := strings.Cut(text[at+len(chosenBy):], ":")
	id, diags := parseImportID(text[:at] + "/" + providerID)
	found := connectionIdentity{identityModel: id, ProviderID: types.StringValue(providerID)}
	found.ID = types.StringNull()
	if labelled {
		found.ProviderAccountLabel = types.StringValue(label)
	}
	if strings.Contains(providerID, "/") || labelled && label == "" {
		diags = diag.Diagnostics{diag.NewErrorDiagnostic("Invalid import ID", "After provider: comes the provider_id of an OAuth provider, "+
			"and after another colon the provider_account_label, if that is configured.")}
	}
	return found, diags
}
