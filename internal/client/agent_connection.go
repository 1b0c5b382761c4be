package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const agentsPath = "/v2/auth/agents"

var (
	agentConnectionKind = kind{"a connection", "oauth_token_id"}
	agentTokenKind      = kind{"a token", "provider_id"}
)

// AgentConnections are the user's connections of an agent.
func (c *Client) AgentConnections(agentID string) Deletable[api.AgentConnectionResponse] {
	path := pathTo(agentsPath, agentID, "connections")
	return Deletable[api.AgentConnectionResponse]{Collection: Collection[api.AgentConnectionResponse]{
		client: c, kind: agentConnectionKind, path: path, id: func(found api.AgentConnectionResponse) string { return found.ID },
		listedOnly: true,
		list: listAtOnce(c, request{method: http.MethodGet, path: path}, listFormat[api.AgentConnectionResponse]{
			field: "data", missing: errors.New("the response is not a list of connections: it has no data"),
			check: func(found *api.AgentConnectionResponse) error {
				switch {
				case found.ID == "":
					return errors.New("it has no id")
				case found.AgentID != agentID: // Caches and proxies may mix responses up.
					return fmt.Errorf("it is a connection of agent %q", found.AgentID)
				}
				return nil
			},
		}),
	}}
}

// CreateAgentConnection lets an agent use a token.
func (c *Client) CreateAgentConnection(ctx context.Context, agentID, tokenID string) (*api.AgentConnectionResponse, error) {
	connections := c.AgentConnections(agentID)
	created, _, err := creation[api.AgentConnectionResponse]{
		Collection: connections.Collection, name: tokenID, accept: isAgentConnection(agentID, ""),
		request: request{
			method: http.MethodPost, path: connections.path, body: api.CreateAgentConnectionRequest{OAuthTokenID: tokenID}, merges: 1,
		},
		match: func(found api.AgentConnectionResponse) bool { return SameID(found.OAuthTokenID, tokenID) },
	}.create(ctx)
	return created, err
}

// agentTokens are the connections of an agent to tokens of its own.
func (c *Client) agentTokens(agentID, providerID string) Collection[api.AgentConnectionResponse] {
	tokens := c.AgentConnections(agentID).Collection
	tokens.kind = agentTokenKind
	tokens.check = func(id string) func(*api.AgentConnectionResponse) error {
		return func(found *api.AgentConnectionResponse) error {
			return cmp.Or(isAgentConnection(agentID, providerID)(found), checkID("connection", id, found.ID))
		}
	}
	return tokens
}

// CreateAgentProviderToken gives an agent its own token for an OAuth provider. before are the agent's connections right before that:
// the service would replace a token that is among them. adopted means that the reply was lost and the token was found.
func (c *Client) CreateAgentProviderToken(
	ctx context.Context, agentID, providerID string, req api.UpsertAgentProviderTokenRequest, before []api.AgentConnectionResponse,
) (created *api.AgentConnectionResponse, adopted bool, err error) {
	tokens := c.agentTokens(agentID, providerID)
	return creation[api.AgentConnectionResponse]{
		Collection: tokens, name: providerID, checked: true,
		request: upsertToken(agentID, providerID, req), accept: isAgentConnection(agentID, providerID),
		match: func(found api.AgentConnectionResponse) bool {
			return found.ProviderID == providerID && !slices.ContainsFunc(before, tokens.hasID(found.ID))
		},
		shown: func(found api.AgentConnectionResponse) any { return asUpsert(req, found, nil) },
	}.create(ctx)
}

// UpdateAgentProviderToken replaces an agent's own token, which the agent has through the connection before. After a lost reply it is sent
// again only once a read has shown that connection: without it, the service would make another one.
func (c *Client) UpdateAgentProviderToken(
	ctx context.Context, before api.AgentConnectionResponse, req api.UpsertAgentProviderTokenRequest,
) (*api.AgentConnectionResponse, error) {
	return update[api.AgentConnectionResponse]{
		Collection: c.agentTokens(before.AgentID, before.ProviderID), objectID: before.ID,
		request: upsertToken(before.AgentID, before.ProviderID, req),
		shown:   func(found api.AgentConnectionResponse) any { return asUpsert(req, found, before.ExpiresAt) },
	}.send(ctx)
}

func upsertToken(agentID, providerID string, req api.UpsertAgentProviderTokenRequest) request {
	return request{
		method: http.MethodPost, path: pathTo(agentsPath, agentID, "providers", providerID, "tokens"), body: req,
		secrets: append([]string{req.AccessToken}, secretValue(req.RefreshToken)...),
	}
}

// isAgentConnection checks that a response is a connection of an agent; for an OAuth provider, unless providerID is empty.
func isAgentConnection(agentID, providerID string) func(*api.AgentConnectionResponse) error {
	return func(found *api.AgentConnectionResponse) error {
		switch {
		case found.ID == "" || found.OAuthTokenID == "":
			return errors.New("the response is not a connection: it has no id or no oauth_token_id")
		case found.AgentID != agentID:
			return fmt.Errorf("the response is a connection of agent %q", found.AgentID)
		case providerID != "" && found.ProviderID != providerID:
			return fmt.Errorf("the response is a token for OAuth provider %q", found.ProviderID)
		}
		return nil
	}
}

// asUpsert returns the part of a connection that is comparable with a request, which replaces the whole token.
func asUpsert(sent api.UpsertAgentProviderTokenRequest, found api.AgentConnectionResponse, expiredAt *string) api.UpsertAgentProviderTokenRequest {
	return api.UpsertAgentProviderTokenRequest{
		Scopes: api.Some(found.Scopes), ProviderAccountLabel: api.FromPtr(found.ProviderAccountLabel),
		ExpiresInSeconds: lifetime(sent.ExpiresInSeconds, found.ExpiresAt, expiredAt),
	}
}

// lifetime returns the lifetime that was sent if a token may have it, and otherwise another one. It starts with the request, so that the
// token expires at another time than before.
func lifetime(sent api.Optional[int64], expiresAt, before *string) api.Optional[int64] {
	switch {
	case expiresAt == nil:
		return api.Optional[int64]{}
	case sent.Present && (before == nil || *before != *expiresAt):
		return sent
	}
	return api.Some[int64](0)
}
