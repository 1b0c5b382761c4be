package protocol

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
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

// typeOf returns the type of the configuration of what is offered under a name; nil if nothing is.
func (s *Server) typeOf(ctx context.Context, of subject) attr.Type {
	if known, ok := s.types.Load(of); ok {
		as, _ := known.(attr.Type)
		return as
	}
	construct := s.provider.find(ctx, of)
	if construct == nil {
		return nil
	}
	as := framework.ConfigType(ctx, construct())
	s.types.Store(of, as)
	return as
}

// find returns the constructor of what the provider offers under a name; nil if it offers nothing.
func (p *Provider) find(ctx context.Context, wanted subject) func() any {
	if known, ok := p.found.Load(wanted); ok {
		construct, _ := known.(func() any)
		return construct
	}
	var named provider.MetadataResponse
	p.Metadata(ctx, provider.MetadataRequest{}, &named)
	for _, construct := range p.offered(ctx, wanted.kind) {
		if wanted.kind == theProvider || framework.TypeName(ctx, construct(), named.TypeName) == wanted.name {
			p.found.Store(wanted, construct)
			return construct
		}
	}
	return nil
}

func (p *Provider) offered(ctx context.Context, kind offer) []func() any {
	switch kind {
	case theProvider:
		return []func() any{func() any { return p.FrameworkProvider }}
	case aResource:
		return anything(p.Resources(ctx))
	case aDataSource:
		return anything(p.DataSources(ctx))
	case anEphemeralResource:
		return anything(p.EphemeralResources(ctx))
	case aListResource:
		return anything(p.ListResources(ctx))
	case anAction:
		return anything(p.Actions(ctx))
	case aFunction: // It has no configuration.
	}
	return nil
}

func anything[T any](constructors []func() T) []func() any {
	all := make([]func() any, len(constructors))
	for i, construct := range constructors {
		all[i] = func() any { return construct() }
	}
	return all
}
