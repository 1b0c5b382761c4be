package oauthtoken

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

const (
	accessTokenWO  = "access_token_wo"
	refreshTokenWO = "refresh_token_wo"
)

// plan plans a replacement if the tokens change, which the service never returns.
func plan(ctx context.Context, planning *framework.Planning[model]) (model, diag.Diagnostics) {
	planned := planning.Plan
	prints, diags := framework.LoadFingerprint(ctx, planning.Private, framework.TokensKey)
	checked, destroyed := prints.Holds(accessTokenWO), "" // A replacement is planned as a change and then as a creation.
	if planning.State != nil {
		state := *planning.State
		switch {
		case planned.isAnother(state, prints):
			// Terraform ignores the path of a replacement whose value doesn't change, as that of a write-only one.
			planned.ID = types.StringUnknown()
			planning.RequiresReplace.Append(path.Root("id"))
		case len(planning.RequiresReplace) == 0:
			diags.Append(state.warnExpired(planning.Now())...)
		}
		if framework.MayDiffer[api.OAuthTokenUpdateRequest](planned, state) {
			planned.UpdatedAt = types.StringUnknown()
		}
		checked, destroyed = planned.ProviderID.Equal(state.ProviderID), "Token "+state.ID.ValueString()
	}
	if !checked {
		diags.Append(lookup.CheckOAuthProvider(ctx, planning.ProviderData, planned.WorkspaceID, planned.ProviderID, destroyed)...)
	}
	return planned, diags
}

// isAnother reports whether the tokens or their lifetime differ, or may differ, from those that the service accepted. Those of a token that
// was imported are unknown: they count as the configured ones. Between two versions, only their difference counts.
func (m model) isAnother(state model, prints framework.Fingerprint) bool {
	versioned := !m.TokensWOVersion.IsNull() && !state.TokensWOVersion.IsNull()
	switch {
	case versioned && !m.TokensWOVersion.Equal(state.TokensWOVersion):
		return true
	case !prints.Holds(accessTokenWO):
		return false
	case !m.ExpiresInSeconds.Equal(state.ExpiresInSeconds):
		return true
	case versioned:
		return false
	}
	return prints.Differs(accessTokenWO, m.AccessTokenWO) || prints.Differs(refreshTokenWO, m.RefreshTokenWO)
}

// warnExpired warns of a token whose lifetime has ended.
func (m model) warnExpired(now time.Time) diag.Diagnostics {
	expires, err := time.Parse(time.RFC3339, m.ExpiresAt.ValueString())
	if err != nil || now.Before(expires) {
		return nil
	}
	return framework.WarningAt(path.Root("expires_at"), "OAuth token has expired", "Token %s of OAuth provider %q has expired at %s. Agents can't "+
		"use it unless the service can refresh it. To replace it, set another access_token_wo, and another tokens_wo_version if that is set.",
		m.ID.ValueString(), m.ProviderID.ValueString(), m.ExpiresAt.ValueString())
}
