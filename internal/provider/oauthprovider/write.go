package oauthprovider

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// stateWriter stores what is known about a provider.
type stateWriter struct {
	framework.StateWriter
	private framework.PrivateWriter
}

// keep stores the planned values, and otherwise what the service returned.
func (w stateWriter) keep(ctx context.Context, plan model, answer api.OAuthProviderResponse) diag.Diagnostics {
	answered, diags := newModel(ctx, plan, answer)
	diags.Append(w.Write(ctx, kept(ctx, plan, answered))...)
	return diags
}

// kept is what an apply stores.
func kept(ctx context.Context, plan, answered model) model {
	m := framework.KeepPlanned(ctx, plan, answered)
	m.ClientSecretWO = types.StringNull()
	return m
}

// accepted records the secret that a write sent, if it sent one.
func (w stateWriter) accepted(ctx context.Context, prints framework.Fingerprint, sent api.Optional[string]) diag.Diagnostics {
	secret, ok := sent.Get()
	if !ok {
		return nil
	}
	return prints.With(fingerprintKey, secret).Save(ctx, w.private, fingerprintKey)
}

// patch sends the change, and repeats it once if its reply is lost and nothing proves that it has happened.
func (r *oauthProviderResource) patch(ctx context.Context, plan model, patch api.OAuthProviderUpdateRequest) (*api.OAuthProviderResponse, error) {
	c, providerID := r.In(plan.WorkspaceID), plan.ProviderID.ValueString()
	return client.Change[api.OAuthProviderResponse]{
		Read: func(ctx context.Context) (*api.OAuthProviderResponse, error) {
			return c.GetOAuthProvider(ctx, providerID)
		},
		Send: func(ctx context.Context) (*api.OAuthProviderResponse, error) {
			return c.PatchOAuthProvider(ctx, providerID, patch)
		},
		Shows: func(current api.OAuthProviderResponse) bool { return shows(patch, current) },
	}.Apply(ctx, c)
}

// shows says whether a provider has everything that a change sends. A secret is never shown.
func shows(patch api.OAuthProviderUpdateRequest, current api.OAuthProviderResponse) bool {
	params, sendsParams := patch.AuthorizationParams.Get()
	uris, sendsURIs := patch.AllowedRedirectURIs.Get()
	return !patch.ClientSecret.Present && client.Shows(patch.Name, &current.Name) && client.Shows(patch.ClientID, &current.ClientID) &&
		client.Shows(patch.AuthURL, &current.AuthURL) && client.Shows(patch.TokenURL, &current.TokenURL) &&
		client.Shows(patch.UsesPKCE, &current.UsesPKCE) && client.Shows(patch.CodeChallengeMethod, current.CodeChallengeMethod) &&
		(!sendsParams || maps.Equal(params, current.AuthorizationParams)) && (!sendsURIs || slices.Equal(uris, current.AllowedRedirectURIs))
}

// find reads a provider; nil if there is none. The API doesn't document the response in that case, and a single unexpected
// one proves nothing: after a 404 or a 400, the list decides.
func find(ctx context.Context, c *client.Client, providerID string) (*api.OAuthProviderResponse, error) {
	provider, err := c.GetOAuthProvider(ctx, providerID)
	status := client.StatusOf(err)
	if status != http.StatusNotFound && status != http.StatusBadRequest || client.IsForeign(err) {
		return provider, err
	}
	for listed, unread := range c.ListOAuthProviders(ctx) {
		switch {
		case unread != nil:
			return nil, err
		case listed.ProviderID == providerID:
			return &listed, nil
		}
	}
	return nil, nil
}
