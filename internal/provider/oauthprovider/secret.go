package oauthprovider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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
	return prints.Differs(secretName, secret)
}

// accepted records the secret that a request sent, if it sent one.
func accepted(ctx context.Context, op *framework.Operation[model], prints framework.Fingerprint, sent api.Optional[string]) diag.Diagnostics {
	secret, ok := sent.Get()
	if !ok {
		return nil
	}
	return prints.With(secretName, secret).Save(ctx, op.Private, framework.ClientSecretKey)
}

// recreated warns if a provider was deleted and created again with the same provider_id. A refresh also drops the fingerprint of its
// secret, which is unknown.
func recreated(ctx context.Context, op *framework.Operation[model], before, found model) diag.Diagnostics {
	const createdAgain = "OAuth provider was created again"
	switch {
	case before.ID.IsNull() || found.ID.Equal(before.ID):
		return nil
	case op.Verb != "read":
		return diag.Diagnostics{diag.NewWarningDiagnostic(createdAgain, fmt.Sprintf("OAuth provider %q was deleted and created again outside of Terraform during "+
			"this apply: its ID is now %s. The next plan shows what differs, and sends the configured client secret, if there is one.",
			found.ProviderID.ValueString(), found.ID.ValueString()))}
	}
	prints, diags := framework.LoadFingerprint(ctx, op.Private, framework.ClientSecretKey)
	diags.AddAttributeWarning(path.Root("id"), createdAgain, fmt.Sprintf("OAuth provider %q was deleted and created again outside of Terraform: its ID "+
		"is now %s. Its client secret is unknown, so the next apply sends the configured one, if there is one.",
		found.ProviderID.ValueString(), found.ID.ValueString()))
	if prints.Holds(secretName) {
		diags.Append(framework.Fingerprint{}.Save(ctx, op.Private, framework.ClientSecretKey)...)
	}
	return diags
}
