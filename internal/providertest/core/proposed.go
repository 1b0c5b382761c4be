package core

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// proposedNew is what Terraform proposes to a provider: the configuration, with prior values of what is computed where
// the configuration says nothing.
func proposedNew(attributes []*tfprotov6.SchemaAttribute, prior, config cty.Value) cty.Value {
	proposed, _ := cty.Transform(config, func(at cty.Path, configured cty.Value) (cty.Value, error) { // It has no errors of its own.
		a := attributeAt(attributes, at)
		if a == nil || !a.Computed || !configured.IsNull() {
			return configured, nil
		}
		had := valueAt(at, prior, configured.Type())
		if a.Optional && a.NestedType != nil && configurable(a.NestedType.Attributes, had) {
			return configured, nil // It is no longer configured.
		}
		return had, nil
	})
	return proposed
}

// configurable reports whether an object contains a value that the provider can't have computed.
func configurable(attributes []*tfprotov6.SchemaAttribute, v cty.Value) bool {
	for at, value := range cty.DeepValues(v) {
		if a := attributeAt(attributes, at); a != nil && !a.Computed && !value.IsNull() {
			return true
		}
	}
	return false
}
