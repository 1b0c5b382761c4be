package core

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// planMismatches are the places where a plan differs from the configuration without being computed. Core
// rejects such a plan as invalid.
func planMismatches(attributes []*tfprotov6.SchemaAttribute, planned, config, prior cty.Value) []string {
	wrong := writeOnlyValues(attributes, planned)
	return append(wrong, differences(planned, func(at cty.Path, is cty.Value) (bool, cty.Value) {
		configured, a := valueAt(at, config, is.Type()), attributeAt(attributes, at)
		switch {
		case a == nil:
			return false, configured
		case a.WriteOnly: // No value is allowed, not even the configured one.
			return true, configured
		case configured.IsNull():
			return a.Computed, configured
		}
		had := valueAt(at, prior, is.Type())
		return !had.IsNull() && is.RawEquals(had), configured // It means the same.
	})...)
}

// resultMismatches are the places where a value differs from the plan. Unknown values may become anything. Elements of sets have no
// place at which to compare them.
func resultMismatches(planned, actual cty.Value) []string {
	return differences(planned, func(at cty.Path, was cty.Value) (bool, cty.Value) {
		now := valueAt(at, actual, was.Type())
		return !was.IsKnown() || was.Type().IsSetType() && !was.IsWhollyKnown() && hasParts(now), now
	})
}

// differences are the places where a planned value isn't the other one that compare returns, unless that doesn't matter there.
func differences(planned cty.Value, compare func(cty.Path, cty.Value) (ignored bool, other cty.Value)) []string {
	var wrong []string
	_ = cty.Walk(planned, func(at cty.Path, is cty.Value) (deeper bool, _ error) { // It has no errors of its own.
		ignored, other := compare(at, is)
		switch {
		case ignored || is.RawEquals(other):
			return false, nil
		case haveSameParts(is, other):
			return true, nil
		}
		wrong = append(wrong, fmt.Sprintf("%s: %#v is planned, not %#v", pathText(at), is, other))
		return false, nil
	})
	return wrong
}

// objectFlaws are the places in an object where a provider returned what no object of a state has: an unknown value, or one of a
// write-only attribute.
func objectFlaws(attributes []*tfprotov6.SchemaAttribute, v cty.Value) []string {
	wrong := writeOnlyValues(attributes, v)
	for at, value := range cty.DeepValues(v) {
		if !value.IsKnown() {
			wrong = append(wrong, pathText(at)+": still unknown")
		}
	}
	return wrong
}

// writeOnlyValues are the places of write-only attributes that aren't null.
func writeOnlyValues(attributes []*tfprotov6.SchemaAttribute, v cty.Value) (wrong []string) {
	for at, value := range cty.DeepValues(v) {
		if a := attributeAt(attributes, at); a != nil && a.WriteOnly && !value.IsNull() {
			wrong = append(wrong, pathText(at)+": a write-only value was returned")
		}
	}
	return wrong
}
