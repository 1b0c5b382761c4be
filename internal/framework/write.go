package framework

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Write writes a model to a plan or a state.
func Write(ctx context.Context, schema typed, raw *tftypes.Value, model any) diag.Diagnostics {
	converted, err := toTerraform(ctx, reflect.ValueOf(model), schema.Type().TerraformType(ctx))
	if err != nil {
		return diag.Diagnostics{unconverted("%v", err)}
	}
	*raw = converted
	return nil
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
// zero values of the framework, which don't know their element types.
func toTerraform(ctx context.Context, from reflect.Value, as tftypes.Type) (tftypes.Value, error) {
	if value, ok := reflect.TypeAssert[attr.Value](from); ok {
		if value.IsNull() {
			return tftypes.NewValue(as, nil), nil
		}
		converted, err := value.ToTerraformValue(ctx)
		if err == nil && !converted.Type().Equal(as) {
			err = fmt.Errorf("the model has a %s, for which the schema has a %s", converted.Type(), as)
		}
		return converted, err
	}
	switch from.Kind() { //nolint:exhaustive // Other kinds can't be models.
	case reflect.Pointer:
		if from.IsNil() {
			return tftypes.NewValue(as, nil), nil
		}
		return toTerraform(ctx, from.Elem(), as)
	case reflect.Struct:
		return toTerraformObject(ctx, from, as)
	case reflect.Slice:
		return toTerraformList(ctx, from, as)
	case reflect.Map:
		return toTerraformMap(ctx, from, as)
	}
	return tftypes.Value{}, fmt.Errorf("a %s is not part of a model", from.Type())
}

func toTerraformObject(ctx context.Context, from reflect.Value, as tftypes.Type) (tftypes.Value, error) {
	object, ok := as.(tftypes.Object)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("the model has a %s, for which the schema has a %s", from.Type(), as)
	}
	values := make(map[string]tftypes.Value, len(object.AttributeTypes))
	for _, f := range fieldsOf(from) {
		as, ok := object.AttributeTypes[f.name]
		if !ok {
			return tftypes.Value{}, fmt.Errorf("the schema lacks the attribute %q of %s", f.name, from.Type())
		}
		value, err := toTerraform(ctx, from.FieldByIndex(f.index), as)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%s: %w", f.name, err)
		}
		values[f.name] = value
	}
	for name := range object.AttributeTypes {
		if _, ok := values[name]; !ok {
			return tftypes.Value{}, fmt.Errorf("%s lacks the attribute %q", from.Type(), name)
		}
	}
	return tftypes.NewValue(as, values), nil
}

func toTerraformList(ctx context.Context, from reflect.Value, as tftypes.Type) (tftypes.Value, error) {
	list, ok := as.(tftypes.List)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("the model has a %s, for which the schema has a %s", from.Type(), as)
	}
	if from.IsNil() {
		return tftypes.NewValue(as, nil), nil
	}
	elements := make([]tftypes.Value, from.Len())
	for i := range elements {
		element, err := toTerraform(ctx, from.Index(i), list.ElementType)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%d: %w", i, err)
		}
		elements[i] = element
	}
	return tftypes.NewValue(as, elements), nil
}

func toTerraformMap(ctx context.Context, from reflect.Value, as tftypes.Type) (tftypes.Value, error) {
	dictionary, ok := as.(tftypes.Map)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("the model has a %s, for which the schema has a %s", from.Type(), as)
	}
	if from.IsNil() {
		return tftypes.NewValue(as, nil), nil
	}
	elements := make(map[string]tftypes.Value, from.Len())
	for entry := from.MapRange(); entry.Next(); {
		element, err := toTerraform(ctx, entry.Value(), dictionary.ElementType)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%q: %w", entry.Key(), err)
		}
		elements[entry.Key().String()] = element
	}
	return tftypes.NewValue(as, elements), nil
}
