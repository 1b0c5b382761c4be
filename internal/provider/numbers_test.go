package provider_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestNumbers sets every number of every schema far below and far above any bound. An error names the attribute with its whole path, the
// number and the bound.
func TestNumbers(t *testing.T) {
	t.Parallel()
	p := start(t, nil)
	validate := map[string]func(name string, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic{
		"provider": func(_ string, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			resp, err := p.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
			return told(t, resp, err).Diagnostics
		},
		"resource": func(name string, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			resp, err := p.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
			return told(t, resp, err).Diagnostics
		},
		"data": func(name string, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			resp, err := p.ValidateDataResourceConfig(t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			return told(t, resp, err).Diagnostics
		},
	}
	refused := map[string]int{}
	for title, schema := range schemas(t) {
		kind, name, _ := strings.Cut(title, " ")
		if validate[kind] == nil {
			continue
		}
		for _, a := range attributes("", schema.Block.Attributes) {
			at := a.path[1:]
			if !a.Optional && !a.Required || a.NestedType != nil || !a.Type.Is(tftypes.Number) || strings.ContainsAny(at, "[{<") {
				continue
			}
			for n, bound := range map[int64]string{-1_000_000: "minimum", 1 << 40: "maximum"} {
				config := nested(schema.ValueType(), strings.Split(at, "."), n)
				encoded, err := tfprotov6.NewDynamicValue(schema.ValueType(), config)
				if err != nil {
					t.Fatal(err)
				}
				about := slices.DeleteFunc(validate[kind](name, &encoded), func(d *tfprotov6.Diagnostic) bool {
					return d.Severity != tfprotov6.DiagnosticSeverityError || written(d.Attribute) != at || !strings.Contains(d.Detail, fmt.Sprint(n))
				})
				want := regexp.MustCompile(fmt.Sprintf(`^%s is %d; the %s is \d+\.$`, regexp.QuoteMeta(at), n, bound))
				for _, d := range about {
					refused[bound]++
					if !want.MatchString(d.Detail) {
						t.Errorf("%s: %s: %s: %q, want %q", title, at, d.Summary, d.Detail, want)
					}
				}
			}
		}
	}
	if refused["minimum"] < 35 || refused["maximum"] < 3 {
		t.Errorf("%v numbers were refused", refused)
	}
}

// told returns the response of a call.
func told[T any](t *testing.T, resp T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// nested returns an object in which all is null but the number at a path, and the objects on the way.
func nested(as tftypes.Type, at []string, n int64) tftypes.Value {
	object, ok := as.(tftypes.Object)
	if !ok {
		return tftypes.NewValue(as, n)
	}
	attributes := map[string]tftypes.Value{}
	for name, of := range object.AttributeTypes {
		attributes[name] = tftypes.NewValue(of, nil)
		if name == at[0] {
			attributes[name] = nested(of, at[1:], n)
		}
	}
	return tftypes.NewValue(object, attributes)
}
