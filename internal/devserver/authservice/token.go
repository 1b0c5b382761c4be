package authservice

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// listTokens returns the metadata of the caller's tokens, never the tokens themselves.
func listTokens(c *rest.Call) (rest.Answer, error) {
	rows, err := c.Tx.OAuthTokens(c.WorkspaceID, c.UserID, c.Params().Text("provider_id"))
	return rest.OK(form.Collect(rows, newTokenSummary)), err
}

// importToken stores a token that was obtained elsewhere.
func (s *Service) importToken(c *rest.Call, request api.OAuthTokenImportRequest) (rest.Answer, error) {
	provider, err := providerOf(c, request.ProviderID)
	if err != nil {
		return rest.Answer{}, err
	}
	token := store.OAuthToken{
		ID: uuid.NewString(), WorkspaceID: c.WorkspaceID, UserID: c.UserID, ProviderID: provider.ProviderID, IsDefault: true, CreatedAt: c.Now,
	}
	api.Set(&token.IsDefault, request.IsDefault)
	if err := s.storeImported(&token, request, c.Now); err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(api.OAuthTokenImportResponse{TokenID: token.ID}), write(c, token, false, "import")
}

// write stores a new token, or one that is known, and records that.
func write(c *rest.Call, token store.OAuthToken, known bool, source string) error {
	stored, event := c.Tx.InsertOAuthToken, api.TokenCreated
	if known {
		stored, event = c.Tx.UpdateOAuthToken, api.TokenRefreshed
	}
	if err := stored(token); err != nil {
		return err
	}
	return recordEvent(c, eventOf(token, event, source))
}

// storeImported seals an imported token into a row.
func (s *Service) storeImported(row *store.OAuthToken, from api.OAuthTokenImportRequest, now time.Time) error {
	var v form.Validator
	v.NotEmpty(from.AccessToken, form.Body("access_token"))
	lifetime, expires := from.ExpiresInSeconds.Get()
	if expires {
		v.Bounds(lifetime, limits.TokenSeconds, form.Body("expires_in_seconds"))
	}
	if err := v.Err(); err != nil {
		return err
	}
	g := grant{access: from.AccessToken, scopes: []string{}, lifetime: time.Duration(lifetime) * time.Second}
	api.Set(&g.refresh, from.RefreshToken)
	api.Set(&g.scopes, from.Scopes)
	row.SealedRefresh = nil
	s.storeGrant(row, g, now)
	row.Metadata = nil
	if metadata, sent := from.Metadata.Get(); sent {
		text, err := json.Marshal(metadata)
		if err != nil {
			return fmt.Errorf("encode the metadata: %w", err)
		}
		row.Metadata = api.NonEmpty(string(text))
	}
	return nil
}

// patchTokenMetadata changes the label of a token, or makes it the default.
func patchTokenMetadata(c *rest.Call, token store.OAuthToken, request api.OAuthTokenUpdateRequest) (rest.Answer, error) {
	api.Keep(&token.Label, request.ProviderAccountLabel)
	api.Set(&token.IsDefault, request.IsDefault)
	token.UpdatedAt = c.Now
	return rest.OK(newTokenSummary(token)), c.Tx.UpdateOAuthToken(token)
}

func deleteToken(c *rest.Call, token store.OAuthToken) (rest.Answer, error) {
	return rest.NoContent(), revoke(c, token, "token deleted")
}

// deleteTokens deletes all of the caller's tokens for a provider, if there are any.
func deleteTokens(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	providerID := p.Required("provider_id")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	rows, err := c.Tx.OAuthTokens(c.WorkspaceID, c.UserID, &providerID)
	if err == nil {
		err = revokeAll(c, rows, "all tokens of the provider deleted")
	}
	return rest.OK(api.OAuthTokensDeleteResponse{Message: "Tokens revoked", ProviderID: providerID}), err
}

func revokeAll(c *rest.Call, tokens []store.OAuthToken, reason string) error {
	for _, token := range tokens {
		if err := revoke(c, token, reason); err != nil {
			return err
		}
	}
	return nil
}

// revoke deletes a token.
func revoke(c *rest.Call, token store.OAuthToken, reason string) error {
	if err := c.Tx.DeleteOAuthToken(c.WorkspaceID, token.ID); err != nil {
		return err
	}
	event := eventOf(token, api.TokenRevoked, "api")
	event.Reason = &reason
	return recordEvent(c, event)
}

// ownToken reads the caller's token that the path names.
func ownToken(c *rest.Call) (store.OAuthToken, error) {
	return tokenOf(c, c.UserID, c.Request.PathValue("token_id"))
}

// tokenOf reads a token of a user.
func tokenOf(c *rest.Call, userID, id string) (store.OAuthToken, error) {
	token, err := c.Tx.OAuthToken(c.WorkspaceID, id)
	if err == nil && (token.UserID != userID || token.AgentID != nil) {
		err = store.ErrNotFound
	}
	return token, orMissingToken(err, id)
}

func orMissingToken(err error, id string) error {
	return rest.OrMissing(err, "OAuth token ID %s not found.", id)
}

func newTokenSummary(row store.OAuthToken) api.OAuthTokenSummary {
	return api.OAuthTokenSummary{
		ID: row.ID, ProviderID: row.ProviderID, ProviderAccountLabel: row.Label, Scopes: row.Scopes, ExpiresAt: api.Converted(row.ExpiresAt, form.DateTime),
		IsDefault: row.IsDefault, CreatedAt: form.DateTime(row.CreatedAt), UpdatedAt: form.DateTime(row.UpdatedAt),
	}
}
