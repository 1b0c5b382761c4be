package protocol

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

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

// UpgradeResourceIdentity implements tfprotov6.ResourceServer.
func (s *Server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return pass(ctx, s, aResource, req.TypeName, nil, req, s.FrameworkServer.UpgradeResourceIdentity)
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

// ImportResourceState implements tfprotov6.ResourceServer.
func (s *Server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return pass(ctx, s, aResource, req.TypeName, nil, req, s.FrameworkServer.ImportResourceState)
}

// MoveResourceState implements tfprotov6.ResourceServer.
func (s *Server) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return pass(ctx, s, aResource, req.TargetTypeName, nil, req, s.FrameworkServer.MoveResourceState)
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
