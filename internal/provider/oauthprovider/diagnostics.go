package oauthprovider

import (
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
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

// notCreated returns the diagnostics for a failed creation of m. An import uses its provider_id.
func (r *oauthProviderResource) notCreated(m model, err error) diag.Diagnostics {
	failure := m.failure("create")
	if m.isDiscovered() {
		failure.NextSteps[http.StatusBadRequest] = "Check that mcp_server_url is the URL of the MCP server, and that its " +
			"authorization server supports dynamic client registration. Otherwise, register a client there, and set " +
			"client_id, auth_url and token_url instead of mcp_server_url."
	}
	failure.Last = r.Found(m.WorkspaceID, err, func(string) string { return m.ProviderID.ValueString() })
	failure.NextSteps[http.StatusConflict] = r.Taken(m.WorkspaceID, m.ProviderID.ValueString(), "OAuth provider", "provider_id")
	return failure.Diagnostics(err)
}

// attributePath finds the attribute of a location in a request body. For the secret, it is the attribute that is set.
func (m model) attributePath(loc []api.LocStep) (path.Path, bool) {
	if loc[0].Key == "client_secret" && m.ClientSecret.IsNull() {
		return path.Root("client_secret_wo"), true
	}
	return framework.SchemaPath(oauthProviderSchema(), loc)
}
