package functions

import (
	"context"
	"fmt"
	"maps"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// NewEffectiveResources fills the documented defaults into a resource_spec.
func NewEffectiveResources() function.Function {
	return spec{name: "effective_resources", run: ofOne(effectiveResources), definition: function.Definition{
		Summary: "Fills the documented defaults into a resource_spec",
		MarkdownDescription: "Returns a `resource_spec` with every documented default filled in: limits, the queue's " +
			"fields and the database's limits, if the fields from which they are derived are set. Use it to sum up and " +
			"check capacity in a plan. All other fields are returned unchanged.",
		Parameters: []function.Parameter{function.DynamicParameter{
			Name:                "resource_spec",
			MarkdownDescription: "An object with any of the fields of `source_config.resource_spec` of a deployment.",
		}},
		Return: function.DynamicReturn{},
	}}
}

func effectiveResources(argument types.Dynamic) (attr.Value, *function.FuncError) {
	given, ok := fields(argument.UnderlyingValue())
	if !ok {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The value is %s, not an object with fields such as cpu and memory_mb.",
			kindOf(argument.UnderlyingValue())))
	}
	for _, derived := range api.DerivedFields {
		if err := derive(given, derived); err != nil {
			return nil, function.NewArgumentFuncError(0, err.Error())
		}
	}
	attributeTypes := map[string]attr.Type{}
	for name, value := range given {
		attributeTypes[name] = value.Type(context.Background()) // Types of values don't use it.
	}
	return types.DynamicValue(types.ObjectValueMust(attributeTypes, given)), nil
}

// fields are those of an object, or of a map, which Terraform makes of an object when it is told to.
func fields(value attr.Value) (map[string]attr.Value, bool) {
	switch v := value.(type) {
	case types.Object:
		return maps.Clone(v.Attributes()), !v.IsNull()
	case types.Map:
		return maps.Clone(v.Elements()), !v.IsNull()
	}
	return nil, false
}

// derive fills a field in that is absent or null, if what it follows from is there. Base fields that are themselves derived
// come earlier in the table.
func derive(given map[string]attr.Value, rule api.DerivedField) error {
	if value, there := given[rule.Field]; there && !value.IsNull() {
		return nil
	}
	base, there := given[rule.From]
	if !there || base.IsNull() {
		return nil
	}
	number, ok := base.(types.Number)
	if !ok {
		return fmt.Errorf("%s must be a number, because %s is derived from it", rule.From, rule.Field)
	}
	given[rule.Field] = types.NumberValue(new(big.Float).Mul(number.ValueBigFloat(), new(big.Float).SetInt64(rule.Factor)))
	return nil
}
