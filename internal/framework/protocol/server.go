package protocol

import (
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// FrameworkServer is everything that the framework's server implements. The plugin protocol's server detects the parts
// beyond tfprotov6.ProviderServer by type assertion.
type FrameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// Options are what a server needs in addition to the provider.
type Options struct {
	// Memo returns the memo of the last configuration.
	Memo func() *framework.Memo
	// Keys identify the objects to which others refer, by type.
	Keys map[string]framework.Reference
	// FrameworkOnly leaves every answer to the plugin framework. If that changes anything but the time that a plan takes, it is a bug.
	FrameworkOnly bool
	// Compare, which is for tests, gets every answer that needs no framework, with the framework's own.
	Compare Compare
}

// Compare is called with a value of this package and the framework's equivalent: requests to a resource, which have types of the
// framework, and responses, which have types of the protocol.
type Compare func(typeName string, direct, framework any)

// Server is a server in front of the framework's. Calls without a method here go straight to the framework.
type Server struct {
	FrameworkServer
	Options
	provider *Provider
	// steps are what a call passes on its way to the framework.
	steps []step
	types sync.Map // Types of configurations by subject.
	kinds sync.Map // Kinds of resources by name.
}

// subject is what a call is about: the provider, or a resource, data source, … with a name.
type subject struct {
	kind offer
	name string
}

// offer is a kind of what a provider offers.
type offer int

const (
	theProvider offer = iota
	aResource
	aDataSource
	anEphemeralResource
	aListResource
	anAction
	aFunction
)

// call is what the steps know of a call. The configuration is nil for calls without one.
type call struct {
	subject
	config  *tfprotov6.DynamicValue
	request any
}

type (
	// answerer returns the response to a call, a pointer to a type of the protocol.
	answerer func(context.Context) (any, error)
	// step answers a call, mostly with what next returns.
	step func(ctx context.Context, c *call, next answerer) (any, error)
)

// NewServer returns a server in front of the framework's server for p.
func NewServer(p *Provider, framework FrameworkServer, options Options) *Server {
	s := &Server{FrameworkServer: framework, Options: options, provider: p}
	s.steps = []step{releaseAfter, s.explainReplacement, s.checkValues, s.explainValues}
	if !options.FrameworkOnly {
		s.steps = append(s.steps, s.answerDirectly)
	}
	return s
}

// pass passes a call through all steps and finally to the framework's method.
func pass[Req, Resp any](
	ctx context.Context, s *Server, kind offer, name string, config *tfprotov6.DynamicValue, req *Req, method func(context.Context, *Req) (*Resp, error),
) (*Resp, error) {
	c := &call{subject{kind, name}, config, req}
	next := func(ctx context.Context) (any, error) { return method(ctx, req) }
	for _, step := range slices.Backward(s.steps) {
		inner := next
		next = func(ctx context.Context) (any, error) { return step(ctx, c, inner) }
	}
	answer, err := next(ctx)
	resp, _ := answer.(*Resp)
	return resp, err
}
