package core

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// TestMismatches compares values whose parts must be compared, too.
func TestMismatches(t *testing.T) {
	t.Parallel()
	x, y, null, unknown := cty.StringVal("x"), cty.StringVal("y"), cty.NullVal(cty.String), cty.UnknownVal(cty.String)
	in := func(key string, v cty.Value) cty.Value { return cty.MapVal(map[string]cty.Value{key: v}) }
	set := func(vs ...cty.Value) cty.Value { return cty.SetVal(vs) }
	object := func(v cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"v": v}) }
	plan := func(planned, config cty.Value, writeOnly bool) []string {
		attributes := []*tfprotov6.SchemaAttribute{{Name: "v", Optional: true, WriteOnly: writeOnly}}
		return planMismatches(attributes, object(planned), object(config), cty.NullVal(object(config).Type()))
	}
	apply := func(planned, actual cty.Value) []string { return resultMismatches(object(planned), object(actual)) }
	for name, test := range map[string]struct {
		got  []string
		want int
	}{
		"plan of a map":                     {plan(in("k", x), in("k", x), false), 0},
		"plan of a map with another key":    {plan(in("l", null), in("k", x), false), 1},
		"plan of a set":                     {plan(set(unknown, y), set(unknown, y), false), 0},
		"plan of a set with unknown values": {plan(set(unknown), set(x), false), 1},
		"plan of a set with an unknown one": {plan(set(unknown, y), set(x, y), false), 1},
		"plan of a write-only value":        {plan(x, x, true), 1},
		"result of a map":                   {apply(in("k", unknown), in("k", x)), 0},
		"result of a map with another key":  {apply(in("k", unknown), in("l", x)), 1},
		"result of a set":                   {apply(set(unknown), set(x)), 0},
		"null as the result of a set":       {apply(set(unknown), cty.NullVal(cty.Set(cty.String))), 1},
	} {
		if len(test.got) != test.want {
			t.Errorf("%s: got %q, want %d", name, test.got, test.want)
		}
	}
}

func TestNestedBlocks(t *testing.T) {
	t.Parallel()
	nested := []*tfprotov6.SchemaNestedBlock{{TypeName: "nested", Block: &tfprotov6.SchemaBlock{}}}
	if _, err := newSchema(&tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{BlockTypes: nested}}); err == nil {
		t.Error("a schema with nested blocks was accepted")
	}
}
