package protocol

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// explainValues explains values that no attribute can have, whatever its schema: null elements of lists and maps, and fractions where
// integers belong. The framework calls them bugs of the provider. It also rewords what the framework says of missing values,
// durations and invalid JSON, and ends no error of a function with a full stop, because Terraform adds one.
func (s *Server) explainValues(ctx context.Context, c *call, next answerer) (any, error) {
	answer, err := next(ctx)
	if err != nil {
		return answer, err
	}
	if called, ok := answer.(*tfprotov6.CallFunctionResponse); ok && called.Error != nil {
		called.Error.Text = strings.TrimSuffix(called.Error.Text, ".")
	}
	if diags := diagnosticsOf(answer); diags != nil {
		*diags = s.explained(ctx, *diags, c)
	}
	return answer, nil
}

// diagnosticsOf returns where the response to a validation has its diagnostics, and nil for other responses.
func diagnosticsOf(answer any) *[]*tfprotov6.Diagnostic {
	switch resp := answer.(type) {
	case *tfprotov6.ValidateProviderConfigResponse:
		return &resp.Diagnostics
	case *tfprotov6.ValidateResourceConfigResponse:
		return &resp.Diagnostics
	case *tfprotov6.ValidateDataResourceConfigResponse:
		return &resp.Diagnostics
	case *tfprotov6.ValidateEphemeralResourceConfigResponse:
		return &resp.Diagnostics
	case *tfprotov6.ValidateListResourceConfigResponse:
		return &resp.Diagnostics
	case *tfprotov6.ValidateActionConfigResponse:
		return &resp.Diagnostics
	}
	return nil
}

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }

// explained explains the diagnostics of the configuration of a call.
func (s *Server) explained(ctx context.Context, diags []*tfprotov6.Diagnostic, c *call) []*tfprotov6.Diagnostic {
	found := s.provider.find(ctx, c.subject)
	if found == nil || c.config == nil {
		return diags
	}
	return explained(ctx, diags, found.config, c.config)
}

// explained returns the diagnostics of a configuration, in which those of an attribute are replaced if it has a value that no
// attribute can have. The framework reports these on the attribute of the configuration that they are in, or on none.
func explained(ctx context.Context, diags []*tfprotov6.Diagnostic, kind attr.Type, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
	value, err := config.Unmarshal(kind.TerraformType(ctx))
	if err != nil {
		return diags
	}
	found := nullElements(value)
	if slices.ContainsFunc(diags, isError) {
		found = append(found, fractions(kind, value, tftypes.NewAttributePath())...)
	}
	told := found
	for _, d := range diags {
		if len(found) == 0 || d.Attribute != nil && !slices.ContainsFunc(found, func(f *tfprotov6.Diagnostic) bool {
			return f.Attribute.Steps()[0].Equal(d.Attribute.Steps()[0])
		}) {
			reword(d, value)
			told = append(told, d)
		}
	}
	return told
}

// reword changes what the framework and its types say for developers.
func reword(d *tfprotov6.Diagnostic, config tftypes.Value) {
	name := dotted(d.Attribute)
	d.Detail = elementOfSet.ReplaceAllString(d.Detail, "[$1]")
	switch d.Summary {
	case "Missing Configuration for Required Attribute":
		d.Summary, d.Detail = "Missing "+name, name+" is required: set it."
	case "Invalid Time Duration String Value":
		text, _ := textAt(config, d.Attribute)
		d.Summary, d.Detail = "Invalid "+name, fmt.Sprintf("%s is %s; write a duration with units, such as 90s or 1h30m.", name, text)
	case "Invalid JSON String Value": // The value, which may contain secrets, is not quoted.
		d.Summary, d.Detail = "Invalid "+name, name+" is not valid JSON (RFC 8259). Write it with jsonencode."
	}
}

// elementOfSet matches the framework's way to write the place of an element of a set.
var elementOfSet = regexp.MustCompile(`\[Value\(("(?:[^"\\]|\\.)*")\)]`)

// comparedOnly is the argument whose elements may be null: it is only compared, and never sent.
const comparedOnly = tftypes.AttributeName("triggers")

// nullElements returns an error for each null element of a list, set or map in a configuration, sorted by path.
func nullElements(config tftypes.Value) []*tfprotov6.Diagnostic {
	var found []*tfprotov6.Diagnostic
	_ = tftypes.Walk(config, func(here *tftypes.AttributePath, value tftypes.Value) (bool, error) { // Its only error would be that of this function.
		last, isRoot := here.LastStep(), len(here.Steps()) == 0
		if _, inObject := last.(tftypes.AttributeName); isRoot || inObject || !value.IsNull() {
			return isRoot || len(here.Steps()) > 1 || !last.Equal(comparedOnly), nil
		}
		at := here.WithoutLastStep()
		told := &tfprotov6.Diagnostic{
			Severity: tfprotov6.DiagnosticSeverityError, Attribute: here, Summary: "Invalid " + dotted(at), Detail: dotted(here) + " is null: omit it.",
		}
		if _, ofSet := last.(tftypes.ElementKeyValue); ofSet {
			told.Attribute, told.Detail = at, "An element of "+dotted(at)+" is null: omit it."
		}
		found = append(found, told)
		return true, nil
	})
	slices.SortFunc(found, func(a, b *tfprotov6.Diagnostic) int { return cmp.Compare(a.Detail, b.Detail) })
	return found
}

// dotted is a path as users write it.
func dotted(at *tftypes.AttributePath) string {
	var b strings.Builder
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(string(step))
		case tftypes.ElementKeyString:
			b.WriteString("[" + strconv.Quote(string(step)) + "]")
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&b, "[%d]", int64(step))
		}
	}
	return b.String()
}

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
