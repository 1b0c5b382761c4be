package framework_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type inner struct {
	Replicas types.Int64 `tfsdk:"replicas"`
}

type outer struct {
	Name     types.String   `tfsdk:"name"`
	Labels   types.Map      `tfsdk:"labels"`
	Spec     types.Object   `tfsdk:"spec"`
	Ports    types.List     `tfsdk:"ports"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

func outerSchema(t *testing.T) schema.Schema {
	t.Helper()
	return schema.Schema{Attributes: framework.WithNestedTypes(map[string]schema.Attribute{
		"name":     schema.StringAttribute{Optional: true},
		"labels":   schema.MapAttribute{Optional: true, ElementType: types.StringType},
		"spec":     schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{"replicas": schema.Int64Attribute{Optional: true}}},
		"ports":    schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{"port": schema.Int64Attribute{Optional: true}}}},
		"timeouts": timeouts.Attributes(t.Context(), timeouts.Opts{Create: true}),
	})}
}

func specTypes() map[string]attr.Type { return map[string]attr.Type{"replicas": types.Int64Type} }

// TestReadAndWrite checks that models are converted as by the framework.
func TestReadAndWrite(t *testing.T) {
	t.Parallel()
	s := outerSchema(t)
	for name, model := range map[string]outer{
		"zero": {},
		"values": {
			Name: types.StringValue("a"), Labels: types.MapValueMust(types.StringType, map[string]attr.Value{"k": types.StringValue("v")}),
			Spec: types.ObjectValueMust(specTypes(), map[string]attr.Value{"replicas": types.Int64Value(2)}),
		},
		"unknown": {
			Name: types.StringUnknown(), Labels: types.MapUnknown(types.StringType), Spec: types.ObjectUnknown(specTypes()),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := tfsdk.Plan{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(t.Context()), nil)}
			if diags := framework.Write(t.Context(), s, &plan.Raw, model); diags.HasError() {
				t.Fatal(diags)
			}
			var byFramework, ours outer
			if diags := plan.Get(t.Context(), &byFramework); diags.HasError() {
				t.Fatal(diags)
			}
			if diags := framework.Read(t.Context(), s, plan.Raw, &ours); diags.HasError() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(byFramework, ours); diff != "" {
				t.Errorf("model (-framework +ours):\n%s", diff)
			}
			if !ours.Name.Equal(model.Name) || !ours.Labels.IsNull() && !ours.Labels.Equal(model.Labels) || !ours.Spec.IsNull() && !ours.Spec.Equal(model.Spec) {
				t.Errorf("read %v, want what was written: %v", ours, model)
			}
			again := tfsdk.Plan{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(t.Context()), nil)}
			if diags := again.Set(t.Context(), ours); diags.HasError() {
				t.Fatal(diags)
			}
			if !again.Raw.Equal(plan.Raw) {
				t.Errorf("wrote %s, want the same as the framework: %s", plan.Raw, again.Raw)
			}
		})
	}
}

// TestWriteChanged checks that a value that already contains the model isn't written.
func TestWriteChanged(t *testing.T) {
	t.Parallel()
	s := outerSchema(t)
	null := tftypes.NewValue(s.Type().TerraformType(t.Context()), nil)
	var a outer
	raw := null
	diags := framework.Write(t.Context(), s, &raw, outer{Name: types.StringValue("a")})
	diags.Append(framework.Read(t.Context(), s, raw, &a)...)
	if diags.HasError() {
		t.Fatal(diags)
	}
	b, unknown := a, a
	b.Name, unknown.Spec = types.StringValue("b"), types.ObjectUnknown(specTypes())
	for name, test := range map[string]struct {
		before, after outer
		wants         bool
	}{"equal": {a, a, false}, "changed": {a, b, true}, "unknown": {a, unknown, true}, "nothing known": {outer{}, a, true}} {
		raw := null
		if diags := framework.WriteChanged(t.Context(), s, &raw, test.before, test.after); diags.HasError() {
			t.Fatal(diags)
		}
		if written := !raw.IsNull(); written != test.wants {
			t.Errorf("%s: written = %t, want %t", name, written, test.wants)
		}
	}
}

func TestFromObject(t *testing.T) {
	t.Parallel()
	for name, object := range map[string]types.Object{"null": types.ObjectNull(specTypes()), "unknown": types.ObjectUnknown(specTypes())} {
		if got := framework.FromObject[inner](object); !got.Replicas.IsNull() {
			t.Errorf("%s: model = %v, want replicas null", name, got)
		}
	}
}

// TestUnfit checks that a model that doesn't fit the schema is refused with the name of the attribute.
func TestUnfit(t *testing.T) {
	t.Parallel()
	object := types.ObjectValueMust(specTypes(), map[string]attr.Value{"replicas": types.Int64Value(2)})
	type (
		otherType struct {
			Replicas types.String `tfsdk:"replicas"`
		}
		otherName struct {
			Size types.Int64 `tfsdk:"size"`
		}
		noValue struct {
			Replicas int `tfsdk:"replicas"`
		}
	)
	for name, test := range map[string]struct {
		convert func()
		want    string
	}{
		"another type":               {func() { framework.FromObject[otherType](object) }, `"replicas"`},
		"another name":               {func() { framework.FromObject[otherName](object) }, `"size"`},
		"written under another name": {func() { framework.ToObject(specTypes(), otherName{}) }, `"size"`},
		"written with another type": {func() {
			framework.ToObject(specTypes(), otherType{Replicas: types.StringValue("2")})
		}, "replicas"},
		"no value of the framework": {func() { framework.ToObject(specTypes(), noValue{}) }, `"replicas"`},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, test.want) {
					t.Errorf("%s: panic with %s, want one with %s", name, got, test.want)
				}
			}()
			test.convert()
		}()
	}
}
