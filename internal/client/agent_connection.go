package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const agentsPath = "/v2/auth/agents"

// ListAgentConnections lists the user's connections of an agent.
func (c *Client) ListAgentConnections(ctx context.Context, agentID string) iter.Seq2[api.AgentConnectionResponse, error] {
	r := request{method: http.MethodGet, path: pathTo(agentsPath, agentID, "connections")}
	return wholeList(ctx, c, r, "data", isListedFor(agentID), errNoConnections)
}

// connectionsOf is ListAgentConnections of one agent.
func (c *Client) connectionsOf(agentID string) func(context.Context) iter.Seq2[api.AgentConnectionResponse, error] {
	return func(ctx context.Context) iter.Seq2[api.AgentConnectionResponse, error] {
		return c.ListAgentConnections(ctx, agentID)
	}
}

// CreateAgentConnection lets an agent use a token. If the reply is lost, it looks for the connection and returns it if it is
// provably the result of this call; otherwise the error is an *OutcomeUnknownError.
func (c *Client) CreateAgentConnection(ctx context.Context, agentID, tokenID string) (*api.AgentConnectionResponse, error) {
	return create(ctx, c, request{
		method: http.MethodPost, path: pathTo(agentsPath, agentID, "connections"),
		body: api.CreateAgentConnectionRequest{OAuthTokenID: tokenID}, merges: 1,
	}, isAgentConnection(agentID), creating[api.AgentConnectionResponse]{
		kind: agentConnectionKind, name: tokenID,
		list:  c.connectionsOf(agentID),
		match: func(found api.AgentConnectionResponse) bool { return SameID(found.OAuthTokenID, tokenID) },
		id:    func(found api.AgentConnectionResponse) string { return found.ID },
	})
}

// DeleteAgentConnection disconnects an agent from a token. If the connection doesn't exist, that is an error, unless an earlier
// attempt of this call deleted it.
func (c *Client) DeleteAgentConnection(ctx context.Context, agentID, id string) error {
	deletion := request{method: http.MethodDelete, path: pathTo(agentsPath, agentID, "connections", id)}
	return remove(ctx, c, deletion, c.ListAgentConnections(ctx, agentID),
		func(found api.AgentConnectionResponse) bool { return SameID(found.ID, id) })
}

var errNoConnections = errors.New("the response is not a list of connections: it has no data")

// isListedFor expects a connection of an agent in a list: caches and proxies may mix responses up.
func isListedFor(agentID string) func(*api.AgentConnectionResponse) error {
	hasID := hasKey(func(found api.AgentConnectionResponse) string { return found.ID })
	return func(found *api.AgentConnectionResponse) error {
		if err := hasID(found); err != nil || found.AgentID == agentID {
			return err
		}
		return fmt.Errorf("it is a connection of agent %q", found.AgentID)
	}
}

// isAgentConnection expects a connection of an agent.
func isAgentConnection(agentID string) func(*api.AgentConnectionResponse) error {
	return func(found *api.AgentConnectionResponse) error {
		switch {
		case found.ID == "" || found.OAuthTokenID == "":
			return errors.New("the response is not a connection: it has no id or no oauth_token_id")
		case found.AgentID != agentID:
			return fmt.Errorf("the response is a connection of agent %q", found.AgentID)
		}
		return nil
	}
}
