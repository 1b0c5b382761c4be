package agentconnection

import (
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

// identityModel is the identity of what is known by the ID of its connection: connections are listed by agent only.
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

// ResourceIdentity implements framework.Identified.
func (m model) ResourceIdentity() any { return m.identity(choice{}) }

// identity is the resource identity of a connection to a token that was chosen in that way.
func (m model) identity(by choice) connectionIdentity {
	identity := connectionIdentity{identityModel: identityModel{WorkspaceID: m.WorkspaceID, AgentID: m.AgentID, ID: m.ID}}
	if by.made() {
		identity.ID = types.StringNull()
		identity.ProviderID, identity.ProviderAccountLabel = types.StringValue(by.ProviderID), framework.String(by.Label)
	}
	return identity
}

// newModel is the connection as the service answers it.
func newModel(workspaceID types.String, answer api.AgentConnectionResponse) model {
	return model{Status: types.StringValue(connected), listedModel: listedModel{
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
	}}
}

// newPending is a connection that waits for a login, or for an apply that connects the agent to token; null if there is none.
func newPending(workspaceID, agentID, token types.String, by choice) model {
	return model{Status: types.StringValue(pending), listedModel: listedModel{
		WorkspaceID: workspaceID, AgentID: agentID, OAuthTokenID: token, ProviderID: types.StringValue(by.ProviderID),
		ProviderAccountLabel: framework.String(by.Label), Scopes: types.SetNull(types.StringType),
	}}
}

// withUnknown is a plan that an apply will decide: nothing that was null is expected to stay so.
func (m model) withUnknown(config model) model {
	for attribute, configured := range map[*types.String]types.String{
		&m.OAuthTokenID: config.OAuthTokenID, &m.ProviderID: config.ProviderID, &m.ProviderAccountLabel: config.ProviderAccountLabel,
		&m.ID: {}, &m.Status: {}, &m.ExpiresAt: {}, &m.CreatedBy: {}, &m.CreatedAt: {},
	} {
		if configured.IsNull() {
			*attribute = types.StringUnknown()
		}
	}
	m.Scopes = types.SetUnknown(types.StringType)
	return m
}

// choice is that of a configuration, whose values are known.
func (m model) choice() choice {
	if !m.OAuthTokenID.IsNull() {
		return choice{}
	}
	return choice{m.ProviderID.ValueString(), m.ProviderAccountLabel.ValueStringPointer()}
}
