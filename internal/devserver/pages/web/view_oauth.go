package web

import "time"

// OAuthView is the OAuth providers of a workspace, and what a user has there. Tokens themselves have no place here.
type OAuthView struct {
	Frame
	// UserID is whose tokens and connections they are.
	UserID    string
	Providers []OAuthProvider
	// Tokens is how many there are, NewestTokens those that are shown.
	Tokens       int
	NewestTokens []OAuthToken
	// Connections are newest first.
	Connections []AgentConnection
}

// OAuthProvider is where users log in. Texts that are empty are left out.
type OAuthProvider struct {
	ProviderID, Name, ProviderType, MCPServerURL string
	// Host is that of the login.
	Host string
	// Connected says that the user has a token that is valid, or can be refreshed.
	Connected bool
}

// OAuthToken is what is known of a token.
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

// ConnectView leads to a login.
type ConnectView struct {
	Frame
	// URL is where it goes on, Host its host.
	URL, Host string
}
