package framework

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

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

// Changed is ToOptional for a field of a patch: also absent if the planned text is the current one.
func Changed[T ~string](planned, current types.String) api.Optional[T] {
	if planned.Equal(current) {
		return api.Optional[T]{}
	}
	return ToOptional[T](planned)
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
