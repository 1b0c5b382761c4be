package protocol

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// checkValues checks the values of a configuration in the calls that use them: plans of resources, reads of data sources, and so on. The
// validate calls only refuse arguments that may not be set together, because mocks of terraform test make these calls with random values in
// place of references. What they refuse, they refuse with all its mistakes. Terraform doesn't validate the configurations of actions and lists
// again when their last values become known, so that here they are validated as a whole.
func (s *Server) checkValues(ctx context.Context, c *call, next answerer) (any, error) {
	switch req := c.request.(type) {
	case *tfprotov6.ValidateResourceConfigRequest, *tfprotov6.ValidateDataResourceConfigRequest,
		*tfprotov6.ValidateEphemeralResourceConfigRequest, *tfprotov6.ValidateActionConfigRequest:
		return s.checkArguments(ctx, c, next)
	case *tfprotov6.PlanResourceChangeRequest:
		if req.Config == nil || isNull(req.Config) || isSame(req.ProposedNewState, req.PriorState) {
			return next(ctx)
		}
		if wrong, err := s.wrongValues(ctx, c); err != nil || len(wrong) > 0 {
			return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate, Diagnostics: wrong}, err
		}
	case *tfprotov6.ReadDataSourceRequest:
		if wrong, err := s.wrongValues(ctx, c); err != nil || len(wrong) > 0 {
			return &tfprotov6.ReadDataSourceResponse{State: req.Config, Diagnostics: wrong}, err
		}
	case *tfprotov6.OpenEphemeralResourceRequest:
		if wrong, err := s.wrongValues(ctx, c); err != nil || len(wrong) > 0 {
			return &tfprotov6.OpenEphemeralResourceResponse{Diagnostics: wrong}, err
		}
		return open(ctx, req, next)
	case *tfprotov6.ListResourceRequest:
		return s.list(ctx, c, next)
	case *tfprotov6.PlanActionRequest:
		return s.planAction(ctx, c, next)
	case *tfprotov6.InvokeActionRequest:
		return s.invokeAction(ctx, c, next)
	}
	return next(ctx)
}

// checkArguments validates a configuration whatever its values are. Most configurations are valid with their values, too, which is
// remembered for the call that uses them.
func (s *Server) checkArguments(ctx context.Context, c *call, next answerer) (any, error) {
	all, err := next(ctx)
	if err != nil {
		return all, err
	}
	if len(*diagnosticsOf(all)) == 0 {
		s.validConfigs().Store(c.configKey(), true)
		return all, nil
	}
	arguments, err := next(framework.WithAnyValue(ctx))
	if err != nil || slices.ContainsFunc(*diagnosticsOf(arguments), isError) {
		return all, err
	}
	return arguments, nil
}

// validConfigs has the keys of the configurations that were valid as a whole.
func (s *Server) validConfigs() *sync.Map {
	return framework.SharedMap(s.Memo(), "valid configurations")
}

// configKey identifies the configuration of a call.
func (c *call) configKey() any {
	if c.config == nil {
		return c.subject
	}
	return struct {
		subject
		sum [sha256.Size]byte
	}{c.subject, sha256.Sum256(slices.Concat(c.config.MsgPack, c.config.JSON))}
}

// wrongValues returns the errors in the configuration of a call that are due to values.
func (s *Server) wrongValues(ctx context.Context, c *call) ([]*tfprotov6.Diagnostic, error) {
	all, err := s.validate(ctx, c)
	if err != nil || !slices.ContainsFunc(all, isError) {
		return nil, err
	}
	others, err := s.validate(framework.WithAnyValue(ctx), c)
	return slices.DeleteFunc(all, func(d *tfprotov6.Diagnostic) bool {
		return !isError(d) || slices.ContainsFunc(others, func(other *tfprotov6.Diagnostic) bool {
			return other.Summary == d.Summary && other.Detail == d.Detail && other.Attribute.Equal(d.Attribute)
		})
	}), err
}

