package authservice

import (
	"bytes"
	"context"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// mustRefresh reports whether a token is about to expire and can be refreshed.
func (s *Service) mustRefresh(c *rest.Call, token store.OAuthToken) bool {
	return token.SealedRefresh != nil && token.ExpiresAt != nil && token.ExpiresAt.Before(c.Now.Add(refreshBefore))
}

// refreshTime is how long other servers are kept from refreshing the same token, and refreshAgain how often they look whether it is
// refreshed.
const refreshTime, refreshAgain = 2 * limits.OutboundTime, 50 * time.Millisecond

// refreshing names the lease of the server that refreshes a token.
func refreshing(tokenID string) string { return "refresh " + tokenID }

// toRefresh returns a token, and its provider if this server is the one that has to refresh it now. It waits for another one that does.
func (s *Service) toRefresh(ctx context.Context, c *rest.Call, tokenID string) (token store.OAuthToken, p *store.OAuthProvider, err error) {
	for {
		var mine bool
		err = c.Do(ctx, func(in *rest.Call) error {
			p, mine = nil, true
			token, err = in.Tx.OAuthToken(in.WorkspaceID, tokenID)
			if err != nil || !s.mustRefresh(c, token) { // It was deleted meanwhile, or another request was faster.
				return orMissingToken(err, tokenID)
			}
			if mine, err = in.Tx.Acquire(refreshing(tokenID), refreshTime); err != nil || !mine {
				return err
			}
			of, err := providerOf(in, token.ProviderID) // As of the token, so that the refresh token goes to the server that issued it.
			p = &of
			return err
		})
		if err != nil || mine {
			return token, p, err
		}
		time.Sleep(refreshAgain)
	}
}

// refreshed returns a refreshed token, or the current one if its provider refuses to refresh it. Concurrent callers get the same result.
func (s *Service) refreshed(c *rest.Call, tokenID string) (store.OAuthToken, error) {
	refreshed, err, _ := s.refreshing.Do(tokenID, func() (any, error) {
		// The refresh doesn't stop when the client leaves: the provider may have used up the refresh token by then.
		return s.refreshNow(context.WithoutCancel(c.Request.Context()), c, tokenID)
	})
	token, _ := refreshed.(store.OAuthToken)
	return token, err
}

func (s *Service) refreshNow(ctx context.Context, c *rest.Call, tokenID string) (store.OAuthToken, error) {
	token, p, err := s.toRefresh(ctx, c, tokenID)
	if err != nil || p == nil {
		return token, err
	}
	granted, failed := s.refresh(ctx, *p, token)
	if failed != nil && !rejected(failed) {
		if err := c.Do(ctx, func(in *rest.Call) error { return in.Tx.Release(refreshing(tokenID)) }); err != nil {
			return token, err
		}
		if _, valid := s.access(token, c.Now); valid {
			return token, nil // The next request tries again.
		}
		return token, form.Broken("The token of OAuth provider '%s' has expired and can't be refreshed now: %s. Try again later.",
			p.ProviderID, reasonOf(failed))
	}
	err = c.Do(ctx, func(in *rest.Call) error {
		if err := in.Tx.Release(refreshing(tokenID)); err != nil {
			return err
		}
		current, err := in.Tx.OAuthToken(in.WorkspaceID, tokenID)
		if err != nil {
			return orMissingToken(err, tokenID)
		}
		replaced := !bytes.Equal(current.SealedRefresh, token.SealedRefresh)
		token = current
		if replaced { // The user has logged in meanwhile, and that grant is newer.
			return nil
		}
		event := eventOf(token, api.TokenRefreshed, "authenticate")
		if failed != nil {
			// The provider no longer knows it. Trying again would change nothing.
			token.SealedRefresh = nil
			event.Type, event.Reason = string(api.TokenFailed), api.NonEmpty(reasonOf(failed))
		} else {
			s.storeGrant(&token, granted, in.Now)
		}
		if err := in.Tx.UpdateOAuthToken(token); err != nil {
			return err
		}
		return recordEvent(in, event)
	})
	return token, err
}
