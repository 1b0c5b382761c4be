package framework

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A model is a struct of values of the framework, each with a tfsdk tag that names its attribute. The framework's conversion
// supports structs of every kind and takes a tenth of the time of a plan; these functions only support models and take almost none.
// A model that is written may also contain models, and slices and maps of models, as in the framework.

// typed is a schema.
type typed interface{ Type() attr.Type }

// Read returns the model in a configuration, a plan or a state. If there is none, it returns the zero model, in which all is null.
func Read[T any](ctx context.Context, schema typed, raw tftypes.Value, into *T) diag.Diagnostics {
	object, ok := schema.Type().(attr.TypeWithAttributeTypes)
	if !ok {
		return diag.Diagnostics{unconverted("%T", schema.Type())}
	}
	if raw.IsNull() || !raw.IsKnown() {
		*into = *new(T)
		return nil
	}
	var attributes map[string]tftypes.Value
	if err := raw.As(&attributes); err != nil {
		return diag.Diagnostics{unconverted("%v", err)}
	}
	values := make(map[string]attr.Value, len(attributes))
	for name, as := range object.AttributeTypes() {
		value, err := as.ValueFromTerraform(ctx, attributes[name])
		if err != nil {
			return diag.Diagnostics{unconverted("%s: %v", name, err)}
		}
		values[name] = value
	}
	model, diags := fromAttributes[T](values)
	*into = model
	return diags
}

// FromObject returns the model in an object; for a null or unknown object, the zero model, in which all is null. It panics if the
// model doesn't fit the type of the object, which depends on the source code alone.
func FromObject[T any](object types.Object) T {
	if object.IsNull() || object.IsUnknown() {
		return *new(T)
	}
	model, diags := fromAttributes[T](object.Attributes())
	if diags.HasError() {
		panic(diags)
	}
	return model
}

func fromAttributes[T any](attributes map[string]attr.Value) (T, diag.Diagnostics) {
	var model T
	var diags diag.Diagnostics
	into := reflect.ValueOf(&model).Elem()
	for _, f := range fieldsOf(into) {
		value, field := reflect.ValueOf(attributes[f.name]), into.FieldByIndex(f.index)
		if !field.Type().Implements(reflect.TypeFor[attr.Value]()) {
			continue // Only computed attributes have other fields.
		}
		if !value.IsValid() || !value.Type().AssignableTo(field.Type()) {
			diags.Append(unfit(f.name, attributes[f.name], field.Type()))
			continue
		}
		field.Set(value)
	}
	return model, diags
}

// ToObject returns the object of a model. It completes zero values, which don't know their element types. It panics if the model
// doesn't fit the attributes.
func ToObject(attributes map[string]attr.Type, model any) types.Object {
	ctx := context.Background() // Types of values don't use it.
	from := reflect.ValueOf(model)
	values := make(map[string]attr.Value, len(attributes))
	for _, f := range fieldsOf(from) {
		value, ok := reflect.TypeAssert[attr.Value](from.FieldByIndex(f.index))
		ty, known := attributes[f.name]
		if !ok || !known {
			panic(unfit(f.name, value, from.FieldByIndex(f.index).Type()))
		}
		if value.IsNull() && !value.Type(ctx).Equal(ty) {
			value = NullOf(ty)
		}
		values[f.name] = value
	}
	return types.ObjectValueMust(attributes, values)
}

// modelField is a field of a model or of an object of the API, or of a struct that it embeds.
type modelField struct {
	// name is that of the attribute, or of the member in JSON.
	name  string
	index []int
}

// modelFields has the fields of each type of model.
var modelFields sync.Map

func fieldsOf(model reflect.Value) []modelField {
	if known, ok := modelFields.Load(model.Type()); ok {
		return known.([]modelField) //nolint:forcetypeassert // The map has no other values.
	}
	var all []modelField
	for _, field := range reflect.VisibleFields(model.Type()) {
		if !field.Anonymous {
			inJSON, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			all = append(all, modelField{cmp.Or(field.Tag.Get("tfsdk"), inJSON), field.Index})
		}
	}
	modelFields.Store(model.Type(), all)
	return all
}

func unfit(name string, value attr.Value, field reflect.Type) diag.Diagnostic {
	return unconverted("the attribute %q holds a %T, for which the provider has a %s", name, value, field)
}

func unconverted(format string, args ...any) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Value Conversion Error", "A value can't be converted. This is always an error in the provider: "+
		"please report it to its developers.\n\n"+fmt.Sprintf(format, args...))
}

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
