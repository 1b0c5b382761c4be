package protocol

import (
	"context"
	"maps"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
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
	return k.planned(req, asked), repeating(ctx, s, req.TypeName, asked)
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
	return asked, ok && setPrivate(ctx, req.PriorPrivate, &asked.Req.Private, &asked.Resp.Private)
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
func (k *kind) planned(req *tfprotov6.PlanResourceChangeRequest, asked *plan) any {
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
		if resp.PlannedPrivate, ok = encodePrivate(asked.Resp.Private); !ok {
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

// field is an attribute that the framework itself may change in a plan.
type field struct {
	// computed attributes become unknown in a change unless they are configured or have a default.
	computed bool
	// writeOnly attributes are null in every plan and state.
	writeOnly bool
	// byDefault is nil without a default.
	byDefault *tftypes.Value
	// retains gives an unknown attribute that isn't configured its prior value.
	retains bool
	// replaces may replace the resource, or have diagnostics, if the attribute changes.
	replaces bool
	// opaque attributes are changed in a way that only the framework knows.
	opaque bool
	// nested are the fields of a single nested object.
	nested fields
}

// fields are those of an object, by name.
type fields map[string]*field

// newFields returns false if the framework does something with an attribute that this package doesn't know. Below the root, that includes
// defaults and write-only attributes.
func newFields(ctx context.Context, attributes map[string]schema.Attribute, root bool) (fields, bool) {
	all := fields{}
	for name, attribute := range attributes {
		f := &field{writeOnly: attribute.IsWriteOnly()}
		if !f.describe(ctx, attribute) || !root && (f.byDefault != nil || f.writeOnly) {
			return nil, false
		}
		f.computed = attribute.IsComputed() && f.byDefault == nil
		if f.computed || f.byDefault != nil || f.writeOnly || f.retains || f.replaces || f.opaque || len(f.nested) > 0 {
			all[name] = f
		}
	}
	return all, true
}

// describe returns false for attributes in which the framework does more than this package knows, whether they change or not.
func (f *field) describe(ctx context.Context, attribute schema.Attribute) bool {
	switch a := attribute.(type) {
	case schema.StringAttribute, schema.BoolAttribute, schema.Int64Attribute, schema.Float64Attribute, schema.MapAttribute, schema.ListAttribute,
		schema.SetAttribute: // They differ only in the types of these fields.
		fields := reflect.ValueOf(attribute)
		f.setDefault(ctx, fields.FieldByName("Default"))
		for _, modifier := range fields.FieldByName("PlanModifiers").Seq2() {
			described, _ := reflect.TypeAssert[planmodifier.Describer](modifier)
			f.modifiedBy(ctx, described)
		}
		return true
	case schema.SingleNestedAttribute:
		var ok bool
		f.nested, ok = newFields(ctx, a.Attributes, false)
		f.opaque = len(a.PlanModifiers) > 0
		return ok && a.Default == nil
	case schema.ListNestedAttribute:
		return f.describeElements(ctx, a.NestedObject, len(a.PlanModifiers)) && a.Default == nil
	case schema.MapNestedAttribute:
		return f.describeElements(ctx, a.NestedObject, len(a.PlanModifiers)) && a.Default == nil
	}
	return false
}

// describeElements is describe for a list or map of objects.
func (f *field) describeElements(ctx context.Context, element schema.NestedAttributeObject, modifiers int) bool {
	inside, ok := newFields(ctx, element.Attributes, false)
	f.opaque = len(inside) > 0 || len(element.PlanModifiers) > 0 || modifiers > 0
	return ok
}

// setDefault calls DefaultString of a defaults.String, DefaultBool of a defaults.Bool, and so on. It leaves the default nil if that can't be
// converted, which depends on the source code alone.
func (f *field) setDefault(ctx context.Context, from reflect.Value) {
	if from.IsNil() {
		return
	}
	method := from.MethodByName("Default" + from.Type().Name())
	resp := reflect.New(method.Type().In(2).Elem())
	method.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.Zero(method.Type().In(1)), resp})
	if value, ok := reflect.TypeAssert[attr.Value](resp.Elem().FieldByName("PlanValue")); ok {
		if converted, err := value.ToTerraformValue(ctx); err == nil {
			f.byDefault = &converted
		}
	}
}

// modifiedBy records what a plan modifier of the attribute does. Those that keep a prior value have another type for each kind of attribute, and
// the same description.
func (f *field) modifiedBy(ctx context.Context, modifier planmodifier.Describer) {
	_, replaces := modifier.(framework.OnlyReplacing)
	retains := modifier.Description(ctx) == stringplanmodifier.UseStateForUnknown().Description(ctx)
	// What replaces depends on the value that is retained.
	f.opaque = f.opaque || !replaces && (!retains || f.replaces)
	f.replaces, f.retains = f.replaces || replaces, f.retains || retains
}

// fill sets the default of each attribute that the configuration omits, and write-only attributes to null.
func (all fields) fill(config, planned map[string]tftypes.Value) {
	for name, f := range all {
		switch {
		case f.writeOnly:
			planned[name] = tftypes.NewValue(planned[name].Type(), nil)
		case f.byDefault != nil && config[name].IsNull():
			planned[name] = *f.byDefault
		}
	}
}

// nullified reports whether all write-only attributes are null.
func (all fields) nullified(state map[string]tftypes.Value) bool {
	for name, f := range all {
		if f.writeOnly && !state[name].IsNull() {
			return false
		}
	}
	return true
}

// change changes planned attributes of an object. It returns false if a modifier is unknown, may replace the resource or have diagnostics.
func (all fields) change(planned map[string]tftypes.Value, config, prior tftypes.Value, creates bool) bool {
	configured, before := members(config), members(prior)
	for name, f := range all {
		value, ok := f.change(planned[name], configured(name), before(name), creates)
		if !ok {
			return false
		}
		planned[name] = value
	}
	return true
}

func (f *field) change(planned, config, prior tftypes.Value, creates bool) (tftypes.Value, bool) {
	as := planned.Type()
	if f.computed && config.IsNull() {
		planned = tftypes.NewValue(as, tftypes.UnknownValue)
	}
	if f.retains && !creates && !planned.IsKnown() && config.IsKnown() {
		planned = prior
		if prior.IsNull() { // Perhaps that of the object around it.
			planned = tftypes.NewValue(as, nil)
		}
	}
	if f.opaque || f.replaces && !creates && !framework.Same(planned, prior) {
		return planned, false
	}
	var attributes map[string]tftypes.Value
	if len(f.nested) == 0 || planned.IsNull() || !planned.IsKnown() {
		return planned, true
	}
	if planned.As(&attributes) != nil || !f.nested.change(attributes, config, prior, creates) {
		return planned, false
	}
	return tftypes.NewValue(as, attributes), true
}

// members returns the attributes of an object. Those of a null or unknown one are what it is.
func members(object tftypes.Value) func(name string) tftypes.Value {
	var attributes map[string]tftypes.Value
	if object.IsNull() || !object.IsKnown() || object.As(&attributes) != nil {
		return func(string) tftypes.Value { return object }
	}
	return func(name string) tftypes.Value { return attributes[name] }
}
