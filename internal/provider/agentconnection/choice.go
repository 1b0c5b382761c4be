package agentconnection

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// choice is how a configuration without oauth_token_id chooses the user's token. The zero value belongs to one with it.
type choice struct {
	ProviderID string  `json:"provider_id,omitempty"`
	Label      *string `json:"label,omitempty"`
}

// loadChoice returns the choice in the private state: the state has the IDs of the token, however it was chosen.
func loadChoice(ctx context.Context, private framework.PrivateReader) (choice, diag.Diagnostics) {
	var by choice
	diags := framework.LoadPrivate(ctx, private, framework.ChoiceKey, &by)
	return by, diags
}

// save records the choice. The form with oauth_token_id needs no record.
func (by choice) save(ctx context.Context, private framework.PrivateWriter) diag.Diagnostics {
	if !by.made() {
		return framework.ClearPrivate(ctx, private, framework.ChoiceKey)
	}
	return framework.SavePrivate(ctx, private, framework.ChoiceKey, by)
}

func (by choice) made() bool { return by.ProviderID != "" }

func (by choice) equal(other choice) bool {
	return by.ProviderID == other.ProviderID && framework.String(by.Label).Equal(framework.String(other.Label))
}

// from returns the chosen one of the user's tokens, and nil if there is none: like the service, the default, or else the newest.
func (by choice) from(tokens []api.OAuthTokenSummary) *api.OAuthTokenSummary {
	var chosen *api.OAuthTokenSummary
	for _, token := range tokens {
		switch {
		case token.ProviderID != by.ProviderID, by.Label != nil && !framework.String(by.Label).Equal(framework.String(token.ProviderAccountLabel)):
		case chosen == nil, token.IsDefault, !chosen.IsDefault && token.CreatedAt > chosen.CreatedAt:
			chosen = &token
		}
	}
	return chosen
}

func (by choice) String() string {
	if by.Label == nil {
		return fmt.Sprintf("OAuth provider %q", by.ProviderID)
	}
	return fmt.Sprintf("OAuth provider %q with the label %q", by.ProviderID, *by.Label)
}

// warn explains why a connection is pending.
func (by choice) warn(agentID types.String) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("provider_id"),
		fmt.Sprintf("Agent %q is not connected yet", agentID.ValueString()),
		fmt.Sprintf("The user of the provider's API key has no token of %s: log in first, for example with the action "+
			"agentplane_authenticate, and apply again. Until then, the connection is pending.", by))}
}
