package framework_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestOneOf tries combinations of three attributes, the first of which has the validator.
func TestOneOf(t *testing.T) {
	t.Parallel()
	attributes := map[string]schema.Attribute{}
	for _, name := range []string{"id", "name", "path"} {
		attributes[name] = schema.StringAttribute{Optional: true}
	}
	s := schema.Schema{Attributes: attributes}
	const none, both = "Invalid Attribute Combination", "Invalid Attribute Combination"
	unknown := tftypes.UnknownValue
	for name, test := range map[string]struct {
		id, name, path   any
		exactly, atLeast string
	}{
		"none":                 {nil, nil, nil, none, none},
		"the first":            {"a", nil, nil, "", ""},
		"the last":             {nil, nil, "a", "", ""},
		"two":                  {"a", "b", nil, both, ""},
		"two others":           {nil, "a", "b", both, ""},
		"all":                  {"a", "b", "c", both, ""},
		"one that is unknown":  {unknown, nil, nil, "", ""},
		"unknown beside known": {unknown, "a", nil, "", ""},
		"unknown after known":  {"a", nil, unknown, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := tfsdk.Config{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(t.Context()), map[string]tftypes.Value{
				"id": tftypes.NewValue(tftypes.String, test.id), "name": tftypes.NewValue(tftypes.String, test.name),
				"path": tftypes.NewValue(tftypes.String, test.path),
			})}
			for want, v := range map[*string]validator.String{
				&test.exactly: framework.ExactlyOneOf("id", "name", "path"), &test.atLeast: framework.AtLeastOneOf("id", "name", "path"),
			} {
				var resp validator.StringResponse
				v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("id"), Config: config}, &resp)
				var summaries []string
				for _, d := range resp.Diagnostics {
					summaries = append(summaries, d.Summary())
					if !strings.Contains(d.Detail(), "id, name and path must be set") {
						t.Errorf("detail = %s, want it to list all attributes", d.Detail())
					}
				}
				if got := strings.Join(summaries, ", "); got != *want {
					t.Errorf("%s: got %q, want %q", v.Description(t.Context()), got, *want)
				}
			}
		})
	}
}
