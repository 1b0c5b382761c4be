package oauthprovider

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// keeper keeps what is known of a provider.
type keeper struct {
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity // Nil where the CLI knows none.
	private  framework.PrivateWriter
}

// keep stores what the plan promised, and for the rest what the service answered.
func (k keeper) keep(ctx context.Context, plan model, answer api.OAuthProviderResponse) diag.Diagnostics {
	answered, diags := newModel(ctx, plan, answer)
	diags.Append(k.set(ctx, answered.promised(plan))...)
	return diags
}

func (k keeper) set(ctx context.Context, m model) diag.Diagnostics {
	diags := k.state.Set(ctx, &m)
	if k.identity != nil {
		diags.Append(k.identity.Set(ctx, identityModel{WorkspaceID: m.WorkspaceID, ProviderID: m.ProviderID})...)
	}
	return diags
}

// accepted records the secret that a write sent, if it sent one.
func (k keeper) accepted(ctx context.Context, held framework.Fingerprint, sent api.Optional[string]) diag.Diagnostics {
	secret, ok := sent.Get()
	if !ok {
		return nil
	}
	return held.With(fingerprintKey, secret).Save(ctx, k.private, fingerprintKey)
}

// patch sends the change. When the reply is lost, it looks whether the change has happened, and sends it once more if not:
// setting the same values twice does no more than setting them once. A secret can't be looked at, so it is sent again.
func (r *oauthProviderResource) patch(ctx context.Context, plan model, patch api.OAuthProviderUpdateRequest) (*api.OAuthProviderResponse, error) {
	c, providerID := r.In(plan.WorkspaceID), plan.ProviderID.ValueString()
	patched, err := c.PatchOAuthProvider(ctx, providerID, patch)
	if !client.IsAmbiguous(err) {
		return patched, err
	}
	current, readErr := c.GetOAuthProvider(ctx, providerID)
	if readErr != nil {
		return nil, err
	}
	shown, diags := newModel(ctx, plan, *current)
	if !patch.ClientSecret.Present && !diags.HasError() && !plan.differs(shown) {
		tflog.Info(ctx, "the reply to a change was lost, but the change has happened", map[string]any{"provider_id": providerID})
		return current, nil
	}
	return c.PatchOAuthProvider(ctx, providerID, patch)
}

// isGone says whether err means that there is no such provider any more. The service documents no answer for that, and a
// 404 that doesn't name what is missing comes from a wrong base_url as well: there, and for a 400, the list decides.
func isGone(ctx context.Context, c *client.Client, providerID string, err error) bool {
	if client.IsNotFound(err) {
		return true
	}
	status := client.StatusOf(err)
	if status != http.StatusNotFound && status != http.StatusBadRequest || client.IsForeign(err) {
		return false
	}
	for provider, err := range c.ListOAuthProviders(ctx) {
		if err != nil || provider.ProviderID == providerID {
			return false
		}
	}
	return true
}
