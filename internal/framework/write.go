package framework

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Write writes a model to a plan or a state.
func Write(ctx context.Context, schema typed, raw *tftypes.Value, model any) diag.Diagnostics {
	converted, diags := convert(ctx, model, schema.Type().TerraformType(ctx))
	if !diags.HasError() {
		*raw = converted
	}
	return diags
}

// convert is toTerraform with an error for a model that doesn't fit.
func convert(ctx context.Context, model any, as tftypes.Type) (converted tftypes.Value, diags diag.Diagnostics) {
	defer func() {
		if unfit := recover(); unfit != nil {
			diags = diag.Diagnostics{unconverted("%T: %v", model, unfit)}
		}
	}()
	return toTerraform(ctx, reflect.ValueOf(model), as), nil
}

// WriteChanged is Write for a plan or state that may already have the model: then it converts nothing. before is the model that was
// read from it.
func WriteChanged[T any](ctx context.Context, schema typed, raw *tftypes.Value, before, after T) diag.Diagnostics {
	if EqualModels(before, after) {
		return nil
	}
	return Write(ctx, schema, raw, after)
}

// EqualModels reports whether models have equal attributes.
func EqualModels[T any](a, b T) bool {
	left, right := reflect.ValueOf(a), reflect.ValueOf(b)
	for _, f := range fieldsOf(left) {
		one, ok := reflect.TypeAssert[attr.Value](left.FieldByIndex(f.index))
		other, also := reflect.TypeAssert[attr.Value](right.FieldByIndex(f.index))
		if !ok || !also || !one.Equal(other) {
			return false
		}
	}
	return true
}

// toTerraform converts a value of the framework, a model, a pointer to one, or a slice or map of either. Nil becomes null, and so do
// zero values of the framework, which don't know their element types. It panics if the model doesn't fit the type.
func toTerraform(ctx context.Context, from reflect.Value, as tftypes.Type) tftypes.Value {
	if value, ok := reflect.TypeAssert[attr.Value](from); ok {
		if value.IsNull() {
			return tftypes.NewValue(as, nil)
		}
		converted, err := value.ToTerraformValue(ctx)
		if err != nil {
			panic(err)
		}
		return converted
	}
	var elements any
	switch kind := from.Kind(); {
	case kind != reflect.Struct && from.IsNil():
	case kind == reflect.Pointer:
		return toTerraform(ctx, from.Elem(), as)
	case kind == reflect.Struct:
		attributes, types := map[string]tftypes.Value{}, as.(tftypes.Object).AttributeTypes //nolint:forcetypeassert // See above.
		for _, f := range fieldsOf(from) {
			attributes[f.name] = toTerraform(ctx, from.FieldByIndex(f.index), types[f.name])
		}
		elements = attributes
	case kind == reflect.Slice:
		list := make([]tftypes.Value, from.Len())
		for i := range list {
			list[i] = toTerraform(ctx, from.Index(i), as.(tftypes.List).ElementType) //nolint:forcetypeassert // See above.
		}
		elements = list
	case kind == reflect.Map:
		members := make(map[string]tftypes.Value, from.Len())
		for entry := from.MapRange(); entry.Next(); {
			members[entry.Key().String()] = toTerraform(ctx, entry.Value(), as.(tftypes.Map).ElementType) //nolint:forcetypeassert // See above.
		}
		elements = members
	}
	return tftypes.NewValue(as, elements)
}
