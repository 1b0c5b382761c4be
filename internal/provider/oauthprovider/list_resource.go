package oauthprovider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// listResource finds OAuth providers for terraform query.
type listResource struct{ framework.Resource }

var _ list.ListResourceWithConfigure = (*listResource)(nil)

// NewListResource is the OAuth providers of an organization that match filters, to be taken over.
func NewListResource() list.ListResource { return &listResource{} }

// filterModel says which providers are meant. They must match everything that is set.
type filterModel struct {
	WorkspaceID  types.String `tfsdk:"workspace_id"`
	NameContains types.String `tfsdk:"name_contains"`
	ProviderType types.String `tfsdk:"provider_type"`
}

// Metadata implements list.ListResource: the name is the resource's.
func (l *listResource) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	NewResource().Metadata(ctx, req, resp)
}

// ListResourceConfigSchema implements list.ListResource.
func (l *listResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	workspace := framework.WorkspaceAttribute()
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the OAuth providers of the organization, all of them or those that match every filter that " +
			"is set, so that they can be taken over in bulk. Their secrets are never shown.",
		Attributes: map[string]schema.Attribute{
			"workspace_id": schema.StringAttribute{
				Optional: true, MarkdownDescription: workspace.MarkdownDescription, Validators: workspace.Validators,
			},
			"name_contains": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Only providers whose name contains this text, whatever its case.",
				Validators:          notEmpty(),
			},
			"provider_type": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Only providers of this type: `microsoft`, `salesforce`, `slack` or `x`.",
				Validators:          []validator.String{stringvalidator.OneOf(values(api.OAuthProviderTypes)...)},
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
		count := int64(0)
		for provider, err := range c.ListOAuthProviders(ctx) {
			if err != nil {
				failure := framework.Failure{Summary: "Cannot list OAuth providers"}
				push(list.ListResult{Diagnostics: failure.Diagnostics(err)})
				return
			}
			if !config.match(provider) {
				continue
			}
			if !push(newResult(ctx, req, framework.StringOrNull(c.WorkspaceID()), provider)) {
				return
			}
			if count++; req.Limit > 0 && count >= req.Limit {
				return
			}
		}
	}
}

// match filters here: the service takes no filters.
func (f filterModel) match(provider api.OAuthProviderResponse) bool {
	ofType := framework.String(provider.ProviderType)
	return strings.Contains(strings.ToLower(provider.Name), strings.ToLower(f.NameContains.ValueString())) &&
		(f.ProviderType.IsNull() || f.ProviderType.Equal(ofType))
}

func newResult(ctx context.Context, req list.ListRequest, workspaceID types.String, provider api.OAuthProviderResponse) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = provider.Name
	result.Diagnostics.Append(result.Identity.Set(ctx, identityModel{
		WorkspaceID: workspaceID, ProviderID: types.StringValue(provider.ProviderID),
	})...)
	if !req.IncludeResource {
		return result
	}
	m, diags := newModel(ctx, emptyModel(), provider)
	result.Diagnostics.Append(diags...)
	m.WorkspaceID = workspaceID
	result.Diagnostics.Append(result.Resource.Set(ctx, &m)...)
	return result
}
