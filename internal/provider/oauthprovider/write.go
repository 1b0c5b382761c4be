package oauthprovider

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// stateWriter stores what is known about a provider.
type stateWriter struct {
	framework.StateWriter
	private framework.PrivateWriter
}

// keep stores the planned values, and otherwise what the service returned.
func (w stateWriter) keep(ctx context.Context, plan model, answer api.OAuthProviderResponse) diag.Diagnostics {
	return w.Write(ctx, kept(ctx, plan, newModel(plan, answer)))
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
	return prints.With(secretName, secret).Save(ctx, w.private, framework.ClientSecretKey)
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

// sharedList returns the list of OAuth providers for the running plan.
func sharedList(p *framework.ProviderData, c *client.Client) *framework.SharedList[api.OAuthProviderResponse] {
	return framework.Shared(p, "OAuth providers", c, c.PageOAuthProviders, func(o api.OAuthProviderResponse) []string { return []string{o.ProviderID} })
}

// unique is the key of a provider.
var unique = framework.UniqueKey[model]{
	Attribute: "provider_id", Words: "provider_id", ID: func(m model) types.String { return m.ProviderID },
	Values: func(m model) (types.String, types.String, []attr.Value) { return m.ProviderID, m.WorkspaceID, nil },
	Holder: func(ctx context.Context, p *framework.ProviderData, planned model) (string, error) {
		c := p.In(planned.WorkspaceID)
		providers, err := lookup.OAuthProviders(ctx, p, c)
		for _, o := range providers {
			if o.ProviderID == planned.ProviderID.ValueString() {
				return o.ProviderID, nil
			}
		}
		return "", err
	},
}

// writer returns the client for changes. Lists that were read before are stale from then on.
func (r *oauthProviderResource) writer(workspaceID types.String) *client.Client {
	c := r.In(workspaceID)
	sharedList(&r.ProviderData, c).Close()
	return c
}
