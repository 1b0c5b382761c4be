package direct

import (
	"context"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// FrameworkProvider is a provider for the framework's server.
type FrameworkProvider interface {
	provider.ProviderWithActions
	provider.ProviderWithEphemeralResources
	provider.ProviderWithFunctions
	provider.ProviderWithListResources
}

// Provider is a provider for the framework's server. Server can also call its resources and data sources directly.
type Provider struct {
	FrameworkProvider
	// configured is what the provider passes to its resources and data sources.
	configured atomic.Pointer[provider.ConfigureResponse]
}

// Wrap returns p with resources and data sources that can repeat their responses.
func Wrap(p FrameworkProvider) *Provider { return &Provider{FrameworkProvider: p} }

// Configure implements provider.Provider.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	p.FrameworkProvider.Configure(ctx, req, resp)
	p.configured.Store(resp)
}

// Resources implements provider.Provider.
func (p *Provider) Resources(ctx context.Context) []func() resource.Resource {
	constructors := p.FrameworkProvider.Resources(ctx)
	for i, construct := range constructors {
		constructors[i] = func() resource.Resource { return repeatable(construct()) }
	}
	return constructors
}

// DataSources implements provider.Provider.
func (p *Provider) DataSources(ctx context.Context) []func() datasource.DataSource {
	constructors := p.FrameworkProvider.DataSources(ctx)
	for i, construct := range constructors {
		constructors[i] = func() datasource.DataSource { return repeatableData(construct()) }
	}
	return constructors
}

// resources returns the constructors of the resources that can be called directly, by type.
func (p *Provider) resources(ctx context.Context) map[string]func() resource.Resource {
	constructors, name := map[string]func() resource.Resource{}, p.name(ctx)
	for _, construct := range p.Resources(ctx) {
		if r, ok := construct().(repeater); ok {
			var named resource.MetadataResponse
			r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: name}, &named)
			constructors[named.TypeName] = construct
		}
	}
	return constructors
}

// dataSources returns the constructors of the data sources that can be called directly, by type.
func (p *Provider) dataSources(ctx context.Context) map[string]func() datasource.DataSource {
	constructors, name := map[string]func() datasource.DataSource{}, p.name(ctx)
	for _, construct := range p.DataSources(ctx) {
		if d, ok := construct().(repeatingDataSource); ok {
			var named datasource.MetadataResponse
			d.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: name}, &named)
			constructors[named.TypeName] = construct
		}
	}
	return constructors
}

func (p *Provider) name(ctx context.Context) string {
	var metadata provider.MetadataResponse
	p.Metadata(ctx, provider.MetadataRequest{}, &metadata)
	return metadata.TypeName
}

// configure configures a resource as the framework does.
func (p *Provider) configure(ctx context.Context, r resource.ResourceWithConfigure) bool {
	var req resource.ConfigureRequest
	if configured := p.configured.Load(); configured != nil {
		if configured.Deferred != nil {
			return false
		}
		req.ProviderData = configured.ResourceData
	}
	var resp resource.ConfigureResponse
	r.Configure(ctx, req, &resp)
	return len(resp.Diagnostics) == 0
}

// configureData configures a data source as the framework does.
func (p *Provider) configureData(ctx context.Context, d datasource.DataSourceWithConfigure) bool {
	var req datasource.ConfigureRequest
	if configured := p.configured.Load(); configured != nil {
		if configured.Deferred != nil {
			return false
		}
		req.ProviderData = configured.DataSourceData
	}
	var resp datasource.ConfigureResponse
	d.Configure(ctx, req, &resp)
	return len(resp.Diagnostics) == 0
}
