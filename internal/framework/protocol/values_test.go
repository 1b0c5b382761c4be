package protocol

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestExplained sets null elements, in collections of each kind, and has errors of the framework reworded.
func TestExplained(t *testing.T) {
	t.Parallel()
	text := types.StringType
	kind := types.ObjectType{AttrTypes: map[string]attr.Type{
		"list": types.ListType{ElemType: text}, "set": types.SetType{ElemType: text}, "map": types.MapType{ElemType: text},
		"objects":  types.ListType{ElemType: types.ObjectType{AttrTypes: map[string]attr.Type{"tags": types.MapType{ElemType: text}}}},
		"triggers": types.MapType{ElemType: text}, "timeout": text, "count": types.Int64Type,
	}}
	framework := func(summary, attribute, detail string) *tfprotov6.Diagnostic {
		return &tfprotov6.Diagnostic{
			Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail, Attribute: tftypes.NewAttributePath().WithAttributeName(attribute),
		}
	}
	for name, test := range map[string]struct {
		config string
		given  []*tfprotov6.Diagnostic
		want   []string
	}{
		"nothing": {`{}`, nil, nil},
		"a list":  {`{"list": ["a", null]}`, nil, []string{`list[1] is null: omit it.`}},
		"a set":   {`{"set": ["a", null]}`, nil, []string{`An element of set is null: omit it.`}},
		"a map":   {`{"map": {"sha": null, "\"": null}}`, nil, []string{`map["\""] is null: omit it.`, `map["sha"] is null: omit it.`}},
		"an object": {
			`{"objects": [null, {"tags": {"a": null}}]}`, nil,
			[]string{`objects[0] is null: omit it.`, `objects[1].tags["a"] is null: omit it.`},
		},
		"triggers": {`{"triggers": {"a": null}}`, nil, nil},
		"the framework's errors of the same attribute": {
			`{"list": [null], "timeout": "60"}`,
			[]*tfprotov6.Diagnostic{framework("Value Conversion Error", "list", "a bug"), framework("Wrong", "timeout", "60"), {Summary: "nowhere"}},
			[]string{`list[0] is null: omit it.`, "60"},
		},
		"a duration": {
			`{"timeout": "60"}`, []*tfprotov6.Diagnostic{framework("Invalid Time Duration String Value", "timeout", `\n\n`)},
			[]string{`timeout is "60"; write a duration with units, such as 90s or 1h30m.`},
		},
		"a missing value": {
			`{}`, []*tfprotov6.Diagnostic{framework("Missing Configuration for Required Attribute", "timeout", "ask the developers")},
			[]string{"timeout is required: set it."},
		},
		"a fraction": {
			`{"count": 1.5}`, []*tfprotov6.Diagnostic{framework("Wrong", "list", "short"), framework("Value Conversion Error", "count", "a bug"), {Severity: tfprotov6.DiagnosticSeverityError, Detail: "a bug"}},
			[]string{"count is 1.5; it must be a whole number of at most 64 bits.", "short"},
		},
		"a whole number":      {`{"count": 2}`, []*tfprotov6.Diagnostic{framework("Wrong", "count", "high")}, []string{"high"}},
		"not decodable":       {`{`, []*tfprotov6.Diagnostic{framework("Wrong", "count", "high")}, []string{"high"}},
		"an element of a set": {`{}`, []*tfprotov6.Diagnostic{framework("Wrong", "set", `set[Value("a\"b")] is short`)}, []string{`set["a\"b"] is short`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range explained(t.Context(), test.given, kind, &tfprotov6.DynamicValue{JSON: []byte(test.config)}) {
				got = append(got, d.Detail)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNullElements_unknown expects nothing to be told of what isn't known yet.
func TestNullElements_unknown(t *testing.T) {
	t.Parallel()
	list := tftypes.List{ElementType: tftypes.String}
	for _, value := range []any{tftypes.UnknownValue, []tftypes.Value{tftypes.NewValue(tftypes.String, tftypes.UnknownValue)}} {
		object := tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"ids": list}}, map[string]tftypes.Value{
			"ids": tftypes.NewValue(list, value),
		})
		if found := nullElements(object); len(found) > 0 {
			t.Errorf("%v: %s", value, found[0].Detail)
		}
	}
}
