package provider

import (
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// fractions returns an error for each number in an object, and in the objects in it, that isn't whole or has more than 64
// bits, and shouldn't. No schema has integers in lists or maps that users write.
func fractions(kind attr.Type, value tftypes.Value, at *tftypes.AttributePath) []*tfprotov6.Diagnostic {
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	var found []*tfprotov6.Diagnostic
	switch kind := kind.(type) {
	case basetypes.Int64Typable:
		var number big.Float
		_ = value.As(&number)
		if _, accuracy := number.Int64(); accuracy != big.Exact {
			name := dotted(at)
			found = append(found, &tfprotov6.Diagnostic{
				Severity: tfprotov6.DiagnosticSeverityError, Attribute: at, Summary: "Invalid " + name,
				Detail: fmt.Sprintf("%s is %s; it must be a whole number of at most 64 bits.", name, framework.NumberText(&number)),
			})
		}
	case attr.TypeWithAttributeTypes:
		var attributes map[string]tftypes.Value
		_ = value.As(&attributes)
		for name, child := range kind.AttributeTypes() {
			found = append(found, fractions(child, attributes[name], at.WithAttributeName(name))...)
		}
	}
	return found
}
