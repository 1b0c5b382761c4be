package provider

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/direct"
)

// NewServer returns a constructor of the server that speaks the plugin protocol for the provider.
func NewServer(version string, options ...Option) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return serve(newProvider(version, options)) }
}

// directVariable, if it is 0, leaves every answer to the plugin framework. If that changes anything but the time that a plan takes, it
// is a bug.
const directVariable = "AGENTPLANE_DIRECT"

func serve(p *agentplane) tfprotov6.ProviderServer {
	answering := direct.Wrap(p)
	server := providerserver.NewProtocol6(answering)()
	complete, ok := server.(direct.FrameworkServer)
	if !ok {
		return server
	}
	types := &configTypes{offered: p}
	var answers direct.FrameworkServer = releasingServer{checkedServer{valueServer{complete, types}}}
	if p.getenv(directVariable) != "0" {
		answers = direct.NewServer(answering, answers, p.compare)
	}
	return undecidedServer{answers, p, types}
}

// releasingServer frees the memory of calls that have returned. The framework keeps the context of every call until the
// process ends, and with it the loggers and the gRPC stream that the context refers to. With several calls for each
// resource, that is most of the memory of a large plan. Calls that Terraform makes only once are not wrapped, and neither
// are those that return a stream, because they need their context after they return.
type releasingServer struct{ direct.FrameworkServer }

// ValidateResourceConfig implements tfprotov6.ResourceServer.
func (s releasingServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.ValidateResourceConfig)
}

// UpgradeResourceState implements tfprotov6.ResourceServer.
func (s releasingServer) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.UpgradeResourceState)
}

// UpgradeResourceIdentity implements tfprotov6.ResourceServer.
func (s releasingServer) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.UpgradeResourceIdentity)
}

// ReadResource implements tfprotov6.ResourceServer.
func (s releasingServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.ReadResource)
}

// PlanResourceChange implements tfprotov6.ResourceServer.
func (s releasingServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.PlanResourceChange)
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (s releasingServer) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.ApplyResourceChange)
}

// ImportResourceState implements tfprotov6.ResourceServer.
func (s releasingServer) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.ImportResourceState)
}

// MoveResourceState implements tfprotov6.ResourceServer.
func (s releasingServer) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.MoveResourceState)
}

// ValidateDataResourceConfig implements tfprotov6.DataSourceServer.
func (s releasingServer) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.ValidateDataResourceConfig)
}

// ReadDataSource implements tfprotov6.DataSourceServer.
func (s releasingServer) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.ReadDataSource)
}

// CallFunction implements tfprotov6.FunctionServer.
func (s releasingServer) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return releaseAfter(ctx, req, s.FrameworkServer.CallFunction)
}

// releaseAfter makes a call with a context that refers to ctx only until the call returns.
//
//nolint:contextcheck // The linter doesn't see that the new context inherits from ctx.
func releaseAfter[Req, Resp any](ctx context.Context, req Req, call func(context.Context, Req) (Resp, error)) (Resp, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &callContext{done: ctx.Done()}
	c.parent.Store(&ctx)
	defer c.parent.Store(&released)
	defer cancel()
	return call(c, req)
}

// released is the parent of all calls that have returned: it is canceled and has no values.
var released = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// callContext is the context of a call.
type callContext struct {
	parent atomic.Pointer[context.Context]
	done   <-chan struct{}
}

// Deadline implements context.Context.
func (c *callContext) Deadline() (time.Time, bool) { return (*c.parent.Load()).Deadline() }

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} { return c.done }

// Err implements context.Context.
func (c *callContext) Err() error { return (*c.parent.Load()).Err() }

// Value implements context.Context.
func (c *callContext) Value(key any) any { return (*c.parent.Load()).Value(key) }
