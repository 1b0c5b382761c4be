package resourcespec

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// The values of resource_spec are converted by type instead of field by field: two handwritten lists of forty fields and
// Kubernetes objects would drift apart. Values that don't fit the API fail to decode into api.ResourceSpec, and a test
// converts the whole schema in both directions.

// toJSON converts a value to the API's JSON, nil for null. It is not complete if an unknown value was left out.
func toJSON(value attr.Value) (converted any, complete bool) {
	if value.IsNull() || value.IsUnknown() {
		return nil, !value.IsUnknown()
	}
	complete = true
	switch v := value.(type) {
	case types.Int64:
		return v.ValueInt64(), true
	case types.Float64:
		return v.ValueFloat64(), true
	case types.Bool:
		return v.ValueBool(), true
	case jsontypes.Normalized:
		return json.RawMessage(v.ValueString()), true
	case types.String:
		return v.ValueString(), true
	case types.List:
		list := make([]any, len(v.Elements()))
		for i, element := range v.Elements() {
			var ok bool
			list[i], ok = toJSON(element)
			complete = complete && ok
		}
		return list, complete
	case types.Map:
		return objectToJSON(v.Elements(), sameName)
	case types.Object:
		return objectToJSON(v.Attributes(), wireName)
	}
	panic(fmt.Sprintf("resource_spec holds a %T, which has no JSON form", value))
}

func sameName(name string) string { return name }

// objectToJSON leaves nulls out.
func objectToJSON(values map[string]attr.Value, name func(string) string) (map[string]any, bool) {
	object, complete := map[string]any{}, true
	for key, value := range values {
		converted, ok := toJSON(value)
		complete = complete && ok
		if converted != nil {
			object[name(key)] = converted
		}
	}
	return object, complete
}

// fromJSON is the inverse of toJSON for a value of type t. An absent value is null.
func fromJSON(t attr.Type, data json.RawMessage) (attr.Value, error) {
	if len(data) == 0 || string(data) == "null" {
		return framework.NullOf(t), nil
	}
	switch t := t.(type) {
	case basetypes.Int64Type:
		n, err := decodeJSON[int64](data)
		return types.Int64Value(n), err
	case basetypes.Float64Type:
		n, err := decodeJSON[float64](data)
		return types.Float64Value(n), err
	case basetypes.BoolType:
		b, err := decodeJSON[bool](data)
		return types.BoolValue(b), err
	case jsontypes.NormalizedType:
		return jsontypes.NewNormalizedValue(string(data)), nil
	case basetypes.StringType:
		s, err := decodeJSON[string](data)
		return types.StringValue(s), err
	case basetypes.ListType:
		elements, err := decodeJSON[[]json.RawMessage](data)
		if err != nil {
			return nil, err
		}
		values := make([]attr.Value, len(elements))
		for i, element := range elements {
			if values[i], err = fromJSON(t.ElemType, element); err != nil {
				return nil, err
			}
		}
		return types.ListValueMust(t.ElemType, values), nil
	case basetypes.MapType:
		elements, err := decodeJSON[map[string]json.RawMessage](data)
		if err != nil {
			return nil, err
		}
		values := map[string]attr.Value{}
		for name, element := range elements {
			if values[name], err = fromJSON(t.ElemType, element); err != nil {
				return nil, err
			}
		}
		return types.MapValueMust(t.ElemType, values), nil
	case basetypes.ObjectType:
		fields, err := decodeJSON[map[string]json.RawMessage](data)
		if err != nil {
			return nil, err
		}
		values := map[string]attr.Value{}
		for name, attributeType := range t.AttrTypes {
			if values[name], err = fromJSON(attributeType, fields[wireName(name)]); err != nil {
				return nil, err
			}
		}
		return types.ObjectValueMust(t.AttrTypes, values), nil
	}
	panic(fmt.Sprintf("resource_spec has a %T, which has no JSON form", t))
}

func decodeJSON[T any](data json.RawMessage) (T, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}

// wireName is Kubernetes' name of an attribute: camel case, without the _json suffix.
func wireName(attribute string) string {
	attribute = strings.TrimSuffix(attribute, "_json")
	if attribute == "downward_api" {
		return "downwardAPI"
	}
	words := strings.Split(attribute, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
