package authservice

import (
	"errors"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// listConnections returns the connections of an agent that the caller has made. An agent without connections is unknown.
func listConnections(c *rest.Call) (rest.Answer, error) {
	rows, err := c.Tx.AgentConnections(c.WorkspaceID, c.Request.PathValue("agent_id"), c.UserID)
	return rest.OK(api.AgentConnectionListResponse{Data: form.Collect(rows, newConnection)}), err
}

// createConnection lets an agent use a token of the caller.
func createConnection(c *rest.Call, request api.CreateAgentConnectionRequest) (rest.Answer, error) {
	token, err := tokenOf(c, c.UserID, request.OAuthTokenID)
	if err != nil {
		return rest.Answer{}, err
	}
	agentID := c.Request.PathValue("agent_id")
	_, err = c.Tx.AgentConnectionTo(c.WorkspaceID, agentID, token.ID)
	if err := rest.OrTaken(err, "Agent '%s' is already connected to OAuth token ID %s.", agentID, token.ID); err != nil {
		return rest.Answer{}, err
	}
	connection, err := ensureConnection(c, c.WorkspaceID, agentID, c.UserID, token)
	return rest.Created(newConnection(connection)), err
}

// removeConnection disconnects an agent from a token. A token that belongs to the agent is deleted, too.
func removeConnection(c *rest.Call) (rest.Answer, error) {
	agentID, id := c.Request.PathValue("agent_id"), c.Request.PathValue("connection_id")
	connection, err := c.Tx.AgentConnection(c.WorkspaceID, agentID, id)
	if err == nil && connection.CreatedBy != c.UserID {
		err = store.ErrNotFound
	}
	if err != nil {
		return rest.Answer{}, rest.OrMissing(err, "Connection ID %s of agent '%s' not found.", id, agentID)
	}
	if connection.Token.AgentID != nil {
		return rest.NoContent(), revoke(c, connection.Token, "connection removed")
	}
	return rest.NoContent(), c.Tx.DeleteAgentConnection(c.WorkspaceID, connection.ID)
}

// upsertAgentToken gives an agent a token of its own, replacing its current one for the provider.
func (s *Service) upsertAgentToken(
	c *rest.Call, provider store.OAuthProvider, request api.UpsertAgentProviderTokenRequest,
) (rest.Answer, error) {
	agentID := c.Request.PathValue("agent_id")
	token, err := c.Tx.AgentOAuthToken(c.WorkspaceID, agentID, provider.ProviderID)
	known := err == nil
	switch {
	case known && token.UserID != c.UserID:
		return rest.Answer{}, form.Conflicting("Agent '%s' already has a token of OAuth provider '%s' from another user.", agentID, provider.ProviderID)
	case errors.Is(err, store.ErrNotFound):
		token = store.OAuthToken{
			ID: uuid.NewString(), WorkspaceID: c.WorkspaceID, UserID: c.UserID, ProviderID: provider.ProviderID, AgentID: &agentID, CreatedAt: c.Now,
		}
	case err != nil:
		return rest.Answer{}, err
	}
	token.Label = request.ProviderAccountLabel.Value
	err = s.storeImported(&token, api.OAuthTokenImportRequest{
		AccessToken: request.AccessToken, RefreshToken: request.RefreshToken, ExpiresInSeconds: request.ExpiresInSeconds,
		Scopes: request.Scopes, Metadata: request.Metadata,
	}, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	if err := write(c, token, known, "api"); err != nil {
		return rest.Answer{}, err
	}
	connection, err := ensureConnection(c, c.WorkspaceID, agentID, c.UserID, token)
	return rest.Created(newConnection(connection)), err
}

// ensureConnection connects an agent to a token unless it is connected.
func ensureConnection(c *rest.Call, workspaceID, agentID, userID string, token store.OAuthToken) (store.AgentConnection, error) {
	connection, err := c.Tx.AgentConnectionTo(workspaceID, agentID, token.ID)
	if !errors.Is(err, store.ErrNotFound) {
		return connection, err
	}
	connection = store.AgentConnection{
		ID: uuid.NewString(), WorkspaceID: workspaceID, AgentID: agentID, Token: token, CreatedBy: userID, CreatedAt: c.Now,
	}
	return connection, c.Tx.InsertAgentConnection(connection)
}

func newConnection(row store.AgentConnection) api.AgentConnectionResponse {
	return api.AgentConnectionResponse{
		ID: row.ID, AgentID: row.AgentID, OAuthTokenID: row.Token.ID, ProviderID: row.Token.ProviderID,
		ProviderAccountLabel: row.Token.Label, Scopes: row.Token.Scopes, ExpiresAt: api.Converted(row.Token.ExpiresAt, form.DateTime),
		CreatedBy: row.CreatedBy, CreatedAt: form.DateTime(row.CreatedAt),
	}
}
