package modelprice

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// listResource finds model prices for terraform query.
type listResource struct{ framework.Resource }

var _ list.ListResourceWithConfigure = (*listResource)(nil)

// NewListResource is the model prices of a workspace that match filters, to be taken over.
func NewListResource() list.ListResource { return &listResource{} }

// filterModel says which entries are meant. They must match everything that is set.
type filterModel struct {
	WorkspaceID   types.String `tfsdk:"workspace_id"`
	NameContains  types.String `tfsdk:"name_contains"`
	ModelProvider types.String `tfsdk:"model_provider"`
}

// Metadata implements list.ListResource: the name is the resource's.
func (l *listResource) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	NewResource().Metadata(ctx, req, resp)
}

// ListResourceConfigSchema implements list.ListResource.
func (l *listResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	workspace := framework.WorkspaceAttribute()
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the model prices of a workspace, all of them or those that match every filter that is set, so " +
			"that they can be taken over in bulk. Those that come with the service are left out: nobody can manage them.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": schema.StringAttribute{
				Optional: true, MarkdownDescription: workspace.MarkdownDescription, Validators: workspace.Validators,
			},
			"name_contains": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Only entries whose name contains this text, whatever its case.",
				Validators:          notEmpty(),
			},
			"model_provider": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Only entries for models of this provider.",
				Validators:          notEmpty(),
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
	stream.Results = func(push func(list.ListResult) bool) {
		prices, err := c.ModelPrices(ctx)
		if err != nil {
			push(list.ListResult{Diagnostics: framework.Failure{Summary: "Cannot list model prices"}.Diagnostics(err)})
			return
		}
		count := int64(0)
		for _, price := range prices {
			if !config.match(price) {
				continue
			}
			if !push(newResult(ctx, req, framework.StringOrNull(c.WorkspaceID()), price)) {
				return
			}
			if count++; req.Limit > 0 && count >= req.Limit {
				return
			}
		}
	}
}

// match filters here: the service takes no filters.
func (f filterModel) match(price api.ModelPrice) bool {
	return price.TenantID != nil &&
		strings.Contains(strings.ToLower(price.Name), strings.ToLower(f.NameContains.ValueString())) &&
		(f.ModelProvider.IsNull() || f.ModelProvider.Equal(textOrNull(price.Provider)))
}

func newResult(ctx context.Context, req list.ListRequest, workspaceID types.String, price api.ModelPrice) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = price.Name
	result.Diagnostics.Append(result.Identity.Set(ctx, identityModel{WorkspaceID: workspaceID, ID: types.StringValue(price.ID)})...)
	if !req.IncludeResource {
		return result
	}
	m, diags := newModel(ctx, emptyModel(), price)
	result.Diagnostics.Append(diags...)
	m.WorkspaceID = workspaceID
	result.Diagnostics.Append(result.Resource.Set(ctx, &m)...)
	return result
}
