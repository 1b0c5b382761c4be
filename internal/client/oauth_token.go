package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const oauthTokensPath = "/v2/auth/tokens" //nolint:gosec // A path, not a credential.

// ListOAuthTokens lists the metadata of the user's tokens; for all OAuth providers if providerID is empty.
func (c *Client) ListOAuthTokens(ctx context.Context, providerID string) ([]api.OAuthTokenSummary, error) {
	tokens, _, err := fetchList(ctx, c, listTokens(providerID), "", isOAuthToken, errNoTokens)
	return tokens.items, err
}

func listTokens(providerID string) request {
	r := request{method: http.MethodGet, path: oauthTokensPath, query: url.Values{}, nullIsEmpty: true}
	if providerID != "" {
		r.query.Set("provider_id", providerID)
	}
	return r
}

var errNoTokens = errors.New("the response is not a list of tokens")

// isOAuthToken expects an item of a list of tokens.
func isOAuthToken(t *api.OAuthTokenSummary) error {
	if t.ID == "" || t.ProviderID == "" {
		return errors.New("it has no id or no provider_id")
	}
	return nil
}

// OAuthTokensExist reports for each OAuth provider whether the user has a token.
func (c *Client) OAuthTokensExist(ctx context.Context, providerIDs []string) (map[string]bool, error) {
	answer, _, err := fetch(ctx, c, request{
		method: http.MethodPost, path: oauthTokensPath + "/exists/batch", repeatable: true,
		body: api.OAuthTokenStatusBatchRequest{ProviderIDs: providerIDs},
	}, func(r *api.OAuthTokenStatusBatchResponse) error {
		for _, id := range providerIDs {
			if _, said := r.HasToken[id]; !said {
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

// DeleteOAuthTokens deletes all of the user's tokens for an OAuth provider. It is not an error if there are none.
func (c *Client) DeleteOAuthTokens(ctx context.Context, providerID string) error {
	_, err := c.do(ctx, request{method: http.MethodDelete, path: oauthTokensPath, query: url.Values{"provider_id": {providerID}}})
	return err
}
