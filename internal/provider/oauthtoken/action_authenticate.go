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

// defaultTimeout is how long the service keeps a login open.
const defaultTimeout = 10 * time.Minute

type authenticateAction struct{ framework.Action }

var _ action.ActionWithConfigure = (*authenticateAction)(nil)

// NewAuthenticateAction is the action agentplane_authenticate.
func NewAuthenticateAction() action.Action { return &authenticateAction{} }

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

// Metadata implements action.Action.
func (a *authenticateAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_authenticate"
}

// Schema implements action.Action.
func (a *authenticateAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Logs a user in at an OAuth provider: shows the URL at which they log in, waits until they have, and reports " +
			"how it has ended. A user who is logged in with all of `scopes` is left alone. The token stays with the service. The URL is " +
			"in the output of Terraform, and with it, whoever opens it first gives their account away: show it to the user only.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": framework.ActionWorkspaceAttribute(),
			"provider_id": schema.StringAttribute{
				Required: true, MarkdownDescription: "The `provider_id` of the OAuth provider.", Validators: notEmpty,
			},
			"scopes": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Scopes to ask for. Default: none.",
				Validators: []validator.List{listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"user_id": schema.StringAttribute{
				Optional: true, MarkdownDescription: "User who logs in. Default: the user of the provider's API key.", Validators: notEmpty,
			},
			"agent_id": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Agent that is connected to the token when the user has logged in.", Validators: notEmpty,
			},
			"force_new": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether the user logs in again even if they are logged in, with another account say. Default: `false`.",
			},
			"is_default": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether the token is used when none is named. Default: `true`.",
			},
			"timeout": schema.StringAttribute{
				Optional: true, CustomType: timetypes.GoDurationType{},
				MarkdownDescription: "How long to wait for the user, as a duration such as `5m`. Default: `10m`, after which the service forgets " +
					"the login.",
				Validators: []validator.String{framework.Duration()},
			},
		},
	}
}

// Invoke implements action.Action.
func (a *authenticateAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config authenticateModel
	resp.Diagnostics.Append(a.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	request, limit, diags := config.toRequest(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append((&login{
		Client: a.In(config.WorkspaceID), clock: a.Clock, providerID: config.ProviderID, agentID: config.AgentID, limit: limit,
		tell: func(message string) { resp.SendProgress(action.InvokeProgressEvent{Message: message}) },
	}).run(ctx, request)...)
}

func (m authenticateModel) toRequest(ctx context.Context) (request api.AuthAuthenticateRequest, limit time.Duration, diags diag.Diagnostics) {
	request = api.AuthAuthenticateRequest{
		Provider: m.ProviderID.ValueString(), Scopes: []string{}, UserID: framework.ToOptional[string](m.UserID),
		AgentID: framework.ToOptional[string](m.AgentID),
	}
	if !m.Scopes.IsNull() {
		diags.Append(m.Scopes.ElementsAs(ctx, &request.Scopes, false)...)
	}
	if !m.ForceNew.IsNull() {
		request.ForceNew = api.Some(m.ForceNew.ValueBool())
	}
	if !m.IsDefault.IsNull() {
		request.IsDefault = api.Some(m.IsDefault.ValueBool())
	}
	limit = defaultTimeout
	if !m.Timeout.IsNull() {
		var d diag.Diagnostics
		limit, d = m.Timeout.ValueGoDuration()
		diags.Append(d...)
	}
	return request, limit, diags
}
