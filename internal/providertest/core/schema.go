package core

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// schema is that of a provider, a resource or a data source.
type schema struct {
	attributes []*tfprotov6.SchemaAttribute
	// ty is the type of every value.
	ty cty.Type
	// arguments are the same for hcl, with those of nested objects that may be left out.
	arguments hcldec.ObjectSpec
	// identified tells whether the objects of the resource have identities.
	identified bool
}

func newSchema(from *tfprotov6.Schema) (*schema, error) {
	if len(from.Block.BlockTypes) > 0 {
		return nil, errors.New("the schema has nested blocks")
	}
	object, err := objectType(from.Block.Attributes)
	if err != nil {
		return nil, err
	}
	s := &schema{attributes: from.Block.Attributes, ty: object.WithoutOptionalAttributesDeep(), arguments: hcldec.ObjectSpec{}}
	for _, a := range s.attributes {
		s.arguments[a.Name] = &hcldec.AttrSpec{Name: a.Name, Type: object.AttributeType(a.Name), Required: a.Required}
	}
	return s, nil
}

// objectType is the type of an object in a configuration, which may omit attributes that aren't required.
func objectType(attributes []*tfprotov6.SchemaAttribute) (cty.Type, error) {
	types := map[string]cty.Type{}
	var optional []string
	for _, a := range attributes {
		if !a.Required {
			optional = append(optional, a.Name)
		}
		var err error
		if types[a.Name], err = attributeType(a); err != nil {
			return cty.NilType, fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	return cty.ObjectWithOptionalAttrs(types, optional), nil
}

func attributeType(a *tfprotov6.SchemaAttribute) (cty.Type, error) {
	if a.NestedType == nil { // The protocol and the language write types as JSON in the same way.
		data, err := json.Marshal(a.Type)
		if err != nil {
			return cty.NilType, err
		}
		return ctyjson.UnmarshalType(data)
	}
	object, err := objectType(a.NestedType.Attributes)
	switch a.NestedType.Nesting {
	case tfprotov6.SchemaObjectNestingModeSingle:
		return object, err
	case tfprotov6.SchemaObjectNestingModeList:
		return cty.List(object), err
	case tfprotov6.SchemaObjectNestingModeMap:
		return cty.Map(object), err
	default:
		return cty.NilType, fmt.Errorf("nesting mode %s is not supported", a.NestedType.Nesting)
	}
}

func (s *schema) null() cty.Value { return cty.NullVal(s.ty) }

// encode panics on a value of another type, which no caller has.
func (s *schema) encode(v cty.Value) *tfprotov6.DynamicValue {
	data, err := msgpack.Marshal(v, s.ty)
	if err != nil {
		panic(err)
	}
	return &tfprotov6.DynamicValue{MsgPack: data}
}

// decode fails on a value of another type; no value is null.
func (s *schema) decode(v *tfprotov6.DynamicValue) (cty.Value, error) {
	if v == nil {
		return s.null(), nil
	}
	return msgpack.Unmarshal(v.MsgPack, s.ty)
}
