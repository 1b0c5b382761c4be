package resourcespec

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// ordered are the lists whose order has a meaning in Kubernetes.
var ordered = []string{"init_containers", "command", "args", "envFrom"}

// listsIn returns the names of all lists of a type in requests.
func listsIn(t attr.Type, name string, wire func(string) string) []string {
	var lists []string
	switch t := t.(type) {
	case basetypes.ListType:
		lists = append(listsIn(t.ElemType, name, wireName), wire(name))
	case basetypes.ObjectType:
		for name, of := range t.AttrTypes {
			lists = append(lists, listsIn(of, name, wireName)...)
		}
	}
	return lists
}

// reversed returns JSON in which the lists of these names have the reverse order, and reports whether that makes a difference.
func reversed(t *testing.T, tree any, names []string) (any, bool) {
	t.Helper()
	changed := false
	switch v := tree.(type) {
	case map[string]any:
		for name, member := range v {
			inside, different := reversed(t, member, names)
			if list, ok := inside.([]any); ok && slices.Contains(names, name) {
				before := jsonOf(t, list)
				slices.Reverse(list)
				different = different || before != jsonOf(t, list)
			}
			v[name], changed = inside, changed || different
		}
	case []any:
		for i := range v {
			inside, different := reversed(t, v[i], names)
			v[i], changed = inside, changed || different
		}
	}
	return tree, changed
}

// TestOrder returns generated specs with lists in another order. Where that has no meaning, the state keeps its own order, and a write that
// sends it is proved; a configuration in another order is a change all the same.
func TestOrder(t *testing.T) {
	t.Parallel()
	var free []string
	for name, of := range Types() {
		free = append(free, listsIn(of, name, func(name string) string { return name })...)
	}
	free = slices.DeleteFunc(free, func(name string) bool { return slices.Contains(ordered, name) })
	counts := map[bool]int{}
	for _, meaningful := range []bool{false, true} {
		eachSpec(t, 200, false, func(t *testing.T, _ int64, written types.Object) {
			t.Helper()
			sent, _, diags := ToAPI(written)
			frameworktest.NoDiags(t, diags)
			var tree any
			decoder := json.NewDecoder(strings.NewReader(jsonOf(t, sent)))
			decoder.UseNumber()
			if err := decoder.Decode(&tree); err != nil {
				t.Fatal(err)
			}
			tree, changed := reversed(t, tree, map[bool][]string{false: free, true: ordered}[meaningful])
			if !changed {
				return
			}
			counts[meaningful]++
			current := specOf(t, jsonOf(t, tree))
			read := FromAPI(written, &current, false)
			if read.Equal(written) == meaningful {
				t.Errorf("order has a meaning: %t, but the refresh gives (-written +read):\n%s", meaningful, cmp.Diff(written, read))
			}
			if Differ(sent, current) != meaningful {
				t.Errorf("Differ = %t, want %[1]t:\n%s\n%s", !meaningful, jsonOf(t, sent), jsonOf(t, current))
			}
			planned := Whole(current)
			if fields, _ := Changes(planned, written, nil); len(fields) == 0 {
				t.Errorf("a reorder in the configuration changes nothing:\n%s\n%s", jsonOf(t, current), jsonOf(t, sent))
			}
		})
	}
	if counts[false] < 20 || counts[true] < 20 {
		t.Errorf("%d specs with lists in any order and %d with others, want more", counts[false], counts[true])
	}
}
