package authservice

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// defaultChallengeMethod is the code_challenge_method of a provider that is created without one.
const defaultChallengeMethod = "S256"

// listOAuthProviders returns a bare array without paging, as the service does.
func listOAuthProviders(c *rest.Call) (rest.Answer, error) {
	return oauthProvidersWith(c, func(store.OAuthProvider) bool { return true })
}

// listPlatformProviders returns the providers of the platform: here, the seeded one.
func (s *Service) listPlatformProviders(c *rest.Call) (rest.Answer, error) {
	return oauthProvidersWith(c, func(row store.OAuthProvider) bool { return slices.Contains(s.cfg.PlatformProviders, row.ProviderID) })
}

func oauthProvidersWith(c *rest.Call, wanted func(store.OAuthProvider) bool) (rest.Answer, error) {
	rows, err := c.Tx.OAuthProviders(c.WorkspaceID)
	providers := []api.OAuthProviderResponse{}
	for _, row := range rows {
		if !wanted(row) {
			continue
		}
		provider, err := newOAuthProvider(c, row)
		if err != nil {
			return rest.Answer{}, err
		}
		providers = append(providers, provider)
	}
	return rest.OK(providers), err
}

// createOAuthProvider returns 200, not 201, as the service does.
func (s *Service) createOAuthProvider(c *rest.Call, request api.OAuthProviderCreateRequest) (rest.Answer, error) {
	var v form.Validator
	checkSlug(&v, request.ProviderID)
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	if err := slugIsFree(c, request.ProviderID); err != nil {
		return rest.Answer{}, err
	}
	row, err := s.insertOAuthProvider(c, request)
	if err != nil {
		return rest.Answer{}, err
	}
	return showOAuthProvider(c, row)
}

// insertOAuthProvider stores a provider with the documented defaults.
func (s *Service) insertOAuthProvider(c *rest.Call, request api.OAuthProviderCreateRequest) (store.OAuthProvider, error) {
	row := store.OAuthProvider{
		ID:                      uuid.NewString(),
		WorkspaceID:             c.WorkspaceID,
		ProviderID:              request.ProviderID,
		ProviderType:            (*string)(request.ProviderType.Value),
		TokenEndpointAuthMethod: string(api.TokenEndpointAuthClientSecretPost),
		CodeChallengeMethod:     defaultChallengeMethod,
		AuthorizationParams:     "{}",
		AllowedRedirectURIs:     "[]",
		CreatedAt:               c.Now,
	}
	api.Set(&row.TokenEndpointAuthMethod, api.FromPtr((*string)(request.TokenEndpointAuthMethod.Value)))
	if err := s.updateOAuthProvider(c, &row, changesOf(request)); err != nil {
		return row, err
	}
	return row, c.Tx.InsertOAuthProvider(row)
}

// changesOf returns the fields of a create request that can be changed later.
func changesOf(request api.OAuthProviderCreateRequest) api.OAuthProviderUpdateRequest {
	return api.OAuthProviderUpdateRequest{
		Name:                api.Some(request.Name),
		ClientID:            api.Some(request.ClientID),
		ClientSecret:        request.ClientSecret,
		AuthURL:             api.Some(request.AuthURL),
		TokenURL:            api.Some(request.TokenURL),
		UsesPKCE:            request.UsesPKCE,
		CodeChallengeMethod: request.CodeChallengeMethod,
		AuthorizationParams: request.AuthorizationParams,
		AllowedRedirectURIs: request.AllowedRedirectURIs,
	}
}

// EnsureOAuthProvider registers a provider, or updates the one with its slug.
func (s *Service) EnsureOAuthProvider(c *rest.Call, request api.OAuthProviderCreateRequest) error {
	row, err := c.Tx.OAuthProvider(c.WorkspaceID, request.ProviderID)
	if errors.Is(err, store.ErrNotFound) {
		_, err = s.insertOAuthProvider(c, request)
		return err
	}
	if err == nil {
		err = s.updateOAuthProvider(c, &row, changesOf(request))
	}
	if err != nil {
		return err
	}
	return c.Tx.UpdateOAuthProvider(row)
}

func (s *Service) patchOAuthProvider(c *rest.Call, row store.OAuthProvider, request api.OAuthProviderUpdateRequest) (rest.Answer, error) {
	if err := secretSentAgain(row, request); err != nil {
		return rest.Answer{}, err
	}
	if err := s.updateOAuthProvider(c, &row, request); err != nil {
		return rest.Answer{}, err
	}
	if err := c.Tx.UpdateOAuthProvider(row); err != nil {
		return rest.Answer{}, err
	}
	return showOAuthProvider(c, row)
}

// deleteOAuthProvider returns 200 with a message, not 204, as the service does.
func deleteOAuthProvider(c *rest.Call, row store.OAuthProvider) (rest.Answer, error) {
	deleted := api.MessageResponse{Message: fmt.Sprintf("OAuth provider '%s' deleted.", row.ProviderID)}
	return rest.OK(deleted), c.Tx.DeleteOAuthProvider(c.WorkspaceID, row.ProviderID)
}

// oauthProvider reads the provider named by the slug in the path.
func oauthProvider(c *rest.Call) (store.OAuthProvider, error) {
	return providerOf(c, c.Request.PathValue("provider_id"))
}

func providerOf(c *rest.Call, slug string) (store.OAuthProvider, error) {
	row, err := c.Tx.OAuthProvider(c.WorkspaceID, slug)
	return row, rest.OrMissing(err, "OAuth provider '%s' not found.", slug)
}

