package framework

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// PlannedOr returns what is planned if that is known, and what the service answered otherwise.
func PlannedOr[T attr.Value](planned, answered T) T {
	if planned.IsUnknown() {
		return answered
	}
	return planned
}

// KeepPlanned returns a planned model in which what was unknown, in nested objects too, is as the service answered it: after
// an apply, Terraform accepts nothing else for what was known. What the service made of that shows in the next refresh. All
// fields of a model are values of the framework.
func KeepPlanned[M any](ctx context.Context, planned, answered M) M {
	to, from := reflect.ValueOf(&planned).Elem(), reflect.ValueOf(answered)
	for i := range to.NumField() {
		value, ok := reflect.TypeAssert[attr.Value](to.Field(i))
		other, known := reflect.TypeAssert[attr.Value](from.Field(i))
		if ok && known {
			to.Field(i).Set(reflect.ValueOf(keepPlanned(ctx, value, other)))
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
		if answers[name] == nil { // The service answered nothing for the whole object.
			answers[name] = NullOf(kind) //nolint:contextcheck // Types of values have no use for one.
		}
		kept[name] = keepPlanned(ctx, kept[name], answers[name])
	}
	return types.ObjectValueMust(object.AttributeTypes(ctx), kept)
}
