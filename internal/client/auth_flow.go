package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// longestWait limits how long one request waits for a user: proxies cut longer requests off.
const longestWait = 20 * time.Second

// Authenticate requests a token. It is retried like a read: a repeated request starts, at most, a second login, which expires.
func (c *Client) Authenticate(ctx context.Context, req api.AuthAuthenticateRequest) (*api.AuthAuthenticateResponse, error) {
	return fetch(ctx, c, request{
		method: http.MethodPost, path: "/v2/auth/authenticate", body: req, repeatable: true,
	}, func(r *api.AuthAuthenticateResponse) error {
		switch {
		case r.Status == "":
			return errors.New("the response has no status")
		case r.Status == api.AuthCompleted && (r.Token == nil || *r.Token == ""):
			return errors.New("the response has the status completed and no token")
		case r.Status == api.AuthPending && (r.URL == nil || r.AuthID == nil):
			return errors.New("the response has the status pending, and doesn't say where the user must go")
		}
		return nil
	})
}

// WaitForAuth returns the status of a login once it has ended, or after longestWait.
func (c *Client) WaitForAuth(ctx context.Context, authID string) (*api.AuthWaitResponse, error) {
	seconds := int(min(longestWait, c.cfg.RequestTimeout/2).Seconds())
	return fetch(ctx, c, request{
		method: http.MethodGet, path: pathTo("/v2/auth/wait", authID), query: url.Values{"timeout": {strconv.Itoa(seconds)}},
	}, func(r *api.AuthWaitResponse) error {
		if r.Status == "" {
			return errors.New("the response has no status")
		}
		return nil
	})
}

// ListTokenEvents lists the newest events of the user's tokens for an OAuth provider, newest first.
func (c *Client) ListTokenEvents(ctx context.Context, providerID string, limit int) ([]api.TokenEventSummary, error) {
	events, err := fetchList(ctx, c, request{
		method: http.MethodGet, path: "/v2/auth/token-events", query: url.Values{"provider_id": {providerID}, "limit": {strconv.Itoa(limit)}},
	}, listFormat[api.TokenEventSummary]{
		check: hasKey(func(e api.TokenEventSummary) string { return e.ID }), nullIsEmpty: true,
		missing: errors.New("the response is not a list of events"),
	})
	return events.items, err
}
