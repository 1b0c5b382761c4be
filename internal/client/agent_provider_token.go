package client

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// CreateAgentProviderToken gives an agent its own token for an OAuth provider. before are the agent's connections right before that:
// the service would replace a token that is among them. If the reply is lost, it looks for the token and returns it if it is provably
// the result of this call, which adopted reports; otherwise the error is an *OutcomeUnknownError.
func (c *Client) CreateAgentProviderToken(
	ctx context.Context, agentID, providerID string, req api.UpsertAgentProviderTokenRequest, before []api.AgentConnectionResponse,
) (created *api.AgentConnectionResponse, adopted bool, err error) {
	created, err = create(ctx, c, upsertToken(agentID, providerID, req), isAgentToken(agentID, providerID), creating[api.AgentConnectionResponse]{
		kind: agentTokenKind, name: providerID, adopted: &adopted, appeared: true,
		list: c.connectionsOf(agentID),
		match: func(found api.AgentConnectionResponse) bool {
			return found.ProviderID == providerID && !slices.ContainsFunc(before, func(old api.AgentConnectionResponse) bool { return SameID(old.ID, found.ID) })
		},
		id:    func(found api.AgentConnectionResponse) string { return found.ID },
		shown: func(found api.AgentConnectionResponse) any { return asUpsert(req, found, nil) },
	})
	return created, adopted, err
}

// UpdateAgentProviderToken replaces an agent's own token, which the agent has through the connection before. After a lost reply it is sent
// again only once a read has shown that connection: without it, the service would make another one.
func (c *Client) UpdateAgentProviderToken(
	ctx context.Context, before api.AgentConnectionResponse, req api.UpsertAgentProviderTokenRequest,
) (*api.AgentConnectionResponse, error) {
	isToken := isAgentToken(before.AgentID, before.ProviderID)
	return changing[api.AgentConnectionResponse]{
		request: upsertToken(before.AgentID, before.ProviderID, req), kind: agentTokenKind, id: before.ID,
		check: func(found *api.AgentConnectionResponse) error {
			if err := isToken(found); err != nil {
				return err
			}
			return isAsked("connection", before.ID, found.ID)
		},
		read: func(ctx context.Context) (*api.AgentConnectionResponse, error) {
			return c.FindAgentConnection(ctx, before.AgentID, before.ID)
		},
		shown: func(found api.AgentConnectionResponse) any { return asUpsert(req, found, before.ExpiresAt) },
	}.prove(ctx, c)
}

// FindAgentConnection returns a connection in the list of an agent's connections.
func (c *Client) FindAgentConnection(ctx context.Context, agentID, id string) (*api.AgentConnectionResponse, error) {
	return fromList(c.ListAgentConnections(ctx, agentID), func(found api.AgentConnectionResponse) bool { return SameID(found.ID, id) }, notListed(id))
}

func upsertToken(agentID, providerID string, req api.UpsertAgentProviderTokenRequest) request {
	return request{
		method: http.MethodPost, path: pathTo(agentsPath, agentID, "providers", providerID, "tokens"), body: req,
		secrets: append([]string{req.AccessToken}, secretValue(req.RefreshToken)...),
	}
}

// isAgentToken expects a connection of an agent for an OAuth provider.
func isAgentToken(agentID, providerID string) func(*api.AgentConnectionResponse) error {
	isConnection := isAgentConnection(agentID)
	return func(found *api.AgentConnectionResponse) error {
		if err := isConnection(found); err != nil {
			return err
		}
		if found.ProviderID != providerID {
			return fmt.Errorf("the response is a token for OAuth provider %q", found.ProviderID)
		}
		return nil
	}
}

// asUpsert is what a connection has of a request, which replaces the whole token.
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
