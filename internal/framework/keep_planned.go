package framework

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// PlannedOr returns the planned value if it is known, and otherwise the service's.
func PlannedOr[T attr.Value](planned, answered T) T {
	if planned.IsUnknown() {
		return answered
	}
	return planned
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
