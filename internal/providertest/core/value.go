package core

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// attributeAt is the attribute to which a path in an object leads; nil for the object itself and for elements.
func attributeAt(attributes []*tfprotov6.SchemaAttribute, at cty.Path) (found *tfprotov6.SchemaAttribute) {
	for _, step := range at {
		name, ok := step.(cty.GetAttrStep)
		if !ok {
			found = nil
			continue
		}
		i := slices.IndexFunc(attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == name.Name })
		if i < 0 {
			return nil // It is in a value without attributes of its own.
		}
		found, attributes = attributes[i], nil
		if found.NestedType != nil {
			attributes = found.NestedType.Attributes
		}
	}
	return found
}

// valueAt is the value at a path; null if there is none.
func valueAt(at cty.Path, in cty.Value, as cty.Type) cty.Value {
	value, err := at.Apply(in)
	if err != nil {
		return cty.NullVal(as)
	}
	return value
}

// pathText writes a path like .a[0].b[key].
func pathText(at cty.Path) string {
	var text strings.Builder
	for _, step := range at {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text.WriteString("." + step.Name)
		case cty.IndexStep:
			fmt.Fprintf(&text, "[%v]", plain(step.Key))
		}
	}
	return text.String()
}

// ctyPath converts a path of the protocol to one of the language. Instead of into a set, it leads to all of it.
func ctyPath(from *tftypes.AttributePath) (path cty.Path) {
	for _, step := range from.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			path = path.GetAttr(string(step))
		case tftypes.ElementKeyString:
			path = path.IndexString(string(step))
		case tftypes.ElementKeyInt:
			path = path.IndexInt(int(step))
		default:
			return path
		}
	}
	return path
}

// plain is a value as JSON has it. Unknown attributes are left out.
func plain(v cty.Value) any {
	value, _ := encoded(v, func(leaf cty.Value) (any, bool) {
		switch ty := leaf.Type(); {
		case !leaf.IsKnown():
			return nil, false
		case leaf.IsNull():
			return nil, true
		case ty == cty.String:
			return leaf.AsString(), true
		case ty == cty.Bool:
			return leaf.True(), true
		}
		return json.Number(leaf.AsBigFloat().Text('f', -1)), true
	})
	return value
}

// encoded is a value as JSON has it, with what encode returns for whatever has no parts: unless that is to be shown, objects and maps don't
// have it.
func encoded(v cty.Value, encode func(cty.Value) (value any, shown bool)) (any, bool) {
	switch ty := v.Type(); {
	case v == cty.NilVal:
		return nil, false
	case !hasParts(v):
		return encode(v)
	case ty.IsObjectType() || ty.IsMapType():
		members := map[string]any{}
		for name, member := range v.AsValueMap() {
			if value, shown := encoded(member, encode); shown {
				members[name] = value
			}
		}
		return members, true
	}
	all := []any{}
	for _, element := range v.AsValueSlice() {
		value, _ := encoded(element, encode)
		all = append(all, value)
	}
	return all, true
}

func hasParts(v cty.Value) bool { return v.IsKnown() && !v.IsNull() && v.CanIterateElements() }

// haveSameParts reports whether two values have parts at the same places. Elements of sets have no place.
func haveSameParts(a, b cty.Value) bool {
	return hasParts(a) && hasParts(b) && !a.Type().IsSetType() && a.LengthInt() == b.LengthInt() &&
		(!a.Type().IsMapType() || maps.EqualFunc(a.AsValueMap(), b.AsValueMap(), func(cty.Value, cty.Value) bool { return true }))
}
