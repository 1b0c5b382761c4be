package authservice

import (
	"context"
	"net/http"
	"sync/atomic"

	"golang.org/x/sync/singleflight"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/turns"
)

// Config is the configuration of the Auth service.
type Config struct {
	// Key seals secrets in the data.
	Key seal.Key
	// IsUser reports whether a user has an API key, so that others can't act for them.
	IsUser func(id string) bool
	// PlatformProviders are the slugs of providers that belong to the platform if they exist.
	PlatformProviders []string
	// Local are the URLs on this machine that OAuth providers may refer to.
	Local LocalURLs
	// Page returns the path of the page with the tokens of a workspace.
	Page func(workspaceID string) string
}

// Service is the Auth service.
type Service struct {
	cfg      Config
	outbound *outbound
	// refreshing prevents concurrent refreshes of a token: many servers accept a refresh token only once.
	refreshing singleflight.Group
	waits      *turns.Turns    // The waiting requests that are answered as soon as the user has logged in; others wait for their turn.
	waiting    atomic.Int64    // All of them. Beyond limits.AuthWaitsQueued, they get no turn: each turn looks at the whole queue.
	running    context.Context // Of requests that wait for users.
	stop       context.CancelFunc
}

// New returns the service.
func New(cfg Config) *Service {
	s := &Service{cfg: cfg, outbound: newOutbound(cfg.Local), waits: turns.New(limits.AuthWaits, limits.AuthWaits/2)}
	s.running, s.stop = context.WithCancel(context.Background())
	return s
}

// End ends requests that wait for users.
func (s *Service) End() { s.stop() }

// Endpoints returns the endpoints in the service's API description.
func (s *Service) Endpoints() []rest.Endpoint {
	return append(rest.Routes(map[string]rest.Handler{
		"GET /v2/auth/providers":                                         listOAuthProviders,
		"POST /v2/auth/providers":                                        rest.Decoded(s.createOAuthProvider),
		"GET /v2/auth/providers/{provider_id}":                           rest.WithNamed(oauthProvider, showOAuthProvider),
		"PATCH /v2/auth/providers/{provider_id}":                         rest.Changing(oauthProvider, s.patchOAuthProvider),
		"DELETE /v2/auth/providers/{provider_id}":                        rest.WithNamed(oauthProvider, deleteOAuthProvider),
		"GET /v2/auth/platform-providers":                                s.listPlatformProviders,
		"GET /v2/auth/tokens":                                            listTokens,
		"DELETE /v2/auth/tokens":                                         deleteTokens,
		"POST /v2/auth/tokens/import":                                    rest.Decoded(s.importToken),
		"GET /v2/auth/tokens/exists":                                     tokenExists,
		"GET /v2/auth/tokens/workspace/slack/exists":                     slackTokenExists,
		"DELETE /v2/auth/tokens/workspace/slack":                         deleteSlackTokens,
		"PATCH /v2/auth/tokens/{token_id}/metadata":                      rest.Changing(ownToken, patchTokenMetadata),
		"DELETE /v2/auth/tokens/{token_id}":                              rest.WithNamed(ownToken, deleteToken),
		"GET /v2/auth/token-events":                                      listTokenEvents,
		"GET /v2/auth/agents/{agent_id}/connections":                     listConnections,
		"POST /v2/auth/agents/{agent_id}/connections":                    rest.Decoded(createConnection),
		"DELETE /v2/auth/agents/{agent_id}/connections/{connection_id}":  removeConnection,
		"POST /v2/auth/agents/{agent_id}/providers/{provider_id}/tokens": rest.Changing(oauthProvider, s.upsertAgentToken),
	}), []rest.Endpoint{
		{Path: "/v2/auth/tokens/exists/batch", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(tokensExist)}},
		{Path: "/v2/auth/providers/mcp-discover", Outside: rest.Methods{http.MethodPost: rest.Decoded(s.createMCPOAuthProvider)}},
		{Path: "/v2/auth/authenticate", Outside: rest.Methods{http.MethodPost: rest.Decoded(s.authenticate)}},
		{Path: "/v2/auth/wait/{auth_id}", Outside: rest.Methods{http.MethodGet: s.wait}},
		// Browsers are redirected here, without a key. The state identifies the flow.
		{Path: "/v2/auth/callback/{provider_id}", Public: true, Outside: rest.Methods{http.MethodGet: s.callback, http.MethodPost: s.finalize}},
		{Path: "/v2/auth/setup/{provider_id}", Public: true, Outside: rest.Methods{http.MethodGet: s.setup}},
	}...)
}
