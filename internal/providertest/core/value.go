package core

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

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

// ctyPath converts a path of the protocol to one of the language.
func ctyPath(from *tftypes.AttributePath) (cty.Path, error) {
	var path cty.Path
	for _, step := range from.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			path = path.GetAttr(string(step))
		case tftypes.ElementKeyString:
			path = path.IndexString(string(step))
		case tftypes.ElementKeyInt:
			path = path.IndexInt(int(step))
		default:
			return nil, fmt.Errorf("the path %s leads into a set", from)
		}
	}
	return path, nil
}

// unknownPaths are the places where a value is unknown.
func unknownPaths(v cty.Value) []string {
	var found []string
	_ = cty.Walk(v, func(at cty.Path, v cty.Value) (bool, error) { // It has no errors of its own.
		if !v.IsKnown() {
			found = append(found, pathText(at))
		}
		return true, nil
	})
	return found
}

func pathText(at cty.Path) string {
	var text strings.Builder
	for _, step := range at {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text.WriteString("." + step.Name)
		case cty.IndexStep:
			text.WriteString(elementKey(step.Key))
		}
	}
	return text.String()
}

// changedAt reports whether two values differ, or may differ, at a path.
func changedAt(path cty.Path, before, after cty.Value) bool {
	was, err := path.Apply(before)
	if err != nil {
		return true
	}
	is, err := path.Apply(after)
	return err != nil || !was.RawEquals(is)
}

// plain is a value as JSON has it. Unknown attributes are left out.
func plain(v cty.Value) any {
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() {
		return nil
	}
	switch ty := v.Type(); {
	case ty == cty.String:
		return v.AsString()
	case ty == cty.Bool:
		return v.True()
	case ty == cty.Number:
		return json.Number(v.AsBigFloat().Text('f', -1))
	case ty.IsObjectType() || ty.IsMapType():
		members := map[string]any{}
		for name, member := range v.AsValueMap() {
			if member.IsKnown() {
				members[name] = plain(member)
			}
		}
		return members
	}
	all := []any{}
	for _, element := range v.AsValueSlice() {
		all = append(all, plain(element))
	}
	return all
}
