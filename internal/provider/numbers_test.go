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
// number and the bound; only those of a list have none.
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
	tried := 0
	for title, schema := range schemas(t) {
		kind, name, _ := strings.Cut(title, " ")
		for _, a := range attributes("", schema.Block.Attributes) {
			at := a.path[1:]
			if !a.Optional && !a.Required || a.NestedType != nil || !a.Type.Is(tftypes.Number) {
				continue
			}
			if validate[kind] == nil || strings.ContainsAny(at, "[{<") {
				t.Errorf("%s: %s is a number that the test doesn't reach", title, at)
				continue
			}
			for n, bound := range map[int64]string{-1_000_000: "minimum", 1 << 40: "maximum"} {
				tried++
				config := nested(schema.ValueType(), strings.Split(at, "."), n)
				encoded, err := tfprotov6.NewDynamicValue(schema.ValueType(), config)
				if err != nil {
					t.Fatal(err)
				}
				about := slices.DeleteFunc(validate[kind](name, &encoded), func(d *tfprotov6.Diagnostic) bool {
					return d.Severity != tfprotov6.DiagnosticSeverityError || written(d.Attribute) != at || !strings.Contains(d.Detail, fmt.Sprint(n))
				})
				if unbounded.MatchString(title + " " + at + " " + bound) {
					if len(about) > 0 {
						t.Errorf("%s: %s is refused, although it has no %s: %s", title, at, bound, text(about))
					}
					continue
				}
				want := regexp.MustCompile(fmt.Sprintf(`^%s is %d; the %s is \d+\.$`, regexp.QuoteMeta(at), n, bound))
				if len(about) != 1 || !want.MatchString(about[0].Detail) {
					t.Errorf("%s: %s is %d: told %q, want one error like %q", title, at, n, text(about), want)
				}
			}
		}
	}
	if tried == 0 {
		t.Error("no schema has numbers")
	}
}

// unbounded matches the bounds that numbers don't have.
var unbounded = regexp.MustCompile(`_wo_version |(max_results|expires_in_seconds|prompt_token_threshold) maximum$|resource_spec\.\w+ maximum$`)

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
