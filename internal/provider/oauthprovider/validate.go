package oauthprovider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r *oauthProviderResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.TokenEndpointAuthMethod.ValueString() == string(api.TokenEndpointAuthNone) && !config.secret().IsNull() {
		resp.Diagnostics.AddAttributeWarning(path.Root("token_endpoint_auth_method"), "Client secret is not used",
			"With token_endpoint_auth_method \"none\", the client doesn't authenticate at token_url, so its secret is "+
				"never used. Remove the secret, or choose client_secret_basic or client_secret_post.")
	}
}
