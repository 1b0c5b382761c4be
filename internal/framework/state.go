package framework

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// PlannedOr returns the planned value if it is known, and otherwise the service's.
func PlannedOr[T attr.Value](planned, answered T) T {
	if planned.IsUnknown() {
		return answered
	}
	return planned
}

// AnsweredOr returns prior if the service returned no value, or the default if prior isn't known either.
func AnsweredOr[T attr.Value](answered, prior, byDefault T) T {
	switch {
	case !answered.IsNull():
		return answered
	case !prior.IsNull() && !prior.IsUnknown():
		return prior
	}
	return byDefault
}

// KeepPlanned returns a planned model in which unknown values, also in nested objects, are replaced with the service's: after an
// apply, Terraform doesn't accept other changes of known values. The next refresh shows what the service made of those. All
// fields of a model are values of the framework.
func KeepPlanned[M any](ctx context.Context, planned, answered M) M {
	to, from := reflect.ValueOf(&planned).Elem(), reflect.ValueOf(answered)
	for _, f := range fieldsOf(to) {
		value, ok := reflect.TypeAssert[attr.Value](to.FieldByIndex(f.index))
		other, known := reflect.TypeAssert[attr.Value](from.FieldByIndex(f.index))
		if ok && known {
			to.FieldByIndex(f.index).Set(reflect.ValueOf(keepPlanned(ctx, value, other)))
		}
	}
	return planned
}

func keepPlanned(ctx context.Context, planned, answered attr.Value) attr.Value {
	if planned.IsUnknown() {
		return answered
	}
	object, ok := planned.(types.Object)
	if !ok || object.IsNull() {
		return planned
	}
	other, _ := answered.(types.Object)
	kept, answers := object.Attributes(), other.Attributes()
	for name, kind := range object.AttributeTypes(ctx) {
		if answers[name] == nil { // The service returned nothing for the whole object.
			answers[name] = NullOf(kind) //nolint:contextcheck // Types of values don't use it.
		}
		kept[name] = keepPlanned(ctx, kept[name], answers[name])
	}
	return types.ObjectValueMust(object.AttributeTypes(ctx), kept)
}

// Overtaken warns of configured attributes for which the service returned other values than the planned ones, which the state has: another
// user or process has changed them since the plan. object names the object.
func Overtaken[M any](ctx context.Context, object string, config, planned, answered M) diag.Diagnostics {
	names := differing(ctx, config, planned, answered)
	if len(names) == 0 {
		return nil
	}
	return NewWarning("Changed by another user or process", "%s was changed during this apply: the service has other values for %s than the "+
		"state. The next plan shows the difference.", object, strings.Join(names, ", "))
}

// differing lists the configured attributes of a model, also those of nested objects, that were planned with other values than the
// service returned.
func differing[M any](ctx context.Context, config, planned, answered M) []string {
	configured, to, from := reflect.ValueOf(config), reflect.ValueOf(planned), reflect.ValueOf(answered)
	var names []string
	for _, f := range fieldsOf(to) {
		set, ok := reflect.TypeAssert[attr.Value](configured.FieldByIndex(f.index))
		value, also := reflect.TypeAssert[attr.Value](to.FieldByIndex(f.index))
		other, known := reflect.TypeAssert[attr.Value](from.FieldByIndex(f.index))
		if ok && also && known {
			names = append(names, differingIn(ctx, f.name, set, value, other)...)
		}
	}
	slices.Sort(names)
	return names
}

func differingIn(ctx context.Context, name string, configured, planned, answered attr.Value) []string {
	if configured.IsNull() || planned.IsNull() || planned.IsUnknown() || same(ctx, planned, answered) { // A write-only value is null in a plan.
		return nil
	}
	set, ok := configured.(types.Object)
	value, also := planned.(types.Object)
	other, known := answered.(types.Object)
	if !ok || !also || !known || set.IsUnknown() || other.IsNull() {
		return []string{name}
	}
	var names []string
	for member, v := range value.Attributes() {
		names = append(names, differingIn(ctx, name+"."+member, set.Attributes()[member], v, other.Attributes()[member])...)
	}
	return names
}

// same compares values as the framework does after a refresh.
func same(ctx context.Context, planned, answered attr.Value) bool {
	if planned.Equal(answered) {
		return true
	}
	value, ok := planned.(basetypes.StringValuableWithSemanticEquals)
	other, also := answered.(basetypes.StringValuable)
	if !ok || !also || answered.IsNull() || answered.IsUnknown() {
		return false
	}
	equal, diags := value.StringSemanticEquals(ctx, other)
	return equal && !diags.HasError()
}

// StateWriter writes the state and the identity of an object.
type StateWriter struct {
	State *tfsdk.State
	// Identity is nil if the CLI doesn't support identities.
	Identity *tfsdk.ResourceIdentity
}

// Identified is a model that knows its resource identity.
type Identified interface{ ResourceIdentity() any }

// Write stores a model and its identity.
func (w StateWriter) Write(ctx context.Context, m Identified) diag.Diagnostics {
	diags := Write(ctx, w.State.Schema, &w.State.Raw, m)
	diags.Append(w.WriteIdentity(ctx, m)...)
	return diags
}

// WriteIdentity stores the identity of a model, unless the object has one: Terraform doesn't accept another one. That of an import may have
// other attributes than the model has.
func (w StateWriter) WriteIdentity(ctx context.Context, m Identified) diag.Diagnostics {
	if w.Identity == nil || !w.Identity.Raw.IsFullyNull() {
		return nil
	}
	return w.Identity.Set(ctx, m.ResourceIdentity())
}

// Remove removes an object from the state, with its private state. The framework requires an identity even for removed objects.
func (w StateWriter) Remove(ctx context.Context, m Identified, private PrivateWriter) diag.Diagnostics {
	diags := w.Write(ctx, m)
	return append(diags, Leave(ctx, w.State, private)...)
}
