package framework_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestBounds validates numbers of all types. An error names the attribute, the number and the bound.
func TestBounds(t *testing.T) {
	t.Parallel()
	at := path.Root("source_config").AtName("cpu")
	integer := func(b framework.Bounds, v types.Int64) diag.Diagnostics {
		var resp validator.Int64Response
		b.ValidateInt64(t.Context(), validator.Int64Request{Path: at, ConfigValue: v}, &resp)
		return resp.Diagnostics
	}
	float := func(b framework.Bounds, v types.Float64) diag.Diagnostics {
		var resp validator.Float64Response
		b.ValidateFloat64(t.Context(), validator.Float64Request{Path: at, ConfigValue: v}, &resp)
		return resp.Diagnostics
	}
	number := func(b framework.Bounds, v types.Number) diag.Diagnostics {
		var resp validator.NumberResponse
		b.ValidateNumber(t.Context(), validator.NumberRequest{Path: at, ConfigValue: v}, &resp)
		return resp.Diagnostics
	}
	whole := framework.WholeBetween(0, 20)
	huge, _ := new(big.Float).SetString("1e30")
	for name, test := range map[string]struct {
		diags diag.Diagnostics
		want  string
	}{
		"integer":             {integer(framework.AtLeast(1), types.Int64Value(0)), "source_config.cpu is 0; the minimum is 1."},
		"integer, minimum":    {integer(framework.AtLeast(1), types.Int64Value(1)), ""},
		"integer, large":      {integer(framework.AtLeast(1), types.Int64Value(1<<62)), ""},
		"integer, null":       {integer(framework.AtLeast(1), types.Int64Null()), ""},
		"integer, unknown":    {integer(framework.AtLeast(1), types.Int64Unknown()), ""},
		"integer, too large":  {integer(framework.Between(1, 1000), types.Int64Value(1001)), "source_config.cpu is 1001; the maximum is 1000."},
		"integer, maximum":    {integer(framework.Between(1, 1000), types.Int64Value(1000)), ""},
		"fraction":            {float(framework.AtLeast(0), types.Float64Value(-0.1)), "source_config.cpu is -0.1; the minimum is 0."},
		"fraction of a bound": {float(framework.Between(0.25, 2), types.Float64Value(0.125)), "source_config.cpu is 0.125; the minimum is 0.25."},
		"fraction, null":      {float(framework.AtLeast(0), types.Float64Null()), ""},
		"fraction, unknown":   {float(framework.AtLeast(0), types.Float64Unknown()), ""},
		"fraction, in bounds": {float(framework.AtLeast(0), types.Float64Value(0.5)), ""},
		"number":              {number(whole, types.NumberValue(big.NewFloat(21))), "source_config.cpu is 21; the maximum is 20."},
		"number, many digits": {number(whole, types.NumberValue(huge)), "source_config.cpu is 1e+30; the maximum is 20."},
		"number, a fraction":  {number(whole, types.NumberValue(big.NewFloat(1.5))), "source_config.cpu is 1.5; it must be a whole number from 0 to 20."},
		"number, in bounds":   {number(whole, types.NumberValue(big.NewFloat(20))), ""},
		"number, null":        {number(whole, types.NumberNull()), ""},
		"number, unknown":     {number(whole, types.NumberUnknown()), ""},
	} {
		var got []string
		for _, d := range test.diags {
			got = append(got, d.Detail())
			if located, ok := d.(diag.DiagnosticWithPath); !ok || !located.Path().Equal(at) || d.Severity() != diag.SeverityError {
				t.Errorf("%s: %v, want an error on the attribute", name, d)
			}
		}
		if got := strings.Join(got, "\n"); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	for want, b := range map[string]framework.Bounds{
		"must be a number from 0": framework.AtLeast(0), "must be a number from 1 to 9": framework.Between(1, 9), "must be a whole number from 0 to 20": whole,
	} {
		if got := b.Description(t.Context()); got != want || b.MarkdownDescription(t.Context()) != want {
			t.Errorf("described as %q, want %q", got, want)
		}
	}
}
