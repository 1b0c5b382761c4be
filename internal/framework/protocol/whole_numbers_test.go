package protocol

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestWithFractions passes configurations and diagnostics that withFractions must not make worse.
func TestWithFractions(t *testing.T) {
	t.Parallel()
	kind := types.ObjectType{AttrTypes: map[string]attr.Type{"count": types.Int64Type, "name": types.StringType}}
	config := func(count any) *tfprotov6.DynamicValue {
		ty := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"count": tftypes.Number, "name": tftypes.String}}
		v, err := tfprotov6.NewDynamicValue(ty, tftypes.NewValue(ty, map[string]tftypes.Value{
			"count": tftypes.NewValue(tftypes.Number, count), "name": tftypes.NewValue(tftypes.String, "a"),
		}))
		if err != nil {
			t.Fatal(err)
		}
		return &v
	}
	given := []*tfprotov6.Diagnostic{
		{Severity: tfprotov6.DiagnosticSeverityError, Summary: "wrong name", Attribute: tftypes.NewAttributePath().WithAttributeName("name")},
		{Severity: tfprotov6.DiagnosticSeverityError, Summary: "wrong count", Attribute: tftypes.NewAttributePath().WithAttributeName("count")},
		{Severity: tfprotov6.DiagnosticSeverityError, Summary: "the framework's own words"},
	}
	for name, test := range map[string]struct {
		kind   attr.Type
		config *tfprotov6.DynamicValue
		want   []string
	}{
		"no kind":        {nil, config(1.5), []string{"wrong name", "wrong count", "the framework's own words"}},
		"not decodable":  {kind, &tfprotov6.DynamicValue{MsgPack: []byte{0xc1}}, []string{"wrong name", "wrong count", "the framework's own words"}},
		"a whole number": {kind, config(2), []string{"wrong name", "wrong count", "the framework's own words"}},
		"no number":      {kind, config(nil), []string{"wrong name", "wrong count", "the framework's own words"}},
		"a fraction":     {kind, config(1.5), []string{"Invalid count", "wrong name"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range explained(t.Context(), given, test.kind, test.config) {
				got = append(got, d.Summary)
			}
			if len(got) != len(test.want) {
				t.Fatalf("diagnostics = %q, want %q", got, test.want)
			}
			for i := range got {
				if got[i] != test.want[i] {
					t.Errorf("diagnostics = %q, want %q", got, test.want)
				}
			}
		})
	}
}
