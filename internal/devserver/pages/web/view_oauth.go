package web

import "time"

// OAuthView contains the OAuth providers of a workspace, and the user's tokens and connections. It doesn't contain the
// tokens themselves.
type OAuthView struct {
	Frame
	// UserID is the user to whom the tokens and connections belong.
	UserID    string
	Providers []OAuthProvider
	// Tokens is the number of tokens, NewestTokens those that are shown.
	Tokens       int
	NewestTokens []OAuthToken
	// Connections are newest first.
	Connections []AgentConnection
	// ProvidersHCL and ConnectionsHCL are the configurations that manage these with Terraform.
	ProvidersHCL, ConnectionsHCL string
}

// OAuthProvider is where users log in. Empty texts are omitted.
type OAuthProvider struct {
	ProviderID, Name, ProviderType, MCPServerURL string
	// Host is that of the login.
	Host string
	// Connected says that the user has a token that is valid or can be refreshed.
	Connected bool
}

// OAuthToken contains the metadata of a token.
type OAuthToken struct {
	ID, ProviderID, Label string
	Scopes                []string
	Default               bool
	// Refreshed says that it is refreshed before it expires.
	Refreshed, Expired              bool
	ExpiresAt, CreatedAt, UpdatedAt time.Time // ExpiresAt is zero for a token that doesn't expire.
}

// AgentConnection lets an agent use a token.
type AgentConnection struct {
	ID, AgentID, ProviderID, TokenID string
	CreatedAt                        time.Time
}

// ConnectView redirects to a login.
type ConnectView struct {
	Frame
	// URL is where it continues, Host its host.
	URL, Host string
}
