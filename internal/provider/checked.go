package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/direct"
)

// checkedServer validates what an action is planned and invoked with, and what is listed. Terraform validates these configurations only
// before the values of variables are known, and what is unknown in the plan is known only to the invocation.
type checkedServer struct{ direct.FrameworkServer }

// PlanAction implements tfprotov6.ActionServer.
func (s checkedServer) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	diags, valid, err := s.check(ctx, req.ActionType, req.Config)
	if err != nil || !valid {
		return &tfprotov6.PlanActionResponse{Diagnostics: diags}, err
	}
	resp, err := s.FrameworkServer.PlanAction(ctx, req)
	if err == nil {
		resp.Diagnostics = append(diags, resp.Diagnostics...)
	}
	return resp, err
}

// InvokeAction implements tfprotov6.ActionServer. Warnings are returned with those of the invocation.
func (s checkedServer) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	diags, valid, err := s.check(ctx, req.ActionType, req.Config)
	if err != nil {
		return nil, err
	}
	if !valid {
		return &tfprotov6.InvokeActionServerStream{Events: func(yield func(tfprotov6.InvokeActionEvent) bool) {
			yield(tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: diags}})
		}}, nil
	}
	stream, err := s.FrameworkServer.InvokeAction(ctx, req)
	if err != nil || len(diags) == 0 {
		return stream, err
	}
	return &tfprotov6.InvokeActionServerStream{Events: func(yield func(tfprotov6.InvokeActionEvent) bool) {
		for event := range stream.Events {
			if completed, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
				completed.Diagnostics = append(diags, completed.Diagnostics...)
				event.Type = completed
			}
			if !yield(event) {
				return
			}
		}
	}}, nil
}

// ListResource implements tfprotov6.ListResourceServer. It fails as a whole if the user interrupts it.
func (s checkedServer) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	resp, err := s.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: req.TypeName, Config: req.Config})
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(resp.Diagnostics, isError) {
		return &tfprotov6.ListResourceServerStream{Results: func(yield func(tfprotov6.ListResourceResult) bool) {
			yield(tfprotov6.ListResourceResult{Diagnostics: resp.Diagnostics})
		}}, nil
	}
	stream, err := s.FrameworkServer.ListResource(ctx, req)
	if err != nil {
		return nil, err
	}
	// After Ctrl-C, the protocol's server drops all results, and Terraform would report a complete list without them.
	results := slices.Collect(stream.Results)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the query of %s was interrupted: %w", req.TypeName, context.Cause(ctx))
	}
	return &tfprotov6.ListResourceServerStream{Results: slices.Values(results)}, nil
}

// check validates the configuration of an action, and reports whether it has no errors.
func (s checkedServer) check(ctx context.Context, name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, bool, error) {
	resp, err := s.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})
	if err != nil {
		return nil, false, err
	}
	return resp.Diagnostics, !slices.ContainsFunc(resp.Diagnostics, isError), nil
}
