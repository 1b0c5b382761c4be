package oauthtoken

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// defaultTimeout is the service's time limit for a login.
const defaultTimeout = 10 * time.Minute

// NewAuthenticateAction is the action agentplane_authenticate.
func NewAuthenticateAction() action.Action {
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	return framework.NewAction(framework.ActionSpec[authenticateModel]{
		Name: "authenticate", Invoke: authenticate,
		Description: "Logs a user in at an OAuth provider: shows the URL of the login, waits for the user and " +
			"reports the result. If the user is already logged in with all `scopes`, nothing happens. The service stores " +
			"the token. The URL appears in Terraform's output, and whoever opens it first connects their own account: " +
			"show it only to the user.",
		Attributes: func() map[string]schema.Attribute {
			return map[string]schema.Attribute{
				"provider_id": schema.StringAttribute{
					Required: true, MarkdownDescription: "The `provider_id` of the OAuth provider.", Validators: notEmpty,
				},
				"scopes": schema.ListAttribute{
					Optional: true, ElementType: types.StringType, MarkdownDescription: "Scopes to request. Default: none.",
					Validators: []validator.List{listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
				},
				"user_id": schema.StringAttribute{
					Optional: true, MarkdownDescription: "User who logs in. Default: the user of the provider's API key.", Validators: notEmpty,
				},
				"agent_id": schema.StringAttribute{
					Optional: true, MarkdownDescription: "Agent to connect to the token after the login.", Validators: notEmpty,
				},
				"force_new": schema.BoolAttribute{
					Optional: true, MarkdownDescription: "Whether to log in again even if the user is logged in, for example " +
						"with another account. Default: `false`.",
				},
				"is_default": schema.BoolAttribute{
					Optional: true, MarkdownDescription: "Whether the token becomes the user's default. Default: `true`.",
				},
				"timeout": schema.StringAttribute{
					Optional: true, CustomType: timetypes.GoDurationType{},
					MarkdownDescription: "How long to wait for the user, a duration such as `5m`. Default: `10m`, after " +
						"which the service discards the login.",
					Validators: []validator.String{framework.Duration()},
				},
			}
		},
	})
}

type authenticateModel struct {
	WorkspaceID types.String         `tfsdk:"workspace_id"`
	ProviderID  types.String         `tfsdk:"provider_id"`
	Scopes      types.List           `tfsdk:"scopes"`
	UserID      types.String         `tfsdk:"user_id"`
	AgentID     types.String         `tfsdk:"agent_id"`
	ForceNew    types.Bool           `tfsdk:"force_new"`
	IsDefault   types.Bool           `tfsdk:"is_default"`
	Timeout     timetypes.GoDuration `tfsdk:"timeout"`
}

func authenticate(
	ctx context.Context, provider *framework.ProviderData, config authenticateModel, tell func(message string),
) diag.Diagnostics {
	limit, diags := framework.DurationOr(config.Timeout, defaultTimeout)
	if diags.HasError() {
		return diags
	}
	return (&login{
		Client: provider.In(config.WorkspaceID), clock: provider.Clock, providerID: config.ProviderID, agentID: config.AgentID,
		limit: limit, tell: tell,
	}).run(ctx, config.toRequest())
}

func (m authenticateModel) toRequest() api.AuthAuthenticateRequest {
	request := api.AuthAuthenticateRequest{
		Provider: m.ProviderID.ValueString(), Scopes: scopesOf(m.Scopes), UserID: framework.ToOptional[string](m.UserID),
		AgentID: framework.ToOptional[string](m.AgentID),
	}
	if !m.ForceNew.IsNull() {
		request.ForceNew = api.Some(m.ForceNew.ValueBool())
	}
	if !m.IsDefault.IsNull() {
		request.IsDefault = api.Some(m.IsDefault.ValueBool())
	}
	return request
}

// scopesOf returns configured scopes. Without any, the request has an empty list.
func scopesOf(configured types.List) []string {
	return append([]string{}, framework.Texts[string](configured)...)
}
