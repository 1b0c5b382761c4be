package core

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// schema is that of a provider, a resource or a data source.
type schema struct {
	attributes []*tfprotov6.SchemaAttribute
	// ty is the type of every value; config is the same with arguments of nested objects that may be left out.
	ty, config cty.Type
	// identity is the type of the identity; it isn't set if there is none.
	identity cty.Type
}

func newSchema(from *tfprotov6.Schema) (*schema, error) {
	if len(from.Block.BlockTypes) > 0 {
		return nil, errors.New("the schema has nested blocks")
	}
	s := &schema{attributes: from.Block.Attributes}
	var err error
	if s.ty, err = ctyType(from.ValueType()); err != nil {
		return nil, err
	}
	s.config, err = configType(s.attributes)
	return s, err
}

// configType is the type of an object in a configuration, which may omit attributes that aren't required.
func configType(attributes []*tfprotov6.SchemaAttribute) (cty.Type, error) {
	types := map[string]cty.Type{}
	var optional []string
	for _, a := range attributes {
		if !a.Required {
			optional = append(optional, a.Name)
		}
		var err error
		if a.NestedType == nil {
			types[a.Name], err = ctyType(a.Type)
		} else {
			types[a.Name], err = nestedType(a.NestedType)
		}
		if err != nil {
			return cty.NilType, fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	return cty.ObjectWithOptionalAttrs(types, optional), nil
}

func nestedType(nested *tfprotov6.SchemaObject) (cty.Type, error) {
	object, err := configType(nested.Attributes)
	switch nested.Nesting {
	case tfprotov6.SchemaObjectNestingModeSingle:
		return object, err
	case tfprotov6.SchemaObjectNestingModeList:
		return cty.List(object), err
	case tfprotov6.SchemaObjectNestingModeMap:
		return cty.Map(object), err
	default:
		return cty.NilType, fmt.Errorf("nesting mode %s is not supported", nested.Nesting)
	}
}

// ctyType converts a type of the protocol to one of the configuration language. Both write types as JSON in the same way.
func ctyType(t tftypes.Type) (cty.Type, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return cty.NilType, err
	}
	return ctyjson.UnmarshalType(data)
}

func (s *schema) null() cty.Value { return cty.NullVal(s.ty) }

func (s *schema) encode(v cty.Value) *tfprotov6.DynamicValue { return encode(v, s.ty) }

// decode fails on a value of another type; no value is null.
func (s *schema) decode(v *tfprotov6.DynamicValue) (cty.Value, error) {
	if v == nil {
		return s.null(), nil
	}
	return decode(v, s.ty)
}

// encode panics on a value of another type, which no caller has.
func encode(v cty.Value, ty cty.Type) *tfprotov6.DynamicValue {
	data, err := msgpack.Marshal(v, ty)
	if err != nil {
		panic(err)
	}
	return &tfprotov6.DynamicValue{MsgPack: data}
}

func decode(v *tfprotov6.DynamicValue, ty cty.Type) (cty.Value, error) {
	return msgpack.Unmarshal(v.MsgPack, ty)
}
