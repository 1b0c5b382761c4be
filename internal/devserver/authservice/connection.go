package authservice

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// listConnections returns the connections of an agent that the caller has made. An agent without connections is unknown.
func (s *Service) listConnections(c *rest.Call) (rest.Answer, error) {
	rows, err := c.Tx.AgentConnections(c.WorkspaceID, c.Request.PathValue("agent_id"), c.UserID)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(api.AgentConnectionListResponse{Data: form.Collect(rows, newConnection)}), nil
}

// createConnection lets an agent use a token of the caller.
func (s *Service) createConnection(c *rest.Call) (rest.Answer, error) {
	request, err := rest.DecodeBody[api.CreateAgentConnectionRequest](c)
	if err != nil {
		return rest.Answer{}, err
	}
	token, err := tokenOf(c, c.UserID, request.OAuthTokenID)
	if err != nil {
		return rest.Answer{}, err
	}
	agentID := c.Request.PathValue("agent_id")
	_, err = c.Tx.AgentConnectionTo(c.WorkspaceID, agentID, token.ID)
	switch {
	case err == nil:
		return rest.Answer{}, form.Conflicting("Agent '%s' is already connected to OAuth token ID %s.", agentID, token.ID)
	case !errors.Is(err, store.ErrNotFound):
		return rest.Answer{}, err
	}
	connection, err := ensureConnection(c, c.WorkspaceID, agentID, c.UserID, token)
	return rest.Answer{Status: http.StatusCreated, Body: newConnection(connection)}, err
}

// removeConnection disconnects an agent from a token. A token that belongs to the agent is deleted, too.
func (s *Service) removeConnection(c *rest.Call) (rest.Answer, error) {
	agentID, id := c.Request.PathValue("agent_id"), c.Request.PathValue("connection_id")
	connection, err := c.Tx.AgentConnection(c.WorkspaceID, agentID, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && connection.CreatedBy != c.UserID {
		return rest.Answer{}, form.Missing("Connection ID %s of agent '%s' not found.", id, agentID)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	gone := rest.Answer{Status: http.StatusNoContent}
	if connection.Token.AgentID != nil {
		return gone, revoke(c, connection.Token, "connection removed")
	}
	return gone, c.Tx.DeleteAgentConnection(c.WorkspaceID, connection.ID)
}

// upsertAgentToken gives an agent a token of its own, replacing its current one for the provider.
func (s *Service) upsertAgentToken(c *rest.Call) (rest.Answer, error) {
	provider, err := s.oauthProvider(c)
	if err != nil {
		return rest.Answer{}, err
	}
	request, err := rest.DecodeBody[api.UpsertAgentProviderTokenRequest](c)
	if err != nil {
		return rest.Answer{}, err
	}
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
	err = s.storeImported(&token, imported{
		request.AccessToken, request.RefreshToken, request.ExpiresInSeconds, request.Scopes, request.Metadata,
	}, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	write, event := c.Tx.InsertOAuthToken, eventOf(token, api.TokenCreated, "api")
	if known {
		write, event.Type = c.Tx.UpdateOAuthToken, string(api.TokenRefreshed)
	}
	if err := errors.Join(write(token), recordEvent(c, event)); err != nil {
		return rest.Answer{}, err
	}
	connection, err := ensureConnection(c, c.WorkspaceID, agentID, c.UserID, token)
	return rest.Answer{Status: http.StatusCreated, Body: newConnection(connection)}, err
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
		ProviderAccountLabel: row.Token.Label, Scopes: row.Token.Scopes, ExpiresAt: dateTime(row.Token.ExpiresAt),
		CreatedBy: row.CreatedBy, CreatedAt: form.DateTime(row.CreatedAt),
	}
}
