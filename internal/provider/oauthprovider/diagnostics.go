package oauthprovider

import (
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// failure describes a failed operation on the provider m.
func (m model) failure(verb string) framework.Failure {
	providerID := m.ProviderID.ValueString()
	return framework.Failure{
		Summary:       fmt.Sprintf("Cannot %s OAuth provider %q", verb, providerID),
		AttributePath: m.attributePath,
		Existing:      fmt.Sprintf("OAuth provider %q", providerID),
		NextSteps: map[int]string{
			http.StatusConflict: "Another change of this OAuth provider is in progress, or it is still in use. Apply " +
				"again when that has finished.",
		},
	}
}

// unknownSecret is the remedy if the service wants the secret before it sends it to another server, and the configuration has none.
const unknownSecret = "The service has a client secret for this OAuth provider, which it doesn't use for another token_url or client_id " +
	"unless it is sent again. Set client_secret_wo or client_secret to the secret of the client, or replace the OAuth provider, which " +
	"deletes the tokens of all users."

// attributePath finds the attribute of a location in a request body. For the secret, it is the attribute that is set.
func (m model) attributePath(loc []api.LocStep) (path.Path, bool) {
	if loc[0].Key == "client_secret" && m.ClientSecret.IsNull() {
		return path.Root("client_secret_wo"), true
	}
	return framework.SchemaPath(oauthProviderSchema(), loc)
}
