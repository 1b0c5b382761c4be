package frameworktest

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// StringCases are validators by name, with valid and invalid values. Null and unknown are always valid.
type StringCases = map[string]struct {
	Validator   validator.String
	Good, Wrong []string
}

// CheckStrings runs validators. Each invalid value must cause one error, which says what the value must be.
func CheckStrings(t *testing.T, cases StringCases) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pass := []types.String{types.StringNull(), types.StringUnknown()}
			for _, value := range c.Good {
				pass = append(pass, types.StringValue(value))
			}
			for _, value := range pass {
				if diags := Validate(t, c.Validator, value); len(diags) > 0 {
					t.Errorf("%s is refused: %s", value, Lines(diags))
				}
			}
			must := c.Validator.Description(t.Context())
			if must == "" || c.Validator.MarkdownDescription(t.Context()) != must {
				t.Errorf("described as %q", must)
			}
			for _, value := range c.Wrong {
				diags := Validate(t, c.Validator, types.StringValue(value))
				if len(diags) != 1 || !strings.HasPrefix(Lines(diags)[0], "error at: ") || !strings.Contains(diags[0].Detail(), must) {
					t.Errorf("%q: want one error that says %q, got %v", value, must, diags)
				}
			}
		})
	}
}

// Validate returns the diagnostics of a validator for a value of the attribute "at".
func Validate(t *testing.T, v validator.String, value types.String) diag.Diagnostics {
	t.Helper()
	var resp validator.StringResponse
	v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("at"), ConfigValue: value}, &resp)
	return resp.Diagnostics
}
