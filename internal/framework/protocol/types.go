package protocol

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/provider"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

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
