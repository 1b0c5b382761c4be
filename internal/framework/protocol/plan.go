package protocol

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type plan = framework.Answered[resource.ModifyPlanRequest, resource.ModifyPlanResponse]

// plan returns a nil response if only the framework can answer, and the context for the framework's answer.
func (s *Server) plan(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (any, context.Context) {
	r, k, ok := s.resource(ctx, req.TypeName)
	if !ok || req.ProviderMeta != nil {
		return nil, ctx
	}
	asked, ok := k.newPlan(ctx, req)
	if !ok {
		return nil, ctx
	}
	r.ModifyPlan(ctx, asked.Req, &asked.Resp)
	return k.planned(ctx, req, asked), repeating(ctx, s, req.TypeName, asked)
}

// newPlan returns the request to a resource. It returns false for a destruction, and unless the framework's own part of the plan has no
// diagnostics and replaces nothing.
func (k *kind) newPlan(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*plan, bool) {
	state, prior, decoded := k.decode(req.PriorState)
	config, configured, alsoDecoded := k.decode(req.Config)
	if !decoded || !alsoDecoded || configured == nil || !k.fields.nullified(prior) {
		return nil, false
	}
	planned, ok := k.propose(req, config, configured, state, prior)
	if !ok {
		return nil, false
	}
	asked := &plan{Req: resource.ModifyPlanRequest{
		Config:             tfsdk.Config{Schema: k.schema, Raw: config},
		Plan:               tfsdk.Plan{Schema: k.schema, Raw: planned},
		State:              tfsdk.State{Schema: k.schema, Raw: state},
		ClientCapabilities: resource.ModifyPlanClientCapabilities{DeferralAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed},
	}}
	asked.Resp.Plan = asked.Req.Plan
	asked.Req.Identity, asked.Resp.Identity, ok = k.decodeIdentity(req.PriorIdentity)
	return asked, ok && setPrivate(ctx, req.PriorPrivate, &asked.Req.Private) && setPrivate(ctx, req.PriorPrivate, &asked.Resp.Private)
}

// propose returns the plan that the framework proposes to a resource. If nothing changes, that is the prior state: nothing computed
// becomes unknown, and there is no work for plan modifiers of attributes.
func (k *kind) propose(
	req *tfprotov6.PlanResourceChangeRequest, config tftypes.Value, configured map[string]tftypes.Value, state tftypes.Value, prior map[string]tftypes.Value,
) (tftypes.Value, bool) {
	planned, ok := maps.Clone(prior), true
	if !isSame(req.ProposedNewState, req.PriorState) {
		_, planned, ok = k.decode(req.ProposedNewState)
	}
	if !ok || planned == nil {
		return state, false
	}
	k.fields.fill(configured, planned)
	if prior != nil && maps.EqualFunc(planned, prior, framework.Same) {
		return state, true
	}
	return tftypes.NewValue(k.as, planned), k.fields.change(planned, config, state, prior == nil)
}

// planned returns the framework's response unless that has diagnostics, or replaces or defers the resource.
func (k *kind) planned(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest, asked *plan) any {
	if len(asked.Resp.Diagnostics) > 0 || asked.Resp.Deferred != nil || len(asked.Resp.RequiresReplace) > 0 {
		return nil
	}
	var ok bool
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate}
	if !framework.Same(asked.Resp.Plan.Raw, asked.Req.State.Raw) {
		encoded, err := tfprotov6.NewDynamicValue(k.as, asked.Resp.Plan.Raw)
		if err != nil {
			return nil
		}
		resp.PlannedState = &encoded
	}
	if !asked.Req.Private.Equal(asked.Resp.Private) {
		if resp.PlannedPrivate, ok = encodePrivate(ctx, asked.Resp.Private); !ok {
			return nil
		}
	}
	if k.identity != nil {
		if asked.Resp.Identity == nil || !framework.Same(asked.Req.Identity.Raw, asked.Resp.Identity.Raw) {
			return nil
		}
		if resp.PlannedIdentity, ok = k.encodeIdentity(asked.Req.Identity.Raw); !ok {
			return nil
		}
	}
	return resp
}
