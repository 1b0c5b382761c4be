package framework_test

import (
	"strings"
	"testing"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type item struct {
	Name types.String   `tfsdk:"name"`
	Tags []types.String `tfsdk:"tags"`
}

type filter struct {
	Only types.Bool `tfsdk:"only"`
}

type listing struct {
	filter
	Items  []item          `tfsdk:"items"`
	ByName map[string]item `tfsdk:"by_name"`
	Names  types.Set       `tfsdk:"names"`
	First  *item           `tfsdk:"first"`
}

func listingSchema() datasource.Schema {
	object := framework.ComputedObject(map[string]datasource.Attribute{
		"name": datasource.StringAttribute{Computed: true},
		"tags": datasource.ListAttribute{Computed: true, ElementType: types.StringType},
	})
	return datasource.Schema{Attributes: map[string]datasource.Attribute{
		"only":    datasource.BoolAttribute{Optional: true},
		"items":   datasource.ListNestedAttribute{Computed: true, NestedObject: object},
		"by_name": datasource.MapNestedAttribute{Computed: true, NestedObject: object},
		"names":   datasource.SetAttribute{Computed: true, ElementType: types.StringType},
		"first":   datasource.SingleNestedAttribute{Computed: true, Attributes: object.Attributes},
	}}
}

// TestWrite_nested checks that nested values of models are converted as by the framework.
func TestWrite_nested(t *testing.T) {
	t.Parallel()
	s := listingSchema()
	one := item{Name: types.StringValue("one"), Tags: []types.String{types.StringValue("a"), types.StringNull(), types.StringUnknown()}}
	for name, model := range map[string]listing{
		"zero":   {Names: types.SetNull(types.StringType)},
		"empty":  {Items: []item{}, ByName: map[string]item{}, Names: types.SetUnknown(types.StringType)},
		"values": {filter{types.BoolValue(true)}, []item{one, {}}, map[string]item{"one": one, "": {}}, types.SetNull(types.StringType), &one},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			byFramework := tfsdk.State{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(t.Context()), nil)}
			ours := byFramework.Raw
			if diags := byFramework.Set(t.Context(), model); diags.HasError() {
				t.Fatal(diags)
			}
			if diags := framework.Write(t.Context(), s, &ours, model); diags.HasError() {
				t.Fatal(diags)
			}
			if !ours.Equal(byFramework.Raw) {
				t.Errorf("wrote %s, want the same as the framework: %s", ours, byFramework.Raw)
			}
		})
	}
}

// TestWrite_unfit checks that a model that doesn't fit the schema is an error, and that nothing is written.
func TestWrite_unfit(t *testing.T) {
	t.Parallel()
	s := listingSchema()
	type otherItem struct {
		Name types.Int64    `tfsdk:"name"`
		Tags []types.String `tfsdk:"tags"`
	}
	for name, model := range map[string]any{
		"an attribute less": struct {
			filter
			Items  []item          `tfsdk:"items"`
			ByName map[string]item `tfsdk:"by_name"`
			First  *item           `tfsdk:"first"`
		}{},
		"an attribute more": struct {
			listing
			More types.Bool `tfsdk:"more"`
		}{},
		"another type in a list": struct {
			Items []otherItem `tfsdk:"items"`
		}{[]otherItem{{Name: types.Int64Value(1)}}},
		"another type in a map": struct {
			ByName map[string]otherItem `tfsdk:"by_name"`
		}{map[string]otherItem{"a": {Name: types.Int64Value(1)}}},
		"an object for a list": struct {
			Items item `tfsdk:"items"`
		}{},
		"a map for a list": struct {
			Items map[string]item `tfsdk:"items"`
		}{map[string]item{"a": {}}},
		"a list for a map": struct {
			ByName []item `tfsdk:"by_name"`
		}{[]item{{}}},
		"no value of the framework": struct {
			Only bool `tfsdk:"only"`
		}{},
	} {
		raw := tftypes.NewValue(s.Type().TerraformType(t.Context()), nil)
		diags := framework.Write(t.Context(), s, &raw, model)
		if diags.ErrorsCount() != 1 || !strings.Contains(diags[0].Detail(), "struct") {
			t.Errorf("%s: diagnostics = %v, want one error with the model", name, diags)
		}
		if !raw.IsNull() {
			t.Errorf("%s: wrote %s, want nothing", name, raw)
		}
	}
}
