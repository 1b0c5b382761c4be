package oauthprovider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// secretName is the name of the secret in its fingerprint.
const secretName = "client_secret"

// secret returns the client secret, whichever attribute has it; null if none is managed. The write-only one must have been
// copied from the configuration.
func (m model) secret() types.String {
	if !m.ClientSecretWO.IsNull() {
		return m.ClientSecretWO
	}
	return m.ClientSecret
}

// secretChanges reports whether the secret is managed and differs, or may differ, from the one that the service accepted
// last. Between two versions, only their difference counts.
func secretChanges(planned, state model, prints framework.Fingerprint) bool {
	secret := planned.secret()
	switch {
	case secret.IsNull():
		return false
	case !prints.Holds(secretName):
		return true
	case !planned.ClientSecretWOVersion.IsNull() && !state.ClientSecretWOVersion.IsNull():
		return !planned.ClientSecretWOVersion.Equal(state.ClientSecretWOVersion)
	}
	return secret.IsUnknown() || !prints.Matches(secretName, secret.ValueString())
}

// isMadeAnew reports whether m is another provider than the one in the state, which was deleted and created again with the
// same provider_id.
func (m model) isMadeAnew(state model) bool {
	return !state.ID.IsNull() && !m.ID.Equal(state.ID)
}

// madeAnew warns that a provider was created again elsewhere, and drops the fingerprint of its secret, which is unknown.
func madeAnew(ctx context.Context, from framework.PrivateReader, to framework.PrivateWriter, anew model) diag.Diagnostics {
	prints, diags := framework.LoadFingerprint(ctx, from, framework.ClientSecretKey)
	diags.AddAttributeWarning(path.Root("id"), "OAuth provider was created again",
		fmt.Sprintf("OAuth provider %q was deleted and created again outside of Terraform: its ID is now %s. Its client "+
			"secret is unknown, so the next apply sends the configured one, if there is one.", anew.ProviderID.ValueString(), anew.ID.ValueString()))
	if prints.Holds(secretName) {
		diags.Append(framework.Fingerprint{}.Save(ctx, to, framework.ClientSecretKey)...)
	}
	return diags
}
