package framework

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// ActionSpec describes an action: its name, its attributes, and what it does with the model of its configuration.
type ActionSpec[M any] struct {
	// Name is the name without the provider's prefix: redeploy_revision for agentplane_redeploy_revision.
	Name string
	// Description describes the action, in Markdown.
	Description string
	// Attributes returns the attributes in addition to workspace_id, as a resource would have them. It is a function because only the
	// schema needs them, while the framework constructs everything to learn its name.
	Attributes func() map[string]resource.Attribute
	// Validate returns the problems that the schema doesn't find; nil if it finds all of them.
	Validate func(config M) diag.Diagnostics
	// Plan returns the problems that only the service knows, and what the action would do, as warnings; nil if there is nothing to look
	// up. Values may be unknown. Invoke has to find the same problems.
	Plan func(ctx context.Context, provider *ProviderData, config M) diag.Diagnostics
	// Invoke carries out the action. tell shows a message to the user.
	Invoke func(ctx context.Context, provider *ProviderData, config M, tell func(message string)) diag.Diagnostics
}

// NewAction returns the action of a spec.
func NewAction[M any](spec ActionSpec[M]) action.Action { return &specifiedAction[M]{spec: spec} }

// interrupted is what no provider can change: Terraform ignores the diagnostics of an action once it has been interrupted.
const interrupted = "An interrupted `terraform apply -invoke` exits with code 0."

type specifiedAction[M any] struct {
	ProviderData
	spec ActionSpec[M]
}

var (
	_ action.ActionWithConfigure      = (*specifiedAction[struct{}])(nil)
	_ action.ActionWithModifyPlan     = (*specifiedAction[struct{}])(nil)
	_ action.ActionWithValidateConfig = (*specifiedAction[struct{}])(nil)
)

func (a *specifiedAction[M]) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + a.spec.Name
}

func (a *specifiedAction[M]) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: a.spec.Description + "\n\n" + interrupted,
		Attributes: attributesAs[schema.Attribute](a.spec.Attributes(),
			schema.StringAttribute{}, schema.BoolAttribute{}, schema.ListAttribute{}, schema.MapAttribute{}),
	}
}

func (a *specifiedAction[M]) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	resp.Diagnostics.Append(a.configure(req.ProviderData)...)
}

func (a *specifiedAction[M]) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	if a.spec.Validate == nil {
		return
	}
	var config M
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(a.spec.Validate(config)...)
	}
}

func (a *specifiedAction[M]) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.spec.Plan == nil || a.Client == nil {
		return
	}
	var config M
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(a.spec.Plan(ctx, &a.ProviderData, config)...)
	}
}

func (a *specifiedAction[M]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config M
	resp.Diagnostics.Append(a.Configured()...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(a.spec.Invoke(ctx, &a.ProviderData, config, func(message string) {
		resp.SendProgress(action.InvokeProgressEvent{Message: message})
	})...)
}

// DurationOr returns a configured duration, or the default if none is configured. A validator has refused what isn't a duration; what is
// unknown in a plan counts as not configured.
func DurationOr(configured timetypes.GoDuration, byDefault time.Duration) time.Duration {
	duration, diags := configured.ValueGoDuration()
	if diags.HasError() {
		return byDefault
	}
	return duration
}
