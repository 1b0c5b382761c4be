package api

import "encoding/json"

// AgentConnectionResponse is a token that an agent may use.
type AgentConnectionResponse struct {
	ID                   string   `json:"id" format:"id"`
	AgentID              string   `json:"agent_id"`
	OAuthTokenID         string   `json:"oauth_token_id" format:"id"`
	ProviderID           string   `json:"provider_id"`
	ProviderAccountLabel *string  `json:"provider_account_label"`
	Scopes               []string `json:"scopes"`
	ExpiresAt            *string  `json:"expires_at"`
	CreatedBy            string   `json:"created_by"`
	CreatedAt            string   `json:"created_at"`
}

// AgentConnectionListResponse is the response to GET /v2/auth/agents/{agent_id}/connections.
type AgentConnectionListResponse struct {
	Data []AgentConnectionResponse `json:"data"`
}

// CreateAgentConnectionRequest is the body of POST /v2/auth/agents/{agent_id}/connections.
type CreateAgentConnectionRequest struct {
	OAuthTokenID string `json:"oauth_token_id"`
}

// UpsertAgentProviderTokenRequest is the body of POST /v2/auth/agents/{agent_id}/providers/{provider_id}/tokens.
type UpsertAgentProviderTokenRequest struct {
	AccessToken          string                               `json:"access_token"`
	RefreshToken         Optional[string]                     `json:"refresh_token,omitzero"`
	ExpiresInSeconds     Optional[int64]                      `json:"expires_in_seconds,omitzero"`
	Scopes               Optional[[]string]                   `json:"scopes,omitzero"`
	ProviderAccountLabel Optional[string]                     `json:"provider_account_label,omitzero"`
	Metadata             Optional[map[string]json.RawMessage] `json:"metadata,omitzero"`
}
