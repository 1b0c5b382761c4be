package listener

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// listResource finds listeners for terraform query.
type listResource struct{ framework.Resource }

var _ list.ListResourceWithConfigure = (*listResource)(nil)

// NewListResource is the listeners of a workspace, to be taken over.
func NewListResource() list.ListResource { return &listResource{} }

// filterModel says which listeners are meant.
type filterModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ComputeID   types.String `tfsdk:"compute_id"`
}

// Metadata implements list.ListResource: the name is the resource's.
func (l *listResource) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	NewResource().Metadata(ctx, req, resp)
}

// ListResourceConfigSchema implements list.ListResource.
func (l *listResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	workspace := framework.WorkspaceAttribute()
	resp.Schema = listschema.Schema{
		MarkdownDescription: "Lists the listeners of a workspace, all of them or the one of a compute, so that they can be taken " +
			"over in bulk.",
		Attributes: map[string]listschema.Attribute{
			"workspace_id": listschema.StringAttribute{
				Optional: true, MarkdownDescription: workspace.MarkdownDescription, Validators: workspace.Validators,
			},
			"compute_id": listschema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Only the listener of exactly this compute.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
		},
	}
}

// List implements list.ListResource.
func (l *listResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config filterModel
	diags := l.Configured()
	diags.Append(req.Config.Get(ctx, &config)...)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	c := l.In(config.WorkspaceID)
	workspaceID := framework.StringOrNull(c.WorkspaceID())
	stream.Results = func(push func(list.ListResult) bool) {
		count := int64(0)
		for listener, err := range c.ListListeners(ctx) {
			if err != nil {
				failure := framework.Failure{Summary: "Cannot list listeners"}
				push(list.ListResult{Diagnostics: failure.Diagnostics(err)})
				return
			}
			if !config.ComputeID.IsNull() && listener.ComputeID != config.ComputeID.ValueString() {
				continue
			}
			if !push(newResult(ctx, req, workspaceID, listener)) {
				return
			}
			if count++; req.Limit > 0 && count >= req.Limit {
				return
			}
		}
	}
}

// newResult has the whole resource only if it is asked for.
func newResult(ctx context.Context, req list.ListRequest, workspaceID types.String, listener api.Listener) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = listener.ComputeID
	result.Diagnostics.Append(result.Identity.Set(ctx, identityModel{WorkspaceID: workspaceID, ID: types.StringValue(listener.ID)})...)
	if !req.IncludeResource {
		return result
	}
	m, diags := newModel(ctx, emptyModel(), listener)
	result.Diagnostics.Append(diags...)
	m.WorkspaceID = workspaceID
	result.Diagnostics.Append(result.Resource.Set(ctx, &m)...)
	return result
}