// updateOAuthProvider applies the non-null fields of a request to a row. Refresh tokens are never sent to another server than the one
// that issued them.
func (s *Service) updateOAuthProvider(c *rest.Call, row *store.OAuthProvider, request api.OAuthProviderUpdateRequest) error {
	if moves(*row, request) {
		if err := c.Tx.VoidOAuthGrants(row.WorkspaceID, row.ProviderID); err != nil {
			return err
		}
	}
	api.Set(&row.Name, request.Name)
	api.Set(&row.ClientID, request.ClientID)
	api.Set(&row.AuthURL, request.AuthURL)
	api.Set(&row.TokenURL, request.TokenURL)
	api.Set(&row.UsesPKCE, request.UsesPKCE)
	api.Set(&row.CodeChallengeMethod, request.CodeChallengeMethod)
	if changed := row.UpdatedAt; c.Now.After(changed) {
		row.UpdatedAt = c.Now
	} else { // Only updated_at shows the change of a secret, also if the clock stands still.
		row.UpdatedAt = changed.Add(time.Microsecond)
	}
	if secret, sent := request.ClientSecret.Get(); sent {
		row.SealedClientSecret = s.cfg.Key.Seal(seal.ClientSecret+row.ID, secret)
	}
	if params, sent := request.AuthorizationParams.Get(); sent {
		text, _ := json.Marshal(params) // Encoding texts never fails.
		row.AuthorizationParams = string(text)
	}
	if uris, sent := request.AllowedRedirectURIs.Get(); sent {
		text, _ := json.Marshal(uris)
		row.AllowedRedirectURIs = string(text)
	}
	return nil
}

// authorizationParams are those of the URL at which users log in.
func authorizationParams(p store.OAuthProvider) (params map[string]string, err error) {
	if err = json.Unmarshal([]byte(p.AuthorizationParams), &params); err != nil {
		err = fmt.Errorf("decode the authorization params of OAuth provider %s: %w", p.ID, err)
	}
	return params, err
}

// allowedRedirectURIs are those to which a login may return; empty if it may return to this server only.
func allowedRedirectURIs(p store.OAuthProvider) (uris []string, err error) {
	if err = json.Unmarshal([]byte(p.AllowedRedirectURIs), &uris); err != nil {
		err = fmt.Errorf("decode the allowed redirect URIs of OAuth provider %s: %w", p.ID, err)
	}
	return uris, err
}

// moves reports whether a request changes to whom refresh tokens, codes and the client secret are sent, or for which client. The URL of the
// MCP server can't be changed.
func moves(row store.OAuthProvider, request api.OAuthProviderUpdateRequest) bool {
	tokenURL, clientID := row.TokenURL, row.ClientID
	api.Set(&tokenURL, request.TokenURL)
	api.Set(&clientID, request.ClientID)
	return tokenURL != row.TokenURL || clientID != row.ClientID
}

// secretSentAgain refuses to send the stored client secret to another server: a request that moves a provider must contain the secret. The
// behaviour of the service isn't documented.
func secretSentAgain(row store.OAuthProvider, request api.OAuthProviderUpdateRequest) error {
	if secret, _ := request.ClientSecret.Get(); row.SealedClientSecret == nil || secret != "" || !moves(row, request) {
		return nil
	}
	return form.Problem(form.Body("client_secret"), "value_error",
		"Value error, a change of 'token_url' or 'client_id' must include the client secret")
}

func showOAuthProvider(c *rest.Call, row store.OAuthProvider) (rest.Answer, error) {
	provider, err := newOAuthProvider(c, row)
	return rest.OK(provider), err
}

func newOAuthProvider(c *rest.Call, row store.OAuthProvider) (api.OAuthProviderResponse, error) {
	callback := defaultRedirectURI(c, row.ProviderID)
	p := api.OAuthProviderResponse{
		ID:                      row.ID,
		OrganizationID:          organizationOf(row.WorkspaceID),
		ProviderID:              row.ProviderID,
		Name:                    row.Name,
		ClientID:                row.ClientID,
		AuthURL:                 row.AuthURL,
		TokenURL:                row.TokenURL,
		UsesPKCE:                row.UsesPKCE,
		CodeChallengeMethod:     &row.CodeChallengeMethod,
		ProviderType:            (*api.OAuthProviderType)(row.ProviderType),
		MCPServerURL:            row.MCPServerURL,
		IsDynamicClient:         row.IsDynamicClient,
		TokenEndpointAuthMethod: api.TokenEndpointAuthMethod(row.TokenEndpointAuthMethod),
		DefaultRedirectURI:      &callback,
		CreatedAt:               form.DateTime(row.CreatedAt),
		UpdatedAt:               form.DateTime(row.UpdatedAt),
	}
	var err, failed error
	p.AuthorizationParams, err = authorizationParams(row)
	p.AllowedRedirectURIs, failed = allowedRedirectURIs(row)
	return p, errors.Join(err, failed)
}

// organizationOf returns the organization of a workspace. Here, each workspace has its own, so that workspaces share
// nothing.
func organizationOf(workspaceID string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("organization of "+workspaceID)).String()
}

// providerSlug is the pattern of slugs, which are used in paths.
var providerSlug = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// checkSlug requires a slug that can be used in a path and is no other path. The flows that use the other fields of a provider report
// problems with them.
func checkSlug(v *form.Validator, slug string) {
	at := form.Body("provider_id")
	v.Pattern(slug, providerSlug, at)
	if slices.Contains(api.ReservedProviderIDs, slug) {
		v.Add(at, "value_error", "Value error, '%s' is reserved", slug)
	}
}
