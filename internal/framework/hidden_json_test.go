package framework

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestHiddenJSON(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, test := range map[string]struct {
		value   HiddenJSON
		refused bool
	}{
		"null":     {NewHiddenJSONNull(), false},
		"unknown":  {HiddenJSON{jsontypes.NewNormalizedUnknown()}, false},
		"JSON":     {NewHiddenJSON(`{"a": "canary"}`), false},
		"no JSON":  {NewHiddenJSON(`{"a": "canary`), true},
		"too much": {NewHiddenJSON(`{} canary`), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := path.Root("inputs_json")
			var resp xattr.ValidateAttributeResponse
			test.value.ValidateAttribute(ctx, xattr.ValidateAttributeRequest{Path: at}, &resp)
			if !test.refused {
				if len(resp.Diagnostics) > 0 {
					t.Error(resp.Diagnostics)
				}
				return
			}
			if len(resp.Diagnostics) != 1 || strings.Contains(resp.Diagnostics[0].Detail(), "canary") {
				t.Errorf("diagnostics = %v, want one error without the value", resp.Diagnostics)
			}
		})
	}
	if same, diags := NewHiddenJSON(`{"a":1,"b":2}`).StringSemanticEquals(ctx, NewHiddenJSON(`{"b": 2, "a": 1}`)); !same || diags.HasError() {
		t.Errorf("StringSemanticEquals of the same JSON = %t, %v; want true", same, diags)
	}
	if same, _ := NewHiddenJSON(`{"a":1}`).StringSemanticEquals(ctx, NewHiddenJSON(`{"a":2}`)); same {
		t.Error("StringSemanticEquals of different JSON = true, want false")
	}
	a, b := NewHiddenJSON("1"), NewHiddenJSON("1")
	if !a.Equal(b) || a.Equal(types.StringValue("1")) || a.Equal(NewHiddenJSON("2")) || !(HiddenJSONType{}).Equal(a.Type(ctx)) || (HiddenJSONType{}).Equal(types.StringType) {
		t.Error("Equal of values or types is wrong")
	}
	value, err := HiddenJSONType{}.ValueFromTerraform(ctx, tftypes.NewValue(tftypes.String, "1"))
	if err != nil || !a.Equal(value) {
		t.Errorf("ValueFromTerraform = %v, %v; want the same value", value, err)
	}
	if _, err := (HiddenJSONType{}).ValueFromTerraform(ctx, tftypes.NewValue(tftypes.Bool, true)); err == nil {
		t.Error("ValueFromTerraform of a bool: error = nil, want one")
	}
	text, diags := HiddenJSONType{}.ValueFromString(ctx, types.StringValue("1"))
	if !a.Equal(text) || diags.HasError() {
		t.Errorf("ValueFromString = %v, %v; want the same value", text, diags)
	}
}
