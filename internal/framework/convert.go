package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Most attributes have the name of a field in the JSON of the service, and its type. Flatten and Expand convert these. A resource converts
// the others itself.

// Flatten returns a model with the values of an object that the service returned. Nil is null, and so is an empty text, unless a pointer
// distinguishes it from a missing one. Attributes that the object doesn't have stay as they are.
func Flatten[M any](prior M, object any) M {
	model, from := reflect.ValueOf(&prior).Elem(), reflect.ValueOf(object)
	for _, f := range fieldsOf(model) {
		if index := indexOf(from, f.name); index != nil {
			flatten(model.FieldByIndex(f.index), from.FieldByIndex(index))
		}
	}
	return prior
}

func flatten(attribute, field reflect.Value) {
	switch to := attribute.Addr().Interface().(type) {
	case *types.String:
		*to = types.StringPointerValue(pointerTo[string](field))
		if field.Kind() == reflect.String {
			*to = StringOrNull(field.String())
		}
	case *types.Bool:
		*to = types.BoolPointerValue(pointerTo[bool](field))
	case *types.Int64:
		*to = types.Int64PointerValue(pointerTo[int64](field))
	case *types.Float64:
		*to = types.Float64PointerValue(pointerTo[float64](field))
	case *types.List:
		if texts, ok := reflect.TypeAssert[[]string](field); ok {
			*to = TextList(texts)
		}
	case *types.Set:
		if texts, ok := reflect.TypeAssert[[]string](field); ok {
			*to = TextSet(texts)
		}
	case *types.Map:
		if texts, ok := reflect.TypeAssert[map[string]string](field); ok {
			*to = TextMap(texts)
		}
	}
}

// pointerTo returns a pointer to the value of a field; nil if it is a nil pointer.
func pointerTo[T any](field reflect.Value) *T {
	value := reflect.Indirect(field)
	if !value.IsValid() {
		return nil
	}
	converted, _ := reflect.TypeAssert[T](value.Convert(reflect.TypeFor[T]()))
	return &converted
}

// Expand returns a request with the known values of a model. Fields of null and unknown attributes stay zero, and so do those of objects.
func Expand[R any](model any) (request R) {
	known, from := map[string]any{}, reflect.ValueOf(model)
	for _, f := range fieldsOf(from) {
		value, ok := reflect.TypeAssert[attr.Value](from.FieldByIndex(f.index))
		_, nested := value.(types.Object)
		if ok && !nested && !value.IsNull() && !value.IsUnknown() && indexOf(reflect.ValueOf(request), f.name) != nil {
			known[f.name], _ = JSON(value, nil)
		}
	}
	data, err := json.Marshal(known)
	if err == nil {
		err = json.Unmarshal(data, &request)
	}
	if err != nil {
		panic(err) // A field of another type, or a number that no validator of its attribute would let pass.
	}
	return request
}

// JSON converts a value for encoding/json, as jsonencode writes it, with normalized JSON embedded. With a function that converts the names of
// attributes, it leaves nulls out of objects and maps. It is not complete if an unknown value became null or was left out.
func JSON(value attr.Value, wireName func(attribute string) string) (converted any, complete bool) {
	if value.IsNull() || value.IsUnknown() {
		return nil, !value.IsUnknown()
	}
	switch v := value.(type) {
	case types.Dynamic:
		return JSON(v.UnderlyingValue(), wireName)
	case types.String:
		return v.ValueString(), true
	case types.Bool:
		return v.ValueBool(), true
	case types.Int64:
		return v.ValueInt64(), true
	case types.Float64:
		return v.ValueFloat64(), true
	case types.Number:
		return json.RawMessage(jsonNumber(v.ValueBigFloat())), true
	case jsontypes.Normalized:
		return json.RawMessage(v.ValueString()), true
	case interface{ Elements() []attr.Value }: // A list, a set or a tuple.
		list, complete := make([]any, len(v.Elements())), true
		for i, element := range v.Elements() {
			var known bool
			list[i], known = JSON(element, wireName)
			complete = complete && known
		}
		return list, complete
	case types.Map:
		return jsonObject(v.Elements(), nil, wireName)
	case types.Object:
		return jsonObject(v.Attributes(), wireName, wireName)
	}
	panic(fmt.Sprintf("a %T has no JSON form", value))
}

// jsonObject is JSON for an object, whose names are converted, or a map, whose keys aren't.
func jsonObject(values map[string]attr.Value, name, wireName func(string) string) (map[string]any, bool) {
	object, complete := map[string]any{}, true
	for key, value := range values {
		converted, known := JSON(value, wireName)
		complete = complete && known
		if name != nil {
			key = name(key)
		}
		if converted != nil || wireName == nil {
			object[key] = converted
		}
	}
	return object, complete
}

// Numbers are binary in Terraform, with 512 bits. Those of a configuration have few decimal digits, which are exact; a quotient such as
// 0.15 / 1000000 has 155 digits, which are noise.
const (
	exactDigits   = 100
	roundedDigits = 12 // after the point
)

