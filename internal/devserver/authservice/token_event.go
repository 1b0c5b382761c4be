package authservice

import (
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// listTokenEvents returns the caller's newest events, newest first.
func listTokenEvents(c *rest.Call) (rest.Answer, error) {
	params := c.Params()
	provider, limit := params.Text("provider_id"), params.Integer("limit", 50, 1, 200)
	if err := params.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.OAuthTokenEvents(c.WorkspaceID, c.UserID, provider, limit)
	return rest.OK(form.Collect(rows, newTokenEvent)), err
}

func newTokenEvent(row store.OAuthTokenEvent) api.TokenEventSummary {
	return api.TokenEventSummary{
		ID: row.ID, ProviderID: row.ProviderID, AgentID: row.AgentID, EventType: api.TokenEventType(row.Type), Reason: row.Reason,
		Source: &row.Source, ProviderAccountLabel: row.Label, Scopes: row.Scopes, CreatedAt: form.DateTime(row.CreatedAt),
	}
}

// eventOf returns an event of a token.
func eventOf(token store.OAuthToken, kind api.TokenEventType, source string) store.OAuthTokenEvent {
	return store.OAuthTokenEvent{
		WorkspaceID: token.WorkspaceID, UserID: token.UserID, ProviderID: token.ProviderID, AgentID: token.AgentID,
		Type: string(kind), Source: source, Label: token.Label, Scopes: token.Scopes,
	}
}

func recordEvent(c *rest.Call, event store.OAuthTokenEvent) error {
	event.ID, event.CreatedAt = uuid.NewString(), c.Now
	return c.Tx.InsertOAuthTokenEvent(event, limits.OAuthTokenEvents)
}
