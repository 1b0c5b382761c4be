package core

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// proposedNew is what Terraform proposes to a provider: the configuration, with prior values of what is computed where
// the configuration says nothing.
func proposedNew(attributes []*tfprotov6.SchemaAttribute, prior, config cty.Value) cty.Value {
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	values := map[string]cty.Value{}
	for _, a := range attributes {
		values[a.Name] = proposedAttribute(a, child(prior, a.Name), config.GetAttr(a.Name))
	}
	return cty.ObjectVal(values)
}

func proposedAttribute(a *tfprotov6.SchemaAttribute, prior, config cty.Value) cty.Value {
	switch {
	case a.Computed && config.IsNull():
		if a.Optional && a.NestedType != nil && configurable(a.NestedType.Attributes, prior) {
			return config // It is no longer configured.
		}
		return prior
	case a.NestedType == nil, config.IsNull(), !config.IsKnown():
		return config
	}
	nested := a.NestedType.Attributes
	if a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
		return proposedNew(nested, prior, config)
	}
	if config.LengthInt() == 0 {
		return config
	}
	had := elements(prior)
	none := cty.NullVal(config.Type().ElementType())
	before := func(key cty.Value) cty.Value {
		if element, ok := had[elementKey(key)]; ok {
			return element
		}
		return none
	}
	list, byKey := []cty.Value{}, map[string]cty.Value{}
	for it := config.ElementIterator(); it.Next(); {
		key, element := it.Element()
		element = proposedNew(nested, before(key), element)
		if list = append(list, element); key.Type() == cty.String {
			byKey[key.AsString()] = element
		}
	}
	if a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeMap {
		return cty.MapVal(byKey)
	}
	return cty.ListVal(list)
}

// configurable reports whether an object contains a value that the provider can't have computed.
func configurable(attributes []*tfprotov6.SchemaAttribute, v cty.Value) bool {
	for _, object := range elements(v) {
		for _, a := range attributes {
			value := child(object, a.Name)
			if !value.IsNull() && !a.Computed || a.NestedType != nil && configurable(a.NestedType.Attributes, value) {
				return true
			}
		}
	}
	return false
}
