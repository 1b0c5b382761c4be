package direct_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestValidateResourceConfig(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config   attributes
		isDirect bool
	}{
		"valid": {configured.with(attributes{
			"secret": "s", "mode": "fast", "requires": "mode", "json": "{}", "single": attributes{"key": "one"},
			"map": attributes{"a": attributes{"key": "one"}},
		}), true},
		"minimal":                    {attributes{"name": "chat"}, true},
		"null":                       {nil, false},
		"missing":                    {attributes{}, false},
		"read-only":                  {configured.with(attributes{"id": "7"}), false},
		"deprecated":                 {configured.with(attributes{"old": "7"}), false},
		"another attribute required": {configured.with(attributes{"requires": "mode"}), false},
		"no JSON":                    {configured.with(attributes{"json": "{"}), false},
		"too many":                   {configured.with(attributes{"list": []attributes{{"key": "one"}, {"key": "two"}, {"key": "three"}}}), false},
		"short in an object":         {configured.with(attributes{"single": attributes{"key": "1"}}), false},
		"short in a list":            {configured.with(attributes{"list": []attributes{{"key": "one"}, {"key": "1"}}}), false},
		"short in a map":             {configured.with(attributes{"map": attributes{"a": attributes{"key": "1"}}}), false},
		"null in a list":             {configured.with(attributes{"list": []attributes{nil}}), false},
		"missing in an object":       {configured.with(attributes{"single": attributes{}}), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, fake{}, 0, test.isDirect, func(s tfprotov6.ProviderServer, as map[string]tftypes.Type) (any, error) {
				return s.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
					TypeName: "fake_thing", Config: encoded(t, as["fake_thing"], test.config),
					ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
				})
			})
		})
	}
}

// TestValidateResourceConfig_unknown checks that unknown values are valid.
func TestValidateResourceConfig_unknown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"name", "mode", "json", "single", "list", "map", "tags", "size"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, fake{}, 0, true, func(s tfprotov6.ProviderServer, as map[string]tftypes.Type) (any, error) {
				return s.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
					TypeName: "fake_thing", Config: withUnknown(t, as["fake_thing"], name),
				})
			})
		})
	}
}

func TestValidateResourceConfig_others(t *testing.T) {
	t.Parallel()
	warn := func(_ resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
		resp.Diagnostics.AddWarning("Mind", "the gap")
	}
	secret := configured.with(attributes{"secret": "s"})
	for name, test := range map[string]struct {
		fake     fake
		resource string
		config   attributes
		isDirect bool
	}{
		"warning of the resource":                       {fake{validate: warn}, "fake_thing", configured, false},
		"unknown type":                                  {fake{}, "fake_other", configured, false},
		"without identity":                              {fake{}, "fake_plain", configured, true},
		"write-only value for a CLI that knows none":    {fake{}, "fake_thing", secret, false},
		"no write-only value for a CLI that knows none": {fake{}, "fake_thing", configured, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, test.fake, 0, test.isDirect, func(s tfprotov6.ProviderServer, as map[string]tftypes.Type) (any, error) {
				return s.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
					TypeName: test.resource, Config: encoded(t, as["fake_thing"], test.config),
				})
			})
		})
	}
}

// withUnknown returns a configuration with an unknown attribute.
func withUnknown(t *testing.T, as tftypes.Type, name string) *tfprotov6.DynamicValue {
	t.Helper()
	value, err := encoded(t, as, configured).Unmarshal(as)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]tftypes.Value
	if err := value.As(&all); err != nil {
		t.Fatal(err)
	}
	all[name] = tftypes.NewValue(all[name].Type(), tftypes.UnknownValue)
	unknown, err := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, all))
	if err != nil {
		t.Fatal(err)
	}
	return &unknown
}
