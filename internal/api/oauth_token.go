package api

import (
	"encoding/json"
)

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

// AuthStatus is the result of a request for a token.
type AuthStatus string

// The states. Answers may carry others.
const (
	AuthCompleted          AuthStatus = "completed"
	AuthPending            AuthStatus = "pending"
	AuthConnectionRequired AuthStatus = "connection_required"
	AuthTokenExpired       AuthStatus = "token_expired"
)

// AuthAuthenticateRequest is the body of POST /v2/auth/authenticate.
type AuthAuthenticateRequest struct {
	// UserID and LSUserID identify the user of the token; without either, it is the caller.
	UserID   Optional[string] `json:"user_id,omitzero"`
	LSUserID Optional[string] `json:"ls_user_id,omitzero"`
	// AgentID requests a token that the agent is connected to.
	AgentID Optional[string] `json:"agent_id,omitzero"`
	// Provider is the provider_id of an OAuth provider.
	Provider                   string         `json:"provider"`
	Scopes                     []string       `json:"scopes"`
	UseAgentBuilderPublicOAuth Optional[bool] `json:"use_agent_builder_public_oauth,omitzero"`
	ForceNew                   Optional[bool] `json:"force_new,omitzero"`
	TokenID                    Optional[UUID] `json:"token_id,omitzero"`
	IsDefault                  Optional[bool] `json:"is_default,omitzero"` // Default: true.
}

// AuthAuthenticateResponse is a token, or the URL at which the user can get one. URL and token are secrets.
type AuthAuthenticateResponse struct {
	Status   AuthStatus                 `json:"status"`
	URL      *string                    `json:"url"`
	AuthID   *string                    `json:"auth_id"`
	Token    *string                    `json:"token"`
	UserID   *string                    `json:"user_id"`
	Metadata map[string]json.RawMessage `json:"metadata"`
}

// AuthWaitStatus is the result of waiting for a user.
type AuthWaitStatus string

// The states. Answers may carry others.
const (
	AuthWaitCompleted AuthWaitStatus = "completed"
	AuthWaitPending   AuthWaitStatus = "pending"
	AuthWaitTimeout   AuthWaitStatus = "timeout"
	AuthWaitNotFound  AuthWaitStatus = "not_found"
)

// AuthWaitResponse is the response to GET /v2/auth/wait/{auth_id}.
type AuthWaitResponse struct {
	Status AuthWaitStatus `json:"status"`
	Token  *string        `json:"token"`
}

// OAuthFinalizeRequest is the body of POST /v2/auth/callback/{provider_id}.
type OAuthFinalizeRequest struct {
	Code  string `json:"code"`
	State string `json:"state"`
}

// MCPOAuthProviderCreateRequest is the body of POST /v2/auth/providers/mcp-discover.
type MCPOAuthProviderCreateRequest struct {
	ProviderID   string `json:"provider_id"`
	Name         string `json:"name"`
	MCPServerURL string `json:"mcp_server_url"`
}
