package agentconnection

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// The values of status.
const (
	connected = "connected"
	pending   = "pending"
)

// model is a connection as configuration, plan and state hold it.
type model struct {
	listedModel
	Status types.String `tfsdk:"status"`
	// Resolved is the token that the connection has, a resolvedModel. The arguments have only what is configured.
	Resolved types.Object `tfsdk:"resolved"`
}

// resolvedModel is the token of a connection, however it was chosen.
type resolvedModel struct {
	OAuthTokenID         types.String `tfsdk:"oauth_token_id"`
	ProviderID           types.String `tfsdk:"provider_id"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
}

func resolvedTypes() map[string]attr.Type {
	return framework.NestedTypes(connectionSchema().Attributes["resolved"].GetType())
}

func (r resolvedModel) object() types.Object {
	as := resolvedTypes()
	if r.OAuthTokenID.IsNull() {
		return types.ObjectNull(as)
	}
	return framework.ToObject(as, r)
}

// listedModel is a connection in the list, where all are connected.
type listedModel struct {
	WorkspaceID          types.String `tfsdk:"workspace_id"`
	AgentID              types.String `tfsdk:"agent_id"`
	OAuthTokenID         types.String `tfsdk:"oauth_token_id"`
	ID                   types.String `tfsdk:"id"`
	ProviderID           types.String `tfsdk:"provider_id"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
	Scopes               types.Set    `tfsdk:"scopes"`
	ExpiresAt            types.String `tfsdk:"expires_at"`
	CreatedBy            types.String `tfsdk:"created_by"`
	CreatedAt            types.String `tfsdk:"created_at"`
}

// identityModel identifies a connection by its ID and its agent: connections are listed by agent only.
type identityModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	AgentID     types.String `tfsdk:"agent_id"`
	ID          types.String `tfsdk:"id"`
}

// connectionIdentity is the resource identity of a connection: by its ID, or by the choice of its token, which stays the same while
// users log out and in again.
type connectionIdentity struct {
	identityModel
	ProviderID           types.String `tfsdk:"provider_id"`
	ProviderAccountLabel types.String `tfsdk:"provider_account_label"`
}

// ResourceIdentity implements framework.Identified: by the choice of the token, if the configuration has one.
func (m model) ResourceIdentity() any {
	identity := connectionIdentity{identityModel: identityModel{WorkspaceID: m.WorkspaceID, AgentID: m.AgentID, ID: m.ID}}
	if by := m.choice(); by.made() {
		identity.ID = types.StringNull()
		identity.ProviderID, identity.ProviderAccountLabel = types.StringValue(by.ProviderID), framework.String(by.Label)
	}
	return identity
}

// newModel is the connection to a token that was chosen in that way, as the service answers it.
func newModel(workspaceID types.String, answer api.AgentConnectionResponse, by choice) model {
	return model{Status: types.StringValue(connected), listedModel: newListed(workspaceID, answer)}.chosen(by)
}

func newListed(workspaceID types.String, answer api.AgentConnectionResponse) listedModel {
	return listedModel{
		WorkspaceID:          workspaceID,
		AgentID:              types.StringValue(answer.AgentID),
		OAuthTokenID:         types.StringValue(answer.OAuthTokenID),
		ProviderID:           framework.StringOrNull(answer.ProviderID),
		ProviderAccountLabel: framework.String(answer.ProviderAccountLabel),
		ID:                   types.StringValue(answer.ID),
		Scopes:               framework.TextSet(answer.Scopes),
		ExpiresAt:            framework.String(answer.ExpiresAt),
		CreatedBy:            framework.StringOrNull(answer.CreatedBy),
		CreatedAt:            framework.StringOrNull(answer.CreatedAt),
	}
}

// newPending is a connection that waits for a login, or for an apply that connects the agent to token; nil if there is none.
func newPending(workspaceID, agentID types.String, token *api.OAuthTokenSummary, by choice) model {
	m := model{Status: types.StringValue(pending), listedModel: listedModel{
		WorkspaceID: workspaceID, AgentID: agentID, Scopes: types.SetNull(types.StringType),
	}}
	if token != nil {
		m.OAuthTokenID, m.ProviderID = types.StringValue(token.ID), types.StringValue(token.ProviderID)
		m.ProviderAccountLabel = framework.String(token.ProviderAccountLabel)
	}
	return m.chosen(by)
}

// resolved is the token of a connection. States of the version before have it in the arguments.
func (m model) resolved() resolvedModel {
	if m.Resolved.IsNull() || m.Resolved.IsUnknown() {
		return resolvedModel{m.OAuthTokenID, m.ProviderID, m.ProviderAccountLabel}
	}
	text := func(name string) types.String {
		value, _ := m.Resolved.Attributes()[name].(types.String) // It has the schema's type.
		return value
	}
	return resolvedModel{text("oauth_token_id"), text("provider_id"), text("provider_account_label")}
}

// chosen is a connection whose arguments are those of a choice.
func (m model) chosen(by choice) model {
	token := m.resolved()
	m.Resolved = token.object()
	m.OAuthTokenID, m.ProviderID, m.ProviderAccountLabel = token.OAuthTokenID, types.StringNull(), types.StringNull()
	if by.made() {
		m.OAuthTokenID, m.ProviderID, m.ProviderAccountLabel = types.StringNull(), types.StringValue(by.ProviderID), framework.String(by.Label)
	}
	return m
}

// replacing returns the arguments that select another token than the one in the state, or than the one that a pending connection waits for.
func (m model) replacing(state model) path.Paths {
	var paths path.Paths
	has := state.resolved()
	for name, values := range map[string][2]types.String{
		"oauth_token_id": {m.OAuthTokenID, has.OAuthTokenID}, "provider_id": {m.ProviderID, has.ProviderID},
		"provider_account_label": {m.ProviderAccountLabel, has.ProviderAccountLabel},
	} {
		if !values[0].IsNull() && !values[0].Equal(values[1]) {
			paths.Append(path.Root(name))
		}
	}
	return paths
}

// withUnknown is a plan that an apply will decide: nothing that was null is expected to stay so.
func (m model) withUnknown() model {
	for _, attribute := range []*types.String{&m.ID, &m.Status, &m.ExpiresAt, &m.CreatedBy, &m.CreatedAt} {
		*attribute = types.StringUnknown()
	}
	m.Scopes = types.SetUnknown(types.StringType)
	m.Resolved = types.ObjectUnknown(resolvedTypes())
	return m
}

// choice is that of a configuration, whose values are known.
func (m model) choice() choice {
	if !m.OAuthTokenID.IsNull() {
		return choice{}
	}
	return choice{m.ProviderID.ValueString(), m.ProviderAccountLabel.ValueStringPointer()}
}
