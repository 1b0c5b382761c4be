package direct

import (
	"bytes"
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type plan = answered[resource.ModifyPlanRequest, resource.ModifyPlanResponse]

// PlanResourceChange implements tfprotov6.ResourceServer.
func (s *Server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, asked := s.plan(ctx, req)
	return answer(s, req.TypeName, resp, func() (*tfprotov6.PlanResourceChangeResponse, error) {
		return s.FrameworkServer.PlanResourceChange(repeating(ctx, s, req.TypeName, asked), req)
	})
}

// plan returns a nil response if only the framework can answer, and a nil request if the resource wasn't called.
func (s *Server) plan(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, *plan) {
	k, ok := s.resources.find(ctx, req.TypeName)
	if !ok {
		return nil, nil
	}
	r, ok := k.configured(ctx, s.provider)
	asking, complete := k.newPlan(ctx, req)
	if !ok || !complete {
		return nil, nil
	}
	r.ModifyPlan(ctx, asking.req, &asking.resp)
	return k.planned(ctx, req, asking), asking
}

// newPlan returns the request to a resource. It returns false for a destruction, and unless the framework's own part of the plan has no
// diagnostics and replaces nothing.
func (k *kind) newPlan(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*plan, bool) {
	state, attributes, ok := decodePrior(k.as, req.PriorState)
	if !ok || !k.special.nullified(attributes) || req.ProviderMeta != nil {
		return nil, false
	}
	config, configured, ok := decode(k.as, req.Config)
	if !ok || !k.special.valid(ctx, configured) || attributes != nil && !k.special.valid(ctx, attributes) {
		return nil, false
	}
	planned, ok := k.propose(req, config, configured, state, attributes)
	if !ok {
		return nil, false
	}
	asking := &plan{req: resource.ModifyPlanRequest{
		Config:             tfsdk.Config{Schema: k.schema, Raw: config},
		Plan:               tfsdk.Plan{Schema: k.schema, Raw: planned},
		State:              tfsdk.State{Schema: k.schema, Raw: state},
		ClientCapabilities: resource.ModifyPlanClientCapabilities{DeferralAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed},
	}}
	asking.resp.Plan = asking.req.Plan
	if !setPrivate(ctx, req.PriorPrivate, &asking.req.Private) || !setPrivate(ctx, req.PriorPrivate, &asking.resp.Private) {
		return nil, false
	}
	asking.req.Identity, asking.resp.Identity, ok = k.decodedIdentity(req.PriorIdentity)
	return asking, ok
}

// propose returns the plan that the framework proposes to a resource. If nothing changes, that is the prior state: nothing computed
// becomes unknown, and there is no work for plan modifiers of attributes.
func (k *kind) propose(
	req *tfprotov6.PlanResourceChangeRequest, config tftypes.Value, configured map[string]tftypes.Value, state tftypes.Value, attributes map[string]tftypes.Value,
) (tftypes.Value, bool) {
	if attributes != nil && req.ProposedNewState != nil && len(req.PriorState.MsgPack) > 0 &&
		bytes.Equal(req.ProposedNewState.MsgPack, req.PriorState.MsgPack) && k.special.filled(configured, attributes) {
		return state, true
	}
	_, planned, ok := decode(k.as, req.ProposedNewState)
	if !ok {
		return state, false
	}
	k.special.fill(configured, planned)
	if attributes != nil && maps.EqualFunc(planned, attributes, framework.Same) {
		return state, true
	}
	if k.rules == nil || !k.rules.apply(planned, config, state, attributes == nil) {
		return state, false
	}
	return tftypes.NewValue(k.as, planned), true
}

// planned returns the framework's response unless that has diagnostics, or replaces or defers the resource.
func (k *kind) planned(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest, asked *plan) *tfprotov6.PlanResourceChangeResponse {
	if len(asked.resp.Diagnostics) > 0 || asked.resp.Deferred != nil || len(asked.resp.RequiresReplace) > 0 {
		return nil
	}
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate}
	if !framework.Same(asked.resp.Plan.Raw, asked.req.State.Raw) {
		encoded, err := tfprotov6.NewDynamicValue(k.as, asked.resp.Plan.Raw)
		if err != nil {
			return nil
		}
		resp.PlannedState = &encoded
	}
	if !asked.req.Private.Equal(asked.resp.Private) {
		var ok bool
		if resp.PlannedPrivate, ok = encodePrivate(ctx, asked.resp.Private); !ok {
			return nil
		}
	}
	before, after := asked.req.Identity, asked.resp.Identity
	switch {
	case before == nil && after == nil:
		return resp
	case before == nil || after == nil || !framework.Same(before.Raw, after.Raw):
		return nil
	}
	resp.PlannedIdentity = req.PriorIdentity
	if before.Raw.IsNull() {
		resp.PlannedIdentity = k.noIdentity
	}
	return resp
}
