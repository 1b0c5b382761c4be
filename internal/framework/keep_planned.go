package framework

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
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
func KeepPlanned[M any](planned, answered M) M {
	to, from := reflect.ValueOf(&planned).Elem(), reflect.ValueOf(answered)
	for i := range to.NumField() {
		value, ok := to.Field(i).Interface().(attr.Value)
		other, known := from.Field(i).Interface().(attr.Value)
		if ok && known {
			to.Field(i).Set(reflect.ValueOf(keepPlanned(value, other)))
		}
	}
	return planned
}

func keepPlanned(planned, answered attr.Value) attr.Value {
	if planned.IsUnknown() {
		return answered
	}
	object, ok := planned.(types.Object)
	if !ok || object.IsNull() {
		return planned
	}
	other, _ := answered.(types.Object)
	kept, answers := object.Attributes(), other.Attributes()
	for name, kind := range object.AttributeTypes(context.Background()) {
		if answers[name] == nil { // The service answered nothing for the whole object.
			answers[name] = nullOf(kind)
		}
		kept[name] = keepPlanned(kept[name], answers[name])
	}
	return types.ObjectValueMust(object.AttributeTypes(context.Background()), kept)
}

func nullOf(kind attr.Type) attr.Value {
	ctx := context.Background()
	value, err := kind.ValueFromTerraform(ctx, tftypes.NewValue(kind.TerraformType(ctx), nil))
	if err != nil {
		panic(fmt.Sprintf("%s has no null: %s", kind, err)) // No type of the framework's or ours.
	}
	return value
}
