package api

import "regexp"

// OAuthProviderType is a provider that needs special treatment. Responses may have other values.
type OAuthProviderType string

// The provider types.
const (
	OAuthProviderMicrosoft  OAuthProviderType = "microsoft"
	OAuthProviderSalesforce OAuthProviderType = "salesforce"
	OAuthProviderSlack      OAuthProviderType = "slack"
	OAuthProviderX          OAuthProviderType = "x"
)

// OAuthProviderTypes lists every OAuthProviderType.
var OAuthProviderTypes = []OAuthProviderType{
	OAuthProviderMicrosoft, OAuthProviderSalesforce, OAuthProviderSlack, OAuthProviderX,
}

// ProviderIDForm is that of a provider_id.
var ProviderIDForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// ReservedProviderIDs can't be a provider_id: they are other paths below that of the providers.
var ReservedProviderIDs = []string{"mcp-discover"}

// TokenEndpointAuthMethod is how the service authenticates at a token endpoint.
type TokenEndpointAuthMethod string

// The methods. client_secret_post is the default.
const (
	TokenEndpointAuthNone              TokenEndpointAuthMethod = "none"
	TokenEndpointAuthClientSecretBasic TokenEndpointAuthMethod = "client_secret_basic"
	TokenEndpointAuthClientSecretPost  TokenEndpointAuthMethod = "client_secret_post"
)

// TokenEndpointAuthMethods lists every TokenEndpointAuthMethod.
var TokenEndpointAuthMethods = []TokenEndpointAuthMethod{
	TokenEndpointAuthNone, TokenEndpointAuthClientSecretBasic, TokenEndpointAuthClientSecretPost,
}

// OAuthProviderResponse is an OAuth provider of the organization. The client secret is never returned.
type OAuthProviderResponse struct {
	ID             string `json:"id" format:"id"`
	OrganizationID string `json:"organization_id" format:"id"`
	// ProviderID is chosen when the provider is created, and is its key in paths.
	ProviderID              string                  `json:"provider_id"`
	Name                    string                  `json:"name"`
	ClientID                string                  `json:"client_id"`
	AuthURL                 string                  `json:"auth_url"`
	TokenURL                string                  `json:"token_url"`
	UsesPKCE                bool                    `json:"uses_pkce"`
	CodeChallengeMethod     *string                 `json:"code_challenge_method"`
	ProviderType            *OAuthProviderType      `json:"provider_type"`
	MCPServerURL            *string                 `json:"mcp_server_url"`
	TokenEndpointAuthMethod TokenEndpointAuthMethod `json:"token_endpoint_auth_method"`
	AuthorizationParams     map[string]string       `json:"authorization_params"`
	// IsDynamicClient means that the service registered the client itself.
	IsDynamicClient     bool     `json:"is_dynamic_client"`
	AllowedRedirectURIs []string `json:"allowed_redirect_uris"`
	DefaultRedirectURI  *string  `json:"default_redirect_uri"`
	CreatedAt           string   `json:"created_at"`
	UpdatedAt           string   `json:"updated_at"`
}

// OAuthProviderCreateRequest is the body of POST /v2/auth/providers.
type OAuthProviderCreateRequest struct {
	// ProviderID can't be changed by a patch.
	ProviderID          string           `json:"provider_id"`
	Name                string           `json:"name"`
	ClientID            string           `json:"client_id"`
	ClientSecret        Optional[string] `json:"client_secret,omitzero"`
	AuthURL             string           `json:"auth_url"`
	TokenURL            string           `json:"token_url"`
	UsesPKCE            Optional[bool]   `json:"uses_pkce,omitzero"`             // Default: false.
	CodeChallengeMethod Optional[string] `json:"code_challenge_method,omitzero"` // Default: S256.
	// ProviderType and TokenEndpointAuthMethod can't be changed by a patch.
	ProviderType            Optional[OAuthProviderType]       `json:"provider_type,omitzero"`
	TokenEndpointAuthMethod Optional[TokenEndpointAuthMethod] `json:"token_endpoint_auth_method,omitzero"`
	AuthorizationParams     Optional[map[string]string]       `json:"authorization_params,omitzero"`
	AllowedRedirectURIs     Optional[[]string]                `json:"allowed_redirect_uris,omitzero"`
}

// OAuthProviderUpdateRequest is the body of PATCH /v2/auth/providers/{provider_id}. Absent and null both keep the current value, so a
// client secret can be replaced but not removed.
type OAuthProviderUpdateRequest struct {
	Name                Optional[string]            `json:"name,omitzero"`
	ClientID            Optional[string]            `json:"client_id,omitzero"`
	ClientSecret        Optional[string]            `json:"client_secret,omitzero"`
	AuthURL             Optional[string]            `json:"auth_url,omitzero"`
	TokenURL            Optional[string]            `json:"token_url,omitzero"`
	UsesPKCE            Optional[bool]              `json:"uses_pkce,omitzero"`
	CodeChallengeMethod Optional[string]            `json:"code_challenge_method,omitzero"`
	AuthorizationParams Optional[map[string]string] `json:"authorization_params,omitzero"`
	AllowedRedirectURIs Optional[[]string]          `json:"allowed_redirect_uris,omitzero"`
}
