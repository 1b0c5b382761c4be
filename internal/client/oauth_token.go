package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const oauthTokensPath = "/v2/auth/tokens" //nolint:gosec // A path, not a credential.

var oauthTokenKind = kind{"an OAuth token", "provider_id"}

// OAuthTokens are the user's tokens for an OAuth provider, or for all if providerID is empty, without the tokens themselves. Deleting one
// also deletes the connections of agents to it.
func (c *Client) OAuthTokens(providerID string) Deletable[api.OAuthTokenSummary] {
	return Deletable[api.OAuthTokenSummary]{Collection: Collection[api.OAuthTokenSummary]{
		client: c, kind: oauthTokenKind, path: oauthTokensPath, id: func(t api.OAuthTokenSummary) string { return t.ID },
		list: listAtOnce(c, listTokens(providerID), oauthTokenFormat), listedOnly: true,
		check: func(id string) func(*api.OAuthTokenSummary) error {
			return func(t *api.OAuthTokenSummary) error { return checkID("token", id, t.ID) }
		},
	}}
}

func listTokens(providerID string) request {
	return request{method: http.MethodGet, path: oauthTokensPath, query: parameters(map[string]string{"provider_id": providerID})}
}

var oauthTokenFormat = listFormat[api.OAuthTokenSummary]{check: isOAuthToken, missing: errNoTokens, nullIsEmpty: true}

var errNoTokens = errors.New("the response is not a list of tokens")

// isOAuthToken checks an item of a list of tokens.
func isOAuthToken(t *api.OAuthTokenSummary) error {
	if t.ID == "" || t.ProviderID == "" {
		return errors.New("it has no id or no provider_id")
	}
	return nil
}

// ListOAuthTokens lists the metadata of the user's tokens; for all OAuth providers if providerID is empty.
func (c *Client) ListOAuthTokens(ctx context.Context, providerID string) ([]api.OAuthTokenSummary, error) {
	list, err := fetchList(ctx, c, listTokens(providerID), oauthTokenFormat)
	return list.items, err
}

// OAuthTokensExist reports for each OAuth provider whether the user has a token.
func (c *Client) OAuthTokensExist(ctx context.Context, providerIDs []string) (map[string]bool, error) {
	answer, err := fetch(ctx, c, request{
		method: http.MethodPost, path: oauthTokensPath + "/exists/batch", repeatable: true,
		body: api.OAuthTokenStatusBatchRequest{ProviderIDs: providerIDs},
	}, func(r *api.OAuthTokenStatusBatchResponse) error {
		for _, id := range providerIDs {
			if _, has := r.HasToken[id]; !has {
				return errors.New("the response doesn't say whether there is a token of OAuth provider " + id)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answer.HasToken, nil
}

// UpdateOAuthToken changes the metadata of a token, and returns it as the service then shows it.
func (c *Client) UpdateOAuthToken(ctx context.Context, providerID, id string, req api.OAuthTokenUpdateRequest) (*api.OAuthTokenSummary, error) {
	return update[api.OAuthTokenSummary]{
		Collection: c.OAuthTokens(providerID).Collection, objectID: id,
		request: request{method: http.MethodPatch, path: pathTo(oauthTokensPath, id, "metadata"), body: req, merges: 1},
	}.send(ctx)
}

// DeleteOAuthTokens deletes all of the user's tokens for an OAuth provider. It is not an error if there are none.
func (c *Client) DeleteOAuthTokens(ctx context.Context, providerID string) error {
	_, err := c.do(ctx, request{method: http.MethodDelete, path: oauthTokensPath, query: url.Values{"provider_id": {providerID}}})
	return err
}

// importedToken is a token in a list, or in the response to an import, which only has its ID.
type importedToken struct {
	api.OAuthTokenSummary
	TokenID string `json:"token_id" format:"id"`
}

// id returns the ID, of which a response has one or the other.
func (t importedToken) id() string { return t.ID + t.TokenID }

// OverwrittenError means that an import was stored in a token that existed before.
type OverwrittenError struct{ ID string }

func (e *OverwrittenError) Error() string {
	return fmt.Sprintf("the service stored it in token %s, which existed before and has lost its former value", e.ID)
}

// ImportOAuthToken stores a token that was obtained elsewhere, and returns its ID. Imports are never repeated, because each adds a token.
// Only one runs at a time: each must recognize its token among those that appear.
func (c *Client) ImportOAuthToken(ctx context.Context, req api.OAuthTokenImportRequest) (string, error) {
	c.imports.Lock()
	defer c.imports.Unlock()
	before, err := c.ListOAuthTokens(ctx, "") // Of all providers: how the service finds a token to replace isn't documented.
	if err != nil {
		return "", err
	}
	existed := func(id string) bool {
		return slices.ContainsFunc(before, func(t api.OAuthTokenSummary) bool { return SameID(t.ID, id) })
	}
	made, _, err := creation[importedToken]{
		Collection: Collection[importedToken]{
			client: c, kind: oauthTokenKind, id: importedToken.id,
			list: listAtOnce(c, listTokens(""), listFormat[importedToken]{
				check: func(t *importedToken) error { return isOAuthToken(&t.OAuthTokenSummary) }, missing: errNoTokens, nullIsEmpty: true,
			}),
		},
		request: request{
			method: http.MethodPost, path: oauthTokensPath + "/import", body: req,
			secrets: append([]string{req.AccessToken}, secretValue(req.RefreshToken)...),
		},
		accept: func(t *importedToken) error {
			if t.TokenID == "" {
				return errors.New("the response has no token_id")
			}
			return nil
		},
		name: req.ProviderID, checked: true,
		match: func(t importedToken) bool { return t.ProviderID == req.ProviderID && !existed(t.ID) },
		shown: func(t importedToken) any {
			shown := api.OAuthTokenImportRequest{
				ProviderID: t.ProviderID, Scopes: api.Some(t.Scopes), ExpiresInSeconds: lifetime(req.ExpiresInSeconds, t.ExpiresAt, nil),
			}
			if req.IsDefault.Present {
				shown.IsDefault = api.Some(t.IsDefault)
			}
			return shown
		},
	}.create(ctx)
	if err != nil {
		return "", err
	}
	if id := made.id(); existed(id) {
		return "", &OverwrittenError{id}
	}
	return made.id(), nil
}

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
