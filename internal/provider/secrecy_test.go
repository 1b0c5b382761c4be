package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestValidationQuotesNoSecrets gives every sensitive argument values that can't be right: what is wrong with them is said
// without them.
func TestValidationQuotesNoSecrets(t *testing.T) {
	t.Parallel()
	const canary = "canary-of-a-secret"
	texts := []string{canary, canary + "\n", " " + canary + " ", "{" + canary, `{"` + canary + `": 1}`, "\u202e" + canary, strings.Repeat(canary, 10_000)}
	p := start(t, nil)
	validate := map[string]func(name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error){
		"provider": func(_ string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			resp, err := p.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
			return resp.Diagnostics, err
		},
		"resource": func(name string, config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			resp, err := p.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
				TypeName: name, Config: config,
				ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
			})
			return resp.Diagnostics, err
		},
	}
	tried := 0
	for title, schema := range schemas(t) {
		kind, name, _ := strings.Cut(title, " ")
		call, is := validate[kind]
		if !is {
			continue
		}
		for _, a := range schema.Block.Attributes {
			if !a.Sensitive || !a.Optional && !a.Required {
				continue
			}
			var values []any
			for _, text := range texts {
				value := tftypes.NewValue(tftypes.String, text)
				if a.Type.Is(tftypes.String) {
					values = append(values, text)
				}
				if a.Type.Is(tftypes.Map{ElementType: tftypes.String}) {
					for _, key := range []string{"", "not a name", "A=B", "PORT", "LANGSMITH_API_KEY", "KEY"} {
						values = append(values, map[string]tftypes.Value{key: value})
					}
				}
			}
			if len(values) == 0 {
				t.Errorf("%s.%s has the type %s: no value of it is tried", title, a.Name, a.Type)
			}
			for _, value := range values {
				diags, err := call(name, p.encode(schema, settings{a.Name: value}))
				if err != nil {
					t.Fatal(err)
				}
				if said := text(diags); strings.Contains(said, canary) {
					t.Errorf("%s.%s: %.500s", title, a.Name, said)
				}
				tried++
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d values were tried", tried)
	}
}
