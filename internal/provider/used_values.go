package provider

import (
	"bytes"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// The values of a configuration are checked by the calls that use them: plans of resources, reads of data sources, and so on. The validate
// calls only check which arguments are set together, because mocks of terraform test make them with random values in place of references.
// What they refuse, they refuse with all its mistakes.
// Those that lists get are complete: nothing mocks lists.

// ValidateResourceConfig implements tfprotov6.ResourceServer.
func (s undecidedServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := s.FrameworkServer.ValidateResourceConfig(framework.WithAnyValue(ctx), req)
	if err == nil && slices.ContainsFunc(resp.Diagnostics, isError) {
		return s.FrameworkServer.ValidateResourceConfig(ctx, req)
	}
	return resp, err
}

// ValidateDataResourceConfig implements tfprotov6.DataSourceServer.
func (s undecidedServer) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	resp, err := s.FrameworkServer.ValidateDataResourceConfig(framework.WithAnyValue(ctx), req)
	if err == nil && slices.ContainsFunc(resp.Diagnostics, isError) {
		return s.FrameworkServer.ValidateDataResourceConfig(ctx, req)
	}
	return resp, err
}

// ValidateEphemeralResourceConfig implements tfprotov6.EphemeralResourceServer.
func (s undecidedServer) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	resp, err := s.FrameworkServer.ValidateEphemeralResourceConfig(framework.WithAnyValue(ctx), req)
	if err == nil && slices.ContainsFunc(resp.Diagnostics, isError) {
		return s.FrameworkServer.ValidateEphemeralResourceConfig(ctx, req)
	}
	return resp, err
}

// ValidateActionConfig implements tfprotov6.ActionServer. checkedServer checks the values.
func (s undecidedServer) ValidateActionConfig(ctx context.Context, req *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	resp, err := s.FrameworkServer.ValidateActionConfig(framework.WithAnyValue(ctx), req)
	if err == nil && slices.ContainsFunc(resp.Diagnostics, isError) {
		return s.FrameworkServer.ValidateActionConfig(ctx, req)
	}
	return resp, err
}

// ReadDataSource implements tfprotov6.DataSourceServer.
func (s undecidedServer) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	wrong, err := wrongValues(ctx, func(ctx context.Context) ([]*tfprotov6.Diagnostic, error) {
		resp, err := s.FrameworkServer.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: req.TypeName, Config: req.Config})
		return resp.Diagnostics, err
	})
	if err != nil || len(wrong) > 0 {
		return &tfprotov6.ReadDataSourceResponse{State: req.Config, Diagnostics: wrong}, err
	}
	return s.FrameworkServer.ReadDataSource(ctx, req)
}

// OpenEphemeralResource implements tfprotov6.EphemeralResourceServer.
func (s undecidedServer) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	wrong, err := wrongValues(ctx, func(ctx context.Context) ([]*tfprotov6.Diagnostic, error) {
		resp, err := s.FrameworkServer.ValidateEphemeralResourceConfig(ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: req.TypeName, Config: req.Config})
		return resp.Diagnostics, err
	})
	if err != nil || len(wrong) > 0 {
		return &tfprotov6.OpenEphemeralResourceResponse{Diagnostics: wrong}, err
	}
	resp, err := s.FrameworkServer.OpenEphemeralResource(ctx, req)
	if err == nil && resp.Deferred != nil && (req.ClientCapabilities == nil || !req.ClientCapabilities.DeferralAllowed) {
		// Terraform 1.14 doesn't allow it, even where it does for everything else. The framework asks only once, for all.
		resp.Deferred = nil
		for _, d := range (&framework.ProviderData{}).Configured() {
			resp.Diagnostics = append(resp.Diagnostics, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()})
		}
	}
	return resp, err
}

// plannedValues returns the errors in the values that a plan uses.
func (s undecidedServer) plannedValues(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) ([]*tfprotov6.Diagnostic, error) {
	if req.Config == nil || isNull(req.Config) || isSame(req.ProposedNewState, req.PriorState) {
		return nil, nil
	}
	return wrongValues(ctx, func(ctx context.Context) ([]*tfprotov6.Diagnostic, error) {
		resp, err := s.FrameworkServer.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
			TypeName: req.TypeName, Config: req.Config,
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
		})
		return resp.Diagnostics, err
	})
}

// wrongValues returns the errors of a validation that are due to values.
func wrongValues(ctx context.Context, validate func(context.Context) ([]*tfprotov6.Diagnostic, error)) ([]*tfprotov6.Diagnostic, error) {
	all, err := validate(ctx)
	if err != nil || !slices.ContainsFunc(all, isError) {
		return nil, err
	}
	others, err := validate(framework.WithAnyValue(ctx))
	return slices.DeleteFunc(all, func(d *tfprotov6.Diagnostic) bool {
		return !isError(d) || slices.ContainsFunc(others, func(other *tfprotov6.Diagnostic) bool {
			return other.Summary == d.Summary && other.Detail == d.Detail && other.Attribute.Equal(d.Attribute)
		})
	}), err
}

// isSame reports whether two values have the same encoding.
func isSame(a, b *tfprotov6.DynamicValue) bool {
	return a != nil && b != nil && len(a.MsgPack) > 0 && bytes.Equal(a.MsgPack, b.MsgPack)
}
