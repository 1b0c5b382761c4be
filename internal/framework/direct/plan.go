package direct

import (
	"bytes"
	"context"

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

// plan returns a nil response unless the resource has left the proposed plan unchanged, and a nil request if it wasn't called.
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
	return k.planned(req, asking), asking
}

// newPlan returns the request to a resource if the proposed state is the prior one. The framework then leaves the plan unchanged:
// it contains all defaults, nothing computed becomes unknown, and there is no work for plan modifiers of attributes.
func (k *kind) newPlan(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*plan, bool) {
	state, attributes, ok := decode(k.as, req.PriorState)
	if !ok || !k.proposesNothing(req, state, attributes) || req.ProviderMeta != nil {
		return nil, false
	}
	config, configured, ok := decode(k.as, req.Config)
	if !ok || !k.special.filled(configured, attributes) || !k.special.valid(ctx, configured) || !k.special.valid(ctx, attributes) {
		return nil, false
	}
	asking := &plan{req: resource.ModifyPlanRequest{
		Config:             tfsdk.Config{Schema: k.schema, Raw: config},
		Plan:               tfsdk.Plan{Schema: k.schema, Raw: state},
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

// proposesNothing reports whether the proposed state is the prior one. Write-only values don't count, because plans don't contain
// them.
func (k *kind) proposesNothing(req *tfprotov6.PlanResourceChangeRequest, prior tftypes.Value, attributes map[string]tftypes.Value) bool {
	if req.ProposedNewState == nil || !k.special.nullified(attributes) {
		return false
	}
	if len(req.PriorState.MsgPack) > 0 && bytes.Equal(req.ProposedNewState.MsgPack, req.PriorState.MsgPack) {
		return true
	}
	if len(k.special.writeOnly) == 0 {
		return false
	}
	_, proposed, ok := decode(k.as, req.ProposedNewState)
	if !ok {
		return false
	}
	for _, name := range k.special.writeOnly {
		proposed[name] = attributes[name]
	}
	return framework.Same(tftypes.NewValue(k.as, proposed), prior)
}

// planned returns the framework's response if the resource has left the proposed plan unchanged, otherwise nil.
func (k *kind) planned(req *tfprotov6.PlanResourceChangeRequest, asked *plan) *tfprotov6.PlanResourceChangeResponse {
	if len(asked.resp.Diagnostics) > 0 || asked.resp.Deferred != nil || len(asked.resp.RequiresReplace) > 0 ||
		!asked.req.Private.Equal(asked.resp.Private) || !framework.Same(asked.resp.Plan.Raw, asked.req.Plan.Raw) {
		return nil
	}
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate}
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
