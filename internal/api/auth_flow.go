package api

import "encoding/json"

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
