package core

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// schema is that of a provider, a resource or a data source.
type schema struct {
	version    int64
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
	s := &schema{version: from.Version, attributes: from.Block.Attributes}
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
		if a.NestedType == nil {
			ty, err := ctyType(a.Type)
			if err != nil {
				return cty.NilType, err
			}
			types[a.Name] = ty
			continue
		}
		object, err := configType(a.NestedType.Attributes)
		if err != nil {
			return cty.NilType, err
		}
		switch a.NestedType.Nesting {
		case tfprotov6.SchemaObjectNestingModeSingle:
			types[a.Name] = object
		case tfprotov6.SchemaObjectNestingModeList:
			types[a.Name] = cty.List(object)
		case tfprotov6.SchemaObjectNestingModeMap:
			types[a.Name] = cty.Map(object)
		default:
			return cty.NilType, fmt.Errorf("%s: nesting mode %s is not supported", a.Name, a.NestedType.Nesting)
		}
	}
	return cty.ObjectWithOptionalAttrs(types, optional), nil
}

// ctyType converts a type of the protocol to one of the configuration language.
func ctyType(t tftypes.Type) (cty.Type, error) {
	switch t := t.(type) {
	case tftypes.List:
		element, err := ctyType(t.ElementType)
		return cty.List(element), err
	case tftypes.Set:
		element, err := ctyType(t.ElementType)
		return cty.Set(element), err
	case tftypes.Map:
		element, err := ctyType(t.ElementType)
		return cty.Map(element), err
	case tftypes.Object:
		attributes := map[string]cty.Type{}
		for name, attribute := range t.AttributeTypes {
			ty, err := ctyType(attribute)
			if err != nil {
				return cty.NilType, err
			}
			attributes[name] = ty
		}
		return cty.Object(attributes), nil
	}
	switch {
	case t.Is(tftypes.String):
		return cty.String, nil
	case t.Is(tftypes.Number):
		return cty.Number, nil
	case t.Is(tftypes.Bool):
		return cty.Bool, nil
	case t.Is(tftypes.DynamicPseudoType):
		return cty.DynamicPseudoType, nil
	}
	return cty.NilType, fmt.Errorf("the type %s is not supported", t)
}

func (s *schema) null() cty.Value { return cty.NullVal(s.ty) }

// encode fails on a value of another type.
func (s *schema) encode(v cty.Value) (*tfprotov6.DynamicValue, error) { return encode(v, s.ty) }

// decode fails on a value of another type; no value is null.
func (s *schema) decode(v *tfprotov6.DynamicValue) (cty.Value, error) {
	if v == nil {
		return s.null(), nil
	}
	return decode(v, s.ty)
}

func encode(v cty.Value, ty cty.Type) (*tfprotov6.DynamicValue, error) {
	data, err := msgpack.Marshal(v, ty)
	return &tfprotov6.DynamicValue{MsgPack: data}, err
}

func decode(v *tfprotov6.DynamicValue, ty cty.Type) (cty.Value, error) {
	return msgpack.Unmarshal(v.MsgPack, ty)
}

// child is an attribute of an object; that of a null or unknown object is null or unknown.
func child(object cty.Value, name string) cty.Value {
	ty := object.Type().AttributeType(name)
	switch {
	case !object.IsKnown():
		return cty.UnknownVal(ty)
	case object.IsNull():
		return cty.NullVal(ty)
	}
	return object.GetAttr(name)
}

// elements are the objects in a value of a nested attribute by their keys. Null and unknown values have none.
func elements(v cty.Value) map[string]cty.Value {
	found := map[string]cty.Value{}
	if v.IsNull() || !v.IsKnown() {
		return found
	}
	if v.Type().IsObjectType() {
		found[""] = v
		return found
	}
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		found[elementKey(key)] = element
	}
	return found
}

func elementKey(key cty.Value) string {
	if key.Type() == cty.String {
		return fmt.Sprintf("[%q]", key.AsString())
	}
	return fmt.Sprintf("[%s]", key.AsBigFloat().Text('f', -1))
}
