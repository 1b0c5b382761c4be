package protocol

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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

// Provider is a provider for the framework's server. Server can also call its resources directly.
type Provider struct {
	FrameworkProvider
	// configured is what the provider passes to its resources: nothing before it is configured.
	configured atomic.Pointer[provider.ConfigureResponse]

	once   sync.Once
	offers map[subject]*offered
}

// offered is something that the provider offers.
type offered struct {
	construct func() any

	once sync.Once
	// config is the type of its configuration, and kind what plans and reads of a resource need; nil if only the framework can make them.
	config attr.Type
	kind   *kind
}

// Wrap returns p with what a server needs to call its resources.
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

// find returns what the provider offers under a name; nil if it offers nothing.
func (p *Provider) find(ctx context.Context, wanted subject) *offered {
	p.once.Do(func() { p.offers = p.list(ctx) })
	found := p.offers[wanted]
	if found != nil {
		found.once.Do(func() {
			found.config = framework.ConfigType(ctx, found.construct())
			if r, ok := found.construct().(repeater); ok {
				found.kind = newKind(ctx, r)
			}
		})
	}
	return found
}

// list lists what the provider offers. Functions have no configuration.
func (p *Provider) list(ctx context.Context) map[subject]*offered {
	var named provider.MetadataResponse
	p.Metadata(ctx, provider.MetadataRequest{}, &named)
	all := map[subject]*offered{{kind: theProvider}: {construct: func() any { return p.FrameworkProvider }}}
	for kind, constructors := range map[offer][]func() any{
		aResource: anything(p.Resources(ctx)), aDataSource: anything(p.DataSources(ctx)), anAction: anything(p.Actions(ctx)),
		anEphemeralResource: anything(p.EphemeralResources(ctx)), aListResource: anything(p.ListResources(ctx)),
	} {
		for _, construct := range constructors {
			all[subject{kind, framework.TypeName(ctx, construct(), named.TypeName)}] = &offered{construct: construct}
		}
	}
	return all
}

func anything[T any](constructors []func() T) []func() any {
	all := make([]func() any, len(constructors))
	for i, construct := range constructors {
		all[i] = func() any { return construct() }
	}
	return all
}
