package protocol

import (
	"context"
	"slices"

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
	s.steps = []step{s.explainReplacement, s.checkValues, s.explainValues}
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

// ValidateProviderConfig implements tfprotov6.ProviderServer.
func (s *Server) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return pass(ctx, s, theProvider, "", req.Config, req, s.FrameworkServer.ValidateProviderConfig)
}

// ValidateResourceConfig implements tfprotov6.ResourceServer.
func (s *Server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return pass(ctx, s, aResource, req.TypeName, req.Config, req, s.FrameworkServer.ValidateResourceConfig)
}

// UpgradeResourceState implements tfprotov6.ResourceServer.
func (s *Server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return pass(ctx, s, aResource, req.TypeName, nil, req, s.FrameworkServer.UpgradeResourceState)
}

// ReadResource implements tfprotov6.ResourceServer.
func (s *Server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return pass(ctx, s, aResource, req.TypeName, nil, req, s.FrameworkServer.ReadResource)
}

// PlanResourceChange implements tfprotov6.ResourceServer.
func (s *Server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return pass(ctx, s, aResource, req.TypeName, req.Config, req, s.FrameworkServer.PlanResourceChange)
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (s *Server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return pass(ctx, s, aResource, req.TypeName, req.Config, req, s.FrameworkServer.ApplyResourceChange)
}

// ValidateDataResourceConfig implements tfprotov6.DataSourceServer.
func (s *Server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return pass(ctx, s, aDataSource, req.TypeName, req.Config, req, s.FrameworkServer.ValidateDataResourceConfig)
}

// ReadDataSource implements tfprotov6.DataSourceServer.
func (s *Server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return pass(ctx, s, aDataSource, req.TypeName, req.Config, req, s.FrameworkServer.ReadDataSource)
}

// ValidateEphemeralResourceConfig implements tfprotov6.EphemeralResourceServer.
func (s *Server) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return pass(ctx, s, anEphemeralResource, req.TypeName, req.Config, req, s.FrameworkServer.ValidateEphemeralResourceConfig)
}

// OpenEphemeralResource implements tfprotov6.EphemeralResourceServer.
func (s *Server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return pass(ctx, s, anEphemeralResource, req.TypeName, req.Config, req, s.FrameworkServer.OpenEphemeralResource)
}

// ValidateListResourceConfig implements tfprotov6.ListResourceServer.
func (s *Server) ValidateListResourceConfig(ctx context.Context, req *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return pass(ctx, s, aListResource, req.TypeName, req.Config, req, s.FrameworkServer.ValidateListResourceConfig)
}

// ListResource implements tfprotov6.ListResourceServer.
func (s *Server) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	return pass(ctx, s, aListResource, req.TypeName, req.Config, req, s.FrameworkServer.ListResource)
}

// ValidateActionConfig implements tfprotov6.ActionServer.
func (s *Server) ValidateActionConfig(ctx context.Context, req *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	return pass(ctx, s, anAction, req.ActionType, req.Config, req, s.FrameworkServer.ValidateActionConfig)
}

// PlanAction implements tfprotov6.ActionServer.
func (s *Server) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return pass(ctx, s, anAction, req.ActionType, req.Config, req, s.FrameworkServer.PlanAction)
}

// InvokeAction implements tfprotov6.ActionServer.
func (s *Server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return pass(ctx, s, anAction, req.ActionType, req.Config, req, s.FrameworkServer.InvokeAction)
}

// CallFunction implements tfprotov6.FunctionServer.
func (s *Server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return pass(ctx, s, aFunction, req.Name, nil, req, s.FrameworkServer.CallFunction)
}
