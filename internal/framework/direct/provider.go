package direct

import (
	"context"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// FrameworkProvider is what a provider for the framework's server implements.
type FrameworkProvider interface {
	provider.ProviderWithActions
	provider.ProviderWithFunctions
	provider.ProviderWithListResources
}

// Provider is a provider for the framework's server whose resources Server can ask by itself, too.
type Provider struct {
	FrameworkProvider
	// configured is what the provider hands to its resources.
	configured atomic.Pointer[provider.ConfigureResponse]
}

// Wrap returns p with resources that can repeat their answers.
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

// constructors returns the constructors of the resources that can be asked directly, by their types.
func (p *Provider) constructors(ctx context.Context) map[string]func() resource.Resource {
	var metadata provider.MetadataResponse
	p.Metadata(ctx, provider.MetadataRequest{}, &metadata)
	constructors := map[string]func() resource.Resource{}
	for _, construct := range p.Resources(ctx) {
		r, ok := construct().(repeater)
		if !ok {
			continue
		}
		var named resource.MetadataResponse
		r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: metadata.TypeName}, &named)
		constructors[named.TypeName] = construct
	}
	return constructors
}

// configure hands to a resource what the framework does.
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
