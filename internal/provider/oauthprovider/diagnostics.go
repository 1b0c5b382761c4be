package oauthprovider

import (
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// failure is how a failed verb on the provider m is told.
func (m model) failure(verb string) framework.Failure {
	providerID := m.ProviderID.ValueString()
	return framework.Failure{
		Summary:       fmt.Sprintf("Cannot %s OAuth provider %q", verb, providerID),
		AttributePath: m.attributePath,
		NextSteps: map[int]string{
			http.StatusConflict: fmt.Sprintf("If an OAuth provider %[1]q exists and is yours, import it: `terraform import` with "+
				"its address and %[1]q; else choose another provider_id. A replacement can't use create_before_destroy, because "+
				"the provider_id is unique.", providerID),
		},
	}
}

// attributePath finds the attribute of a location in a request body. Of the two that can hold the secret, it is the one
// that does.
func (m model) attributePath(loc []api.LocStep) (path.Path, bool) {
	if loc[0].Key == "client_secret" && m.ClientSecret.IsNull() {
		return path.Root("client_secret_wo"), true
	}
	return framework.SchemaPath(oauthProviderSchema(), loc)
}