// jsonNumber writes a number as JSON: whole numbers without an exponent, decimals exactly, and numbers with very many digits rounded.
func jsonNumber(n *big.Float) string {
	if n.IsInt() {
		return n.Text('f', 0)
	}
	text := n.Text('g', -1)
	mantissa, _, _ := strings.Cut(text, "e")
	if len(mantissa) > exactDigits {
		text = strings.TrimRight(strings.TrimRight(n.Text('f', roundedDigits), "0"), ".")
	}
	return text
}

// Changes returns a model with the attributes of planned that differ from those of current; the others are null.
func Changes[M any](planned, current M) M {
	to, from := reflect.ValueOf(&planned).Elem(), reflect.ValueOf(current)
	for _, f := range fieldsOf(to) {
		value, ok := reflect.TypeAssert[attr.Value](to.FieldByIndex(f.index))
		other, also := reflect.TypeAssert[attr.Value](from.FieldByIndex(f.index))
		if ok && also && value.Equal(other) {
			to.FieldByIndex(f.index).SetZero()
		}
	}
	return planned
}

// MayDiffer reports whether two models differ, or may differ, in an attribute that a request of type R has. Unknown is another value.
func MayDiffer[R, M any](planned, current M) bool {
	changes, request := reflect.ValueOf(Changes(planned, current)), reflect.ValueOf(*new(R))
	return slices.ContainsFunc(fieldsOf(changes), func(f modelField) bool {
		return indexOf(request, f.name) != nil && !changes.FieldByIndex(f.index).IsZero()
	})
}

// indexOf returns the index of a field by its name; nil if there is none.
func indexOf(object reflect.Value, name string) []int {
	for _, f := range fieldsOf(object) {
		if f.name == name {
			return f.index
		}
	}
	return nil
}

// String returns null for nil, for any string type of the API.
func String[T ~string](v *T) types.String {
	if v == nil {
		return types.StringNull()
	}
	return types.StringValue(string(*v))
}

// StringOrNull returns null for the empty string, for fields where the API's empty means absent.
func StringOrNull[T ~string](v T) types.String {
	if v == "" {
		return types.StringNull()
	}
	return types.StringValue(string(v))
}

// ToOptional returns an absent field for null and unknown.
func ToOptional[T ~string](v types.String) api.Optional[T] {
	if v.IsNull() || v.IsUnknown() {
		return api.Optional[T]{}
	}
	return api.Some(T(v.ValueString()))
}

// NullOf returns the null value of a type.
func NullOf(t attr.Type) attr.Value {
	ctx := context.Background() // Types of values don't use it.
	value, err := t.ValueFromTerraform(ctx, tftypes.NewValue(t.TerraformType(ctx), nil))
	if err != nil {
		panic(fmt.Sprintf("%s has no null: %s", t, err)) // Happens for no type of the framework or of this provider.
	}
	return value
}

// Texts returns the strings in a list or set; nil for null.
func Texts[T ~string](collection interface {
	attr.Value
	Elements() []attr.Value
}) []T {
	if collection.IsNull() {
		return nil
	}
	texts := []T{}
	for _, element := range collection.Elements() {
		text, _ := element.(types.String)
		texts = append(texts, T(text.ValueString()))
	}
	return texts
}

// TextsByKey returns the strings in a map; nil for null.
func TextsByKey[T ~string](m types.Map) map[string]T {
	if m.IsNull() {
		return nil
	}
	texts := map[string]T{}
	for key, element := range m.Elements() {
		text, _ := element.(types.String)
		texts[key] = T(text.ValueString())
	}
	return texts
}

// TextList returns a list of strings; null for nil.
func TextList(texts []string) types.List {
	if texts == nil {
		return types.ListNull(types.StringType)
	}
	return types.ListValueMust(types.StringType, textValues(texts))
}

// TextsInOrder is TextList in the order of prior if that has the same texts: services may return them in another one.
func TextsInOrder(prior types.List, texts []string) types.List {
	had := Texts[string](prior)
	if had != nil && texts != nil && slices.Equal(slices.Sorted(slices.Values(had)), slices.Sorted(slices.Values(texts))) {
		texts = had
	}
	return TextList(texts)
}

// TextSet returns a set of strings; empty for nil.
func TextSet(texts []string) types.Set {
	return types.SetValueMust(types.StringType, textValues(texts))
}

func textValues(texts []string) []attr.Value {
	values := make([]attr.Value, len(texts))
	for i, text := range texts {
		values[i] = types.StringValue(text)
	}
	return values
}

// TextMap returns a map of strings; null for nil.
func TextMap(texts map[string]string) types.Map {
	if texts == nil {
		return types.MapNull(types.StringType)
	}
	values := make(map[string]attr.Value, len(texts))
	for key, text := range texts {
		values[key] = types.StringValue(text)
	}
	return types.MapValueMust(types.StringType, values)
}
