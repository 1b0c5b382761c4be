package oauthtoken

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// tokenMetadata is the metadata of a token. The service guarantees none of it.
type tokenMetadata struct {
	TokenID   *string  `json:"token_id"`
	ExpiresAt *string  `json:"expires_at"`
	Scopes    []string `json:"scopes"`
}

// with returns the configuration with the returned token.
func (m accessTokenModel) with(answer api.AuthAuthenticateResponse) accessTokenModel {
	var known tokenMetadata
	if text, err := json.Marshal(answer.Metadata); err == nil {
		if json.Unmarshal(text, &known) != nil {
			known = tokenMetadata{} // Metadata of another form is not about the token.
		}
	}
	m.AccessToken = framework.String(answer.Token)
	m.ExpiresAt = framework.String(known.ExpiresAt)
	if m.TokenID.IsNull() {
		m.TokenID = framework.String(known.TokenID)
	}
	m.GrantedScopes = framework.TextList(known.Scopes)
	return m
}

// checkRemaining refuses a token that expires too soon.
func (m accessTokenModel) checkRemaining(now time.Time) diag.Diagnostics {
	if m.MinimumRemaining.IsNull() || m.ExpiresAt.IsNull() {
		return nil
	}
	least, diags := m.MinimumRemaining.ValueGoDuration()
	end, err := time.Parse(time.RFC3339, m.ExpiresAt.ValueString())
	if diags.HasError() || err != nil {
		return diags // An unreadable expiry is ignored.
	}
	if left := end.Sub(now); left < least {
		diags.AddAttributeError(path.Root("minimum_remaining"), fmt.Sprintf("Token of OAuth provider %q expires too soon", m.ProviderID.ValueString()),
			fmt.Sprintf("The token is valid for another %s, until %s, but minimum_remaining is %s. The service refreshes "+
				"a token only shortly before it expires. Lower minimum_remaining, or log in again, for example with the "+
				"action agentplane_authenticate and force_new.",
				left.Truncate(time.Second), m.ExpiresAt.ValueString(), least))
	}
	return diags
}

// notLoggedIn returns the error for a user without a token, with the remedy.
func notLoggedIn(providerID, agentID types.String, answer api.AuthAuthenticateResponse) diag.Diagnostics {
	id := providerID.ValueString()
	switch answer.Status {
	case api.AuthPending:
		return diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("OAuth provider %q needs a login", id),
			fmt.Sprintf("The user has no token, or none with these scopes. Log in at this URL within ten minutes, then run Terraform again:\n\n"+
				"%s\n\n"+
				"Only the user of the token may open it. The action agentplane_authenticate waits for a login.", *answer.URL))}
	case api.AuthConnectionRequired:
		return diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("Agent %q is not connected to OAuth provider %q", agentID.ValueString(), id),
			"The user is logged in, but the agent isn't allowed to use the token. Connect the agent with the resource "+
				"agentplane_agent_connection.")}
	case api.AuthTokenExpired:
		return diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("Token of OAuth provider %q has expired", id),
			"The requested token has expired and can't be refreshed. Log in again, for example with the action "+
				"agentplane_authenticate, or replace the token of the agent.")}
	default:
		return diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("No token of OAuth provider %q", id),
			fmt.Sprintf("The service returned the status %q, which this version of the provider doesn't support.", answer.Status))}
	}
}

// requestFailure describes a failed request about the tokens of an OAuth provider. The summary has its ID in place of %q.
func requestFailure(summary string, providerID types.String) framework.Failure {
	return framework.Failure{
		Summary: fmt.Sprintf(summary, providerID.ValueString()),
		NextSteps: map[int]string{
			http.StatusNotFound: "Check provider_id, workspace_id and what else identifies the token. The resource " +
				"agentplane_oauth_provider registers an OAuth provider.",
		},
	}
}
