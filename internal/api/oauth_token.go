package api

import "encoding/json"

// OAuthTokenSummary is the metadata of a token, without the token itself.
type OAuthTokenSummary struct {
	ID                   string   `json:"id" format:"id"`
	ProviderID           string   `json:"provider_id"`
	ProviderAccountLabel *string  `json:"provider_account_label"`
	Scopes               []string `json:"scopes"`
	ExpiresAt            *string  `json:"expires_at"`
	IsDefault            bool     `json:"is_default"`
	CreatedAt            string   `json:"created_at"`
	UpdatedAt            string   `json:"updated_at"`
}

// OAuthTokenUpdateRequest is the body of PATCH /v2/auth/tokens/{token_id}/metadata.
type OAuthTokenUpdateRequest struct {
	ProviderAccountLabel Optional[string] `json:"provider_account_label,omitzero"`
	IsDefault            Optional[bool]   `json:"is_default,omitzero"`
}

// OAuthTokenImportRequest is the body of POST /v2/auth/tokens/import.
type OAuthTokenImportRequest struct {
	ProviderID       string                               `json:"provider_id"`
	AccessToken      string                               `json:"access_token"`
	RefreshToken     Optional[string]                     `json:"refresh_token,omitzero"`
	ExpiresInSeconds Optional[int64]                      `json:"expires_in_seconds,omitzero"`
	Scopes           Optional[[]string]                   `json:"scopes,omitzero"`
	Metadata         Optional[map[string]json.RawMessage] `json:"metadata,omitzero"`
	IsDefault        Optional[bool]                       `json:"is_default,omitzero"` // Default: true.
}

// OAuthTokenImportResponse is the response to an import.
type OAuthTokenImportResponse struct {
	TokenID string `json:"token_id" format:"id"`
}

// OAuthTokenStatusResponse reports whether a token exists.
type OAuthTokenStatusResponse struct {
	HasToken bool `json:"has_token"`
}

// OAuthTokenStatusBatchRequest is the body of POST /v2/auth/tokens/exists/batch.
type OAuthTokenStatusBatchRequest struct {
	ProviderIDs []string `json:"provider_ids"`
}

// OAuthTokenStatusBatchResponse says for which providers a token exists.
type OAuthTokenStatusBatchResponse struct {
	HasToken map[string]bool `json:"has_token"`
}

// OAuthTokensDeleteResponse is the response to DELETE /v2/auth/tokens, with status 200.
type OAuthTokensDeleteResponse struct {
	Message    string `json:"message"`
	ProviderID string `json:"provider_id"`
}

// MessageResponse is a response that only describes what was done.
type MessageResponse struct {
	Message string `json:"message"`
}

// TokenEventType is the type of an event of a token.
type TokenEventType string

// The types. Responses may have others.
const (
	TokenCreated   TokenEventType = "created"
	TokenRefreshed TokenEventType = "refreshed"
	TokenFailed    TokenEventType = "failed"
	TokenRevoked   TokenEventType = "revoked"
)

// TokenEventSummary is an event of a token, or of a flow to get one.
type TokenEventSummary struct {
	ID                   string                     `json:"id" format:"id"`
	ProviderID           string                     `json:"provider_id"`
	AgentID              *string                    `json:"agent_id"`
	EventType            TokenEventType             `json:"event_type"`
	Reason               *string                    `json:"reason"`
	Source               *string                    `json:"source"`
	ProviderAccountLabel *string                    `json:"provider_account_label"`
	Scopes               []string                   `json:"scopes"`
	Detail               map[string]json.RawMessage `json:"detail"`
	AcknowledgedAt       *string                    `json:"acknowledged_at"`
	CreatedAt            string                     `json:"created_at"`
}
