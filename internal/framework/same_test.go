package framework_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestSame compares each value with all others of its type, and expects the same result as from tftypes.
func TestSame(t *testing.T) {
	t.Parallel()
	text := tftypes.String
	list, set, dictionary := tftypes.List{ElementType: text}, tftypes.Set{ElementType: text}, tftypes.Map{ElementType: text}
	tuple := tftypes.Tuple{ElementTypes: []tftypes.Type{text, tftypes.Number}}
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"a": text, "b": list}}
	of := func(words ...string) []tftypes.Value {
		values := []tftypes.Value{}
		for _, word := range words {
			values = append(values, tftypes.NewValue(text, word))
		}
		return values
	}
	for _, as := range []struct {
		ty     tftypes.Type
		values []any
	}{
		{text, []any{"", "a", "b"}},
		{tftypes.Bool, []any{true, false}},
		{tftypes.Number, []any{0, 1, 1.5, int64(1) << 60}},
		{list, []any{of(), of("a"), of("b"), of("a", "b"), of("b", "a")}},
		{set, []any{of(), of("a"), of("a", "b")}},
		{tuple, []any{
			[]tftypes.Value{tftypes.NewValue(text, "a"), tftypes.NewValue(tftypes.Number, 1)},
			[]tftypes.Value{tftypes.NewValue(text, "a"), tftypes.NewValue(tftypes.Number, 2)},
		}},
		{dictionary, []any{
			map[string]tftypes.Value{}, map[string]tftypes.Value{"a": tftypes.NewValue(text, "1")},
			map[string]tftypes.Value{"b": tftypes.NewValue(text, "1")}, map[string]tftypes.Value{"a": tftypes.NewValue(text, nil)},
		}},
		{object, []any{
			map[string]tftypes.Value{"a": tftypes.NewValue(text, "1"), "b": tftypes.NewValue(list, of("x"))},
			map[string]tftypes.Value{"a": tftypes.NewValue(text, "1"), "b": tftypes.NewValue(list, of("y"))},
			map[string]tftypes.Value{"a": tftypes.NewValue(text, "1"), "b": tftypes.NewValue(list, tftypes.UnknownValue)},
		}},
		{tftypes.DynamicPseudoType, []any{}},
	} {
		for i, one := range append(as.values, nil, tftypes.UnknownValue) {
			for j, other := range append(as.values, nil, tftypes.UnknownValue) {
				a, b := tftypes.NewValue(as.ty, one), tftypes.NewValue(as.ty, other)
				if got := framework.Same(a, b); got != (i == j) || got != a.Equal(b) {
					t.Errorf("Same(%s, %s) = %t, want %t", a, b, got, i == j)
				}
			}
		}
	}
	if framework.Same(tftypes.NewValue(tftypes.Number, 2), tftypes.NewValue(tftypes.Number, 2.0)) {
		t.Error("Same of numbers of different precision = true, want false")
	}
	// The framework may reorder the elements of a set, so Same leaves sets to the framework.
	if framework.Same(tftypes.NewValue(set, of("a", "b")), tftypes.NewValue(set, of("b", "a"))) {
		t.Error("Same of sets in different orders = true, want false")
	}
}
