package core

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

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
	data, err := json.Marshal(from.ValueType()) // The protocol and the language write types as JSON in the same way.
	if err != nil {
		return nil, err
	}
	ty, err := ctyjson.UnmarshalType(data)
	if err != nil {
		return nil, err
	}
	s := &schema{from.Block.Attributes, ty, hcldec.ObjectSpec{}, false}
	for _, a := range s.attributes {
		s.arguments[a.Name] = &hcldec.AttrSpec{Name: a.Name, Type: configurationType(ty.AttributeType(a.Name)), Required: a.Required}
	}
	return s, nil
}

// configurationType is a type of values in a configuration, which may omit any attribute of a nested object: only the provider's
// framework checks that those have the required ones.
func configurationType(ty cty.Type) cty.Type {
	switch {
	case ty.IsListType():
		return cty.List(configurationType(ty.ElementType()))
	case ty.IsMapType():
		return cty.Map(configurationType(ty.ElementType()))
	case !ty.IsObjectType():
		return ty
	}
	types := map[string]cty.Type{}
	for name, attribute := range ty.AttributeTypes() {
		types[name] = configurationType(attribute)
	}
	return cty.ObjectWithOptionalAttrs(types, slices.Collect(maps.Keys(types)))
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
