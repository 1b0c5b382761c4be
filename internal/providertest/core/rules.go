package core

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// planMismatches are the places where a plan differs from the configuration without being computed. Core
// rejects such a plan as invalid.
func planMismatches(attributes []*tfprotov6.SchemaAttribute, at string, planned, config, prior cty.Value) []string {
	var wrong []string
	for _, a := range attributes {
		wrong = append(wrong, attributeMismatches(a, at+"."+a.Name, child(planned, a.Name), child(config, a.Name), child(prior, a.Name))...)
	}
	return wrong
}

func attributeMismatches(a *tfprotov6.SchemaAttribute, at string, planned, config, prior cty.Value) []string {
	switch {
	case a.WriteOnly:
		if !planned.IsKnown() || !planned.IsNull() {
			return []string{at + ": a write-only value is planned"}
		}
		return nil
	case planned.RawEquals(config):
		return nil
	case !config.IsNull() && !prior.IsNull() && planned.RawEquals(prior):
		return nil // It means the same.
	case a.Computed && config.IsNull():
		return nil
	case a.NestedType == nil || config.IsNull() || !config.IsKnown() || planned.IsNull() || !planned.IsKnown():
		return []string{fmt.Sprintf("%s: %#v is planned and %#v is configured", at, planned, config)}
	}
	configured, before, wanted := elements(config), elements(prior), elements(planned)
	if !slices.Equal(sortedKeys(configured), sortedKeys(wanted)) {
		return []string{fmt.Sprintf("%s: elements %q are planned and %q are configured", at, sortedKeys(wanted), sortedKeys(configured))}
	}
	var wrong []string
	for key, element := range wanted {
		had, ok := before[key]
		if !ok {
			had = cty.NullVal(element.Type())
		}
		wrong = append(wrong, planMismatches(a.NestedType.Attributes, at+key, element, configured[key], had)...)
	}
	return wrong
}

// resultMismatches are the places where a value differs from the plan. Unknown values may become anything.
func resultMismatches(at string, planned, actual cty.Value) []string {
	differ := func(format string, args ...any) []string { return []string{at + ": " + fmt.Sprintf(format, args...)} }
	ty := planned.Type()
	switch {
	case !planned.IsKnown():
		return nil
	case !actual.IsKnown():
		return differ("was known, but now unknown")
	case planned.IsNull() != actual.IsNull():
		return differ("was null: %t, but now null: %t", planned.IsNull(), actual.IsNull())
	case planned.IsNull():
		return nil
	case !ty.IsObjectType() && !ty.IsMapType() && !ty.IsListType():
		// Elements of sets have no place at which to compare them.
		if planned.IsWhollyKnown() && !planned.RawEquals(actual) {
			return differ("was %#v, but now %#v", planned, actual)
		}
		return nil
	case ty.IsObjectType():
		var wrong []string
		for name := range ty.AttributeTypes() {
			wrong = append(wrong, resultMismatches(at+"."+name, planned.GetAttr(name), actual.GetAttr(name))...)
		}
		return wrong
	}
	wanted, got := elements(planned), elements(actual)
	if !slices.Equal(sortedKeys(wanted), sortedKeys(got)) {
		return differ("had the elements %q, but now %q", sortedKeys(wanted), sortedKeys(got))
	}
	var wrong []string
	for key, element := range wanted {
		wrong = append(wrong, resultMismatches(at+key, element, got[key])...)
	}
	return wrong
}

// returnedWriteOnly are the write-only attributes that are set, which no response of a provider may contain.
func returnedWriteOnly(attributes []*tfprotov6.SchemaAttribute, at string, v cty.Value) []string {
	var wrong []string
	for key, object := range elements(v) {
		for _, a := range attributes {
			value := object.GetAttr(a.Name)
			if a.WriteOnly && !value.IsNull() {
				wrong = append(wrong, at+key+"."+a.Name+": a write-only value was returned")
			}
			if a.NestedType != nil {
				wrong = append(wrong, returnedWriteOnly(a.NestedType.Attributes, at+key+"."+a.Name, value)...)
			}
		}
	}
	return wrong
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
