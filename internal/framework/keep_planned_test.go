package framework_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestKeepPlanned keeps known planned values, and takes all others from the response, also in nested objects.
func TestKeepPlanned(t *testing.T) {
	t.Parallel()
	kinds := map[string]attr.Type{"set": types.StringType, "open": types.StringType}
	object := func(set, open types.String) types.Object {
		return types.ObjectValueMust(kinds, map[string]attr.Value{"set": set, "open": open})
	}
	type model struct {
		Name   types.String
		Count  types.Int64
		Config types.Object
	}
	planned := model{types.StringValue("planned"), types.Int64Unknown(), object(types.StringNull(), types.StringUnknown())}
	answered := model{types.StringValue("answered"), types.Int64Value(3), object(types.StringValue("answered"), types.StringValue("answered"))}
	nothing := model{types.StringNull(), types.Int64Null(), types.ObjectNull(kinds)}
	unknown := model{types.StringValue("planned"), types.Int64Value(1), types.ObjectUnknown(kinds)}
	for name, test := range map[string]struct{ planned, answered, want model }{
		"answered":          {planned, answered, model{types.StringValue("planned"), types.Int64Value(3), object(types.StringNull(), types.StringValue("answered"))}},
		"nothing answered":  {planned, nothing, model{types.StringValue("planned"), types.Int64Null(), object(types.StringNull(), types.StringNull())}},
		"an unknown object": {unknown, answered, model{types.StringValue("planned"), types.Int64Value(1), answered.Config}},
		"a null object":     {nothing, answered, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, framework.KeepPlanned(t.Context(), test.planned, test.answered)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestOvertaken warns of configured attributes that the service returned differently, also in nested objects, and of no others.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	kinds := map[string]attr.Type{"set": types.StringType, "open": types.StringType}
	object := func(set, open types.String) types.Object {
		return types.ObjectValueMust(kinds, map[string]attr.Value{"set": set, "open": open})
	}
	type model struct {
		Name   types.String         `tfsdk:"name"`
		Secret types.String         `tfsdk:"secret_wo"`
		JSON   jsontypes.Normalized `tfsdk:"json"`
		Config types.Object         `tfsdk:"config"`
	}
	of := func(name, set, open types.String) model {
		return model{name, types.StringNull(), jsontypes.NewNormalizedValue(`{"a": 1}`), object(set, open)}
	}
	mine, theirs, null := types.StringValue("mine"), types.StringValue("theirs"), types.StringNull()
	config := of(mine, mine, null)
	config.Secret = mine
	other := of(mine, mine, theirs)
	other.JSON = jsontypes.NewNormalizedValue(`{"a":1}`)
	for name, test := range map[string]struct {
		config, planned, answered model
		want                      string
	}{
		"as planned, or not configured":  {config, of(mine, mine, types.StringUnknown()), other, ""},
		"another value, and one inside":  {config, of(mine, mine, null), of(theirs, theirs, null), "config.set, name"},
		"the service has no such object": {config, of(mine, mine, null), model{mine, null, config.JSON, types.ObjectNull(kinds)}, "config"},
		"nothing is configured":          {model{}, of(mine, mine, null), of(theirs, theirs, theirs), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := framework.Overtaken(t.Context(), "Listener blue", test.config, test.planned, test.answered)
			want := 0
			if test.want != "" {
				want = 1
			}
			if len(diags) != want || want > 0 && !strings.Contains(diags[0].Detail(), "other values for "+test.want+" than") {
				t.Errorf("diagnostics = %v, want one that names %q", diags, test.want)
			}
		})
	}
}
