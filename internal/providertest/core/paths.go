package core

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

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
