package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// importedToken is a token in the response to an import, which has its ID only, or in a list.
type importedToken struct {
	api.OAuthTokenSummary
	TokenID string `json:"token_id" format:"id"`
}

// OverwrittenError means that an import was stored in a token that existed before.
type OverwrittenError struct{ ID string }

func (e *OverwrittenError) Error() string {
	return fmt.Sprintf("the service stored it in token %s, which existed before and has lost its former value", e.ID)
}

// ImportOAuthToken stores a token that was obtained elsewhere, and returns its ID. If the reply is lost, it looks for a token that
// didn't exist before and is provably the result of this call; otherwise the error is an *OutcomeUnknownError. Imports are never
// repeated, because each adds a token. One runs at a time, or the lists of two would show the tokens of the other.
func (c *Client) ImportOAuthToken(ctx context.Context, req api.OAuthTokenImportRequest) (string, error) {
	c.imports.Lock()
	defer c.imports.Unlock()
	before, err := c.ListOAuthTokens(ctx, "") // Of all providers: the service may find the token to replace by something else.
	if err != nil {
		return "", err
	}
	existed := func(id string) bool {
		return slices.ContainsFunc(before, func(t api.OAuthTokenSummary) bool { return SameID(t.ID, id) })
	}
	made, err := create(ctx, c, request{
		method: http.MethodPost, path: oauthTokensPath + "/import", body: req,
		secrets: append([]string{req.AccessToken}, secretValue(req.RefreshToken)...),
	}, func(t *importedToken) error {
		if t.TokenID == "" {
			return errors.New("the response has no token_id")
		}
		return nil
	}, creating[importedToken]{
		kind: oauthTokenKind, name: req.ProviderID, appeared: true,
		list:  c.importedTokens,
		match: func(t importedToken) bool { return t.ProviderID == req.ProviderID && !existed(t.ID) },
		id:    func(t importedToken) string { return t.ID + t.TokenID },
		shown: func(t importedToken) any {
			shown := api.OAuthTokenImportRequest{
				ProviderID: t.ProviderID, Scopes: api.Some(t.Scopes), ExpiresInSeconds: lifetime(req.ExpiresInSeconds, t.ExpiresAt, nil),
			}
			if req.IsDefault.Present {
				shown.IsDefault = api.Some(t.IsDefault)
			}
			return shown
		},
	})
	if err != nil {
		return "", err
	}
	id := made.ID + made.TokenID // A response has one of them.
	if existed(id) {
		return "", &OverwrittenError{id}
	}
	return id, nil
}

func (c *Client) importedTokens(ctx context.Context) iter.Seq2[importedToken, error] {
	return wholeList(ctx, c, listTokens(""), "", func(t *importedToken) error { return isOAuthToken(&t.OAuthTokenSummary) }, errNoTokens)
}

// GetOAuthToken reads the metadata of one token of the user from the list: there is no operation for a single one. If there is none,
// IsNotFound is true for the error.
func (c *Client) GetOAuthToken(ctx context.Context, providerID, id string) (*api.OAuthTokenSummary, error) {
	return fetchOne(ctx, c, listTokens(providerID), isOAuthToken, errNoTokens, func(t api.OAuthTokenSummary) bool { return SameID(t.ID, id) },
		fmt.Sprintf("OAuth provider %q has no token %s of the user", providerID, id))
}

// UpdateOAuthToken changes the metadata of a token, and returns it as the service then shows it. If it doesn't show the change, the
// error is an *OutcomeUnknownError.
func (c *Client) UpdateOAuthToken(ctx context.Context, providerID, id string, req api.OAuthTokenUpdateRequest) (*api.OAuthTokenSummary, error) {
	return changing[api.OAuthTokenSummary]{
		request: request{method: http.MethodPatch, path: pathTo(oauthTokensPath, id, "metadata"), body: req, merges: 1},
		kind:    oauthTokenKind, id: id,
		check: func(t *api.OAuthTokenSummary) error { return isAsked("token", id, t.ID) },
		read:  func(ctx context.Context) (*api.OAuthTokenSummary, error) { return c.GetOAuthToken(ctx, providerID, id) },
	}.prove(ctx, c)
}

// DeleteOAuthToken deletes one token of the user, and the connections of agents to it. If it doesn't exist, that is an error, unless
// an earlier attempt of this call deleted it.
func (c *Client) DeleteOAuthToken(ctx context.Context, id string) error {
	deletion := request{method: http.MethodDelete, path: pathTo(oauthTokensPath, id)}
	return remove(ctx, c, deletion, c.importedTokens(ctx), func(t importedToken) bool { return SameID(t.ID, id) })
}
