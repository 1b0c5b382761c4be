package direct

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// FrameworkServer is everything that the framework's server implements. The plugin protocol's server detects the parts
// beyond tfprotov6.ProviderServer by type assertion.
type FrameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// Server answers plans, calls for unchanged resources, and reads of data sources; the framework's server answers all others.
type Server struct {
	FrameworkServer
	provider *Provider
	compare  Compare

	resources   kinds[resource.Resource, kind]
	dataSources kinds[datasource.DataSource, dataKind]
}

// Compare is called with a value of this package and the framework's equivalent: requests to a resource or data source, which have
// types of the framework, and responses, which have types of the protocol.
type Compare func(typeName string, direct, framework any)

// NewServer returns a server in front of the framework's server for p. With compare, which is for tests, the framework also
// answers every call that this server answers.
func NewServer(p *Provider, framework FrameworkServer, compare Compare) *Server {
	return &Server{
		FrameworkServer: framework, provider: p, compare: compare,
		resources:   kinds[resource.Resource, kind]{list: callable[resource.Resource, repeater](p, p.Resources), describe: newKind},
		dataSources: kinds[datasource.DataSource, dataKind]{list: callable[datasource.DataSource, repeatingDataSource](p, p.DataSources), describe: newDataKind},
	}
}

// answer returns the direct response, or the framework's if that is nil.
func answer[Resp any](s *Server, typeName string, direct *Resp, framework func() (*Resp, error)) (*Resp, error) {
	if direct == nil {
		return framework()
	}
	if s.compare == nil {
		return direct, nil
	}
	resp, err := framework()
	s.compare(typeName, direct, resp)
	return direct, err
}

// repeating returns the context in which the framework gets the response of a resource that was already called.
func repeating[Req, Resp any](ctx context.Context, s *Server, typeName string, asked *answered[Req, Resp]) context.Context {
	if asked == nil {
		return ctx
	}
	if s.compare != nil {
		asked.repeated = func(framework Req) { s.compare(typeName, asked.req, framework) }
	}
	return context.WithValue(ctx, key[Req, Resp]{}, asked)
}

// UpgradeResourceState implements tfprotov6.ResourceServer. A state of the current version is only re-encoded.
func (s *Server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return answer(s, req.TypeName, s.upgrade(ctx, req), func() (*tfprotov6.UpgradeResourceStateResponse, error) {
		return s.FrameworkServer.UpgradeResourceState(ctx, req)
	})
}

func (s *Server) upgrade(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) *tfprotov6.UpgradeResourceStateResponse {
	k, ok := s.resources.find(ctx, req.TypeName)
	if !ok || req.Version != k.schema.Version || req.RawState == nil {
		return nil
	}
	state, err := req.RawState.UnmarshalWithOpts(k.as, tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		return nil
	}
	encoded, err := tfprotov6.NewDynamicValue(k.as, state)
	if err != nil {
		return nil
	}
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &encoded}
}
