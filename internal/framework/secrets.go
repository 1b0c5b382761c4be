package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// MaskValues masks values in everything that is logged with the context, and in messages of the service.
func MaskValues(ctx context.Context, values ...string) context.Context {
	for _, value := range values {
		if value != "" {
			ctx = mask.With(tflog.MaskLogStrings(ctx, value), value)
		}
	}
	return ctx
}

// MaskSecrets does the same for the values of an environment.
func MaskSecrets(ctx context.Context, secrets []api.Secret) context.Context {
	for _, secret := range secrets {
		ctx = MaskValues(ctx, secret.Value)
	}
	return ctx
}
