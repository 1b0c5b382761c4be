package authservice

import (
	"bytes"
	"context"
	"errors"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// mustRefresh says whether a token is about to expire and can be refreshed.
func (s *Service) mustRefresh(c *rest.Call, token store.OAuthToken) bool {
	return token.SealedRefresh != nil && token.ExpiresAt != nil && token.ExpiresAt.Before(c.Now.Add(refreshBefore))
}

// refreshed returns a refreshed token, or the current one if its provider refuses to refresh it. Concurrent callers get the
// same result.
func (s *Service) refreshed(c *rest.Call, token store.OAuthToken) (*store.OAuthToken, error) {
	done := s.refreshing.DoChan(token.ID, func() (any, error) {
		// The refresh must not stop when the first caller leaves: the provider may have used up the refresh token by then.
		return s.refreshNow(context.WithoutCancel(c.Request.Context()), c, token.ID)
	})
	select {
	case result := <-done:
		if result.Err != nil {
			return nil, result.Err
		}
		row, _ := result.Val.(store.OAuthToken)
		return &row, nil
	case <-c.Request.Context().Done():
		return nil, c.Request.Context().Err()
	}
}

func (s *Service) refreshNow(ctx context.Context, c *rest.Call, tokenID string) (token store.OAuthToken, err error) {
	var p store.OAuthProvider // As of the token, so that the refresh token goes to the server that issued it.
	err = c.Do(ctx, func(in *rest.Call) error {
		token, err = in.Tx.OAuthToken(in.WorkspaceID, tokenID)
		if errors.Is(err, store.ErrNotFound) {
			return tokenNotFound(tokenID) // It was deleted meanwhile.
		}
		if err == nil {
			p, err = providerOf(in, token.ProviderID)
		}
		return err
	})
	if err != nil || !s.mustRefresh(c, token) { // Another caller was faster.
		return token, err
	}
	granted, failed := s.refresh(ctx, p, token)
	if failed != nil && !rejected(failed) {
		if _, valid := s.access(token, c.Now); valid {
			return token, nil // The next request tries again.
		}
		return token, refusal.Broken("The token of OAuth provider '%s' has expired and can't be refreshed now: %s. Try again later.",
			p.ProviderID, reasonOf(failed))
	}
	err = c.Do(ctx, func(in *rest.Call) error {
		current, err := in.Tx.OAuthToken(in.WorkspaceID, tokenID)
		if errors.Is(err, store.ErrNotFound) {
			return tokenNotFound(tokenID)
		}
		if err != nil {
			return err
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
