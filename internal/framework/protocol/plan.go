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

type plan = answered[resource.ModifyPlanRequest, resource.ModifyPlanResponse]

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
	r.ModifyPlan(ctx, asked.req, &asked.resp)
	return k.planned(ctx, req, asked), asked.repeating(ctx, req.TypeName, s.Compare)
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
	asked := &plan{req: resource.ModifyPlanRequest{
		Config:             tfsdk.Config{Schema: k.schema, Raw: config},
		Plan:               tfsdk.Plan{Schema: k.schema, Raw: planned},
		State:              tfsdk.State{Schema: k.schema, Raw: state},
		ClientCapabilities: resource.ModifyPlanClientCapabilities{DeferralAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed},
	}}
	asked.resp.Plan = asked.req.Plan
	asked.req.Identity, asked.resp.Identity, ok = k.decodeIdentity(req.PriorIdentity)
	return asked, ok && setPrivate(ctx, req.PriorPrivate, &asked.req.Private) && setPrivate(ctx, req.PriorPrivate, &asked.resp.Private)
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
	if len(asked.resp.Diagnostics) > 0 || asked.resp.Deferred != nil || len(asked.resp.RequiresReplace) > 0 {
		return nil
	}
	var ok bool
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate}
	if !framework.Same(asked.resp.Plan.Raw, asked.req.State.Raw) {
		encoded, err := tfprotov6.NewDynamicValue(k.as, asked.resp.Plan.Raw)
		if err != nil {
			return nil
		}
		resp.PlannedState = &encoded
	}
	if !asked.req.Private.Equal(asked.resp.Private) {
		if resp.PlannedPrivate, ok = encodePrivate(ctx, asked.resp.Private); !ok {
			return nil
		}
	}
	if k.identity != nil {
		if asked.resp.Identity == nil || !framework.Same(asked.req.Identity.Raw, asked.resp.Identity.Raw) {
			return nil
		}
		if resp.PlannedIdentity, ok = k.encodeIdentity(asked.req.Identity.Raw); !ok {
			return nil
		}
	}
	return resp
}
