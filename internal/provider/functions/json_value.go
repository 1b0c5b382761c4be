package functions

import (
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// jsonOf is a value of any type as JSON, as jsonencode writes it. Numbers keep their digits.
func jsonOf(value attr.Value) (json.RawMessage, error) {
	if value.IsNull() {
		return json.RawMessage("null"), nil
	}
	switch v := value.(type) {
	case types.Dynamic:
		return jsonOf(v.UnderlyingValue())
	case types.String:
		return json.Marshal(v.ValueString())
	case types.Bool:
		return json.Marshal(v.ValueBool())
	case types.Number:
		return json.RawMessage(v.ValueBigFloat().Text('g', -1)), nil
	case types.Object:
		return jsonObject(v.Attributes())
	case types.Map:
		return jsonObject(v.Elements())
	case types.List:
		return jsonArray(v.Elements())
	case types.Tuple:
		return jsonArray(v.Elements())
	case types.Set:
		return jsonArray(v.Elements())
	}
	return nil, fmt.Errorf("a value of type %T has no form in JSON", value)
}

func jsonObject(members map[string]attr.Value) (json.RawMessage, error) {
	object := make(map[string]json.RawMessage, len(members))
	for name, member := range members {
		var err error
		if object[name], err = jsonOf(member); err != nil {
			return nil, err
		}
	}
	return json.Marshal(object)
}

func jsonArray(elements []attr.Value) (json.RawMessage, error) {
	array := make([]json.RawMessage, len(elements))
	for i, element := range elements {
		var err error
		if array[i], err = jsonOf(element); err != nil {
			return nil, err
		}
	}
	return json.Marshal(array)
}
