package direct

import (
	"context"
	"sync"

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

// Server answers calls about unchanged resources, and has the framework's server answer all others.
type Server struct {
	FrameworkServer
	provider *Provider
	compare  Compare

	mu sync.Mutex
	// constructors are those of all resources that can be asked directly, and kinds the types that were asked for, nil if unusual.
	constructors map[string]func() resource.Resource
	kinds        map[string]*kind
}

// Compare is called with what is given here and what the framework has in its place: requests to resources, which are of
// types of the framework, and answers, which are of types of the protocol.
type Compare func(resourceType string, direct, framework any)

// NewServer returns a server in front of the framework's server for p. With compare, which is for tests, every answer that
// is given here is asked for in the framework, too.
func NewServer(p *Provider, framework FrameworkServer, compare Compare) *Server {
	return &Server{FrameworkServer: framework, provider: p, compare: compare, kinds: map[string]*kind{}}
}

// kind returns a type of resource, if it can be asked directly.
func (s *Server) kind(ctx context.Context, resourceType string) (*kind, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.constructors == nil {
		s.constructors = s.provider.constructors(ctx)
	}
	k, known := s.kinds[resourceType]
	if construct, ok := s.constructors[resourceType]; ok && !known {
		k = newKind(ctx, construct)
		s.kinds[resourceType] = k
	}
	return k, k != nil
}

// answer returns what is answered here, or what the framework answers where that is nil.
func answer[Resp any](s *Server, resourceType string, direct *Resp, framework func() (*Resp, error)) (*Resp, error) {
	if direct == nil {
		return framework()
	}
	if s.compare == nil {
		return direct, nil
	}
	resp, err := framework()
	s.compare(resourceType, direct, resp)
	return direct, err
}

// repeating returns the context in which the framework gets the answer of a resource that was asked.
func repeating[Req, Resp any](ctx context.Context, s *Server, resourceType string, asked *answered[Req, Resp]) context.Context {
	if asked == nil {
		return ctx
	}
	if s.compare != nil {
		asked.repeated = func(framework Req) { s.compare(resourceType, asked.req, framework) }
	}
	return context.WithValue(ctx, key[Req, Resp]{}, asked)
}

// UpgradeResourceState implements tfprotov6.ResourceServer. A state of the current version is only encoded anew.
func (s *Server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return answer(s, req.TypeName, s.upgrade(ctx, req), func() (*tfprotov6.UpgradeResourceStateResponse, error) {
		return s.FrameworkServer.UpgradeResourceState(ctx, req)
	})
}

func (s *Server) upgrade(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) *tfprotov6.UpgradeResourceStateResponse {
	k, ok := s.kind(ctx, req.TypeName)
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

// decoded decodes an object that is not null, and its attributes.
func (k *kind) decoded(encoded *tfprotov6.DynamicValue) (value tftypes.Value, attributes map[string]tftypes.Value, ok bool) {
	if encoded == nil {
		return value, nil, false
	}
	value, err := encoded.Unmarshal(k.as)
	if err != nil || value.IsNull() || value.As(&attributes) != nil {
		return value, nil, false
	}
	return value, attributes, true
}