// validate returns the diagnostics of the configuration of a call.
func (s *Server) validate(ctx context.Context, c *call) ([]*tfprotov6.Diagnostic, error) {
	if _, valid := s.validConfigs().Load(c.configKey()); valid {
		return nil, nil
	}
	resp, err := s.validateByFramework(ctx, c)
	if err != nil {
		return nil, err
	}
	return s.explained(ctx, *diagnosticsOf(resp), c), nil
}

func (s *Server) validateByFramework(ctx context.Context, c *call) (any, error) {
	switch c.kind {
	case aDataSource:
		return s.FrameworkServer.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: c.name, Config: c.config})
	case anEphemeralResource:
		return s.FrameworkServer.ValidateEphemeralResourceConfig(ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: c.name, Config: c.config})
	case aListResource:
		return s.FrameworkServer.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: c.name, Config: c.config})
	case theProvider, aResource, aFunction: // Of these, only resources use values.
	case anAction:
		return s.FrameworkServer.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: c.name, Config: c.config})
	}
	return s.FrameworkServer.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: c.name, Config: c.config,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
}

// open opens an ephemeral resource. Terraform 1.14 doesn't allow it to be deferred, even where it does for everything else. The
// framework asks only once, for all.
func open(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest, next answerer) (any, error) {
	answer, err := next(ctx)
	resp, _ := answer.(*tfprotov6.OpenEphemeralResourceResponse)
	if err == nil && resp.Deferred != nil && (req.ClientCapabilities == nil || !req.ClientCapabilities.DeferralAllowed) {
		resp.Deferred = nil
		for _, d := range (&framework.ProviderData{}).Configured() {
			resp.Diagnostics = append(resp.Diagnostics, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()})
		}
	}
	return answer, err
}

func (s *Server) planAction(ctx context.Context, c *call, next answerer) (any, error) {
	diags, err := s.validate(ctx, c)
	if err != nil || slices.ContainsFunc(diags, isError) {
		return &tfprotov6.PlanActionResponse{Diagnostics: diags}, err
	}
	answer, err := next(ctx)
	if planned, ok := answer.(*tfprotov6.PlanActionResponse); ok && err == nil {
		planned.Diagnostics = append(diags, planned.Diagnostics...)
	}
	return answer, err
}

// invokeAction returns warnings with those of the invocation.
func (s *Server) invokeAction(ctx context.Context, c *call, next answerer) (any, error) {
	diags, err := s.validate(ctx, c)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(diags, isError) {
		completed := tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: diags}}
		return &tfprotov6.InvokeActionServerStream{Events: slices.Values([]tfprotov6.InvokeActionEvent{completed})}, nil
	}
	answer, err := next(ctx)
	if stream, ok := answer.(*tfprotov6.InvokeActionServerStream); ok && err == nil && len(diags) > 0 {
		events := stream.Events
		stream.Events = func(yield func(tfprotov6.InvokeActionEvent) bool) {
			for event := range events {
				if completed, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
					completed.Diagnostics = append(diags, completed.Diagnostics...)
					event.Type = completed
				}
				if !yield(event) {
					return
				}
			}
		}
	}
	return answer, err
}

// list fails as a whole if the user interrupts it: after Ctrl-C, the protocol's server drops all results, and Terraform would report a
// complete list without them.
func (s *Server) list(ctx context.Context, c *call, next answerer) (any, error) {
	diags, err := s.validate(ctx, c)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(diags, isError) {
		return &tfprotov6.ListResourceServerStream{Results: slices.Values([]tfprotov6.ListResourceResult{{Diagnostics: diags}})}, nil
	}
	answer, err := next(ctx)
	stream, ok := answer.(*tfprotov6.ListResourceServerStream)
	if err != nil || !ok {
		return nil, err
	}
	results := slices.Collect(stream.Results)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the query of %s was interrupted: %w", c.name, context.Cause(ctx))
	}
	return &tfprotov6.ListResourceServerStream{Results: slices.Values(results)}, nil
}

// isSame reports whether two values have the same encoding.
func isSame(a, b *tfprotov6.DynamicValue) bool {
	return a != nil && b != nil && len(a.MsgPack) > 0 && bytes.Equal(a.MsgPack, b.MsgPack)
}
