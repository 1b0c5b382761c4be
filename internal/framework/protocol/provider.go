package protocol

import (
	"context"
	"sync"
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
	// configured is what the provider passes to its resources and data sources: nothing before it is configured.
	configured atomic.Pointer[provider.ConfigureResponse]
	found      sync.Map // Constructors by subject.
}

// Wrap returns p with what a server needs to call its resources and data sources.
func Wrap(p FrameworkProvider) *Provider {
	wrapped := &Provider{FrameworkProvider: p}
	wrapped.configured.Store(&provider.ConfigureResponse{})
	return wrapped
}

// Configure implements provider.Provider.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	p.FrameworkProvider.Configure(ctx, req, resp)
	p.configured.Store(resp)
}

// configure configures a resource as the framework does. It returns false if the framework has to say more about that.
func (p *Provider) configure(ctx context.Context, r resource.ResourceWithConfigure) bool {
	data := p.configured.Load()
	var resp resource.ConfigureResponse
	r.Configure(ctx, resource.ConfigureRequest{ProviderData: data.ResourceData}, &resp)
	return data.Deferred == nil && len(resp.Diagnostics) == 0
}

// configureData configures a data source as the framework does.
func (p *Provider) configureData(ctx context.Context, d datasource.DataSourceWithConfigure) bool {
	data := p.configured.Load()
	var resp datasource.ConfigureResponse
	d.Configure(ctx, datasource.ConfigureRequest{ProviderData: data.DataSourceData}, &resp)
	return data.Deferred == nil && len(resp.Diagnostics) == 0
}
