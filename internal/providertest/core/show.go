package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/zclconf/go-cty/cty"
)

// pending describes the changes of a plan; there are none if it is empty.
func (p *plan) pending() string {
	var b strings.Builder
	for _, at := range slices.Sorted(maps.Keys(p.changes)) {
		if !p.changes[at].Empty() {
			fmt.Fprintf(&b, "%s: %s\n", at, p.changes[at])
		}
	}
	return b.String()
}

// show is a state as checks of terraform-plugin-testing take it.
func (s state) show() *tfjson.State {
	shown := &tfjson.State{FormatVersion: "1.0", TerraformVersion: terraformVersion}
	if len(s.objects) == 0 && len(s.outputs) == 0 {
		return shown
	}
	shown.Values = &tfjson.StateValues{Outputs: map[string]*tfjson.StateOutput{}, RootModule: &tfjson.StateModule{}}
	for name, value := range s.outputs {
		shown.Values.Outputs[name] = &tfjson.StateOutput{Value: plain(value), Type: value.Type()}
	}
	for _, at := range slices.Sorted(maps.Keys(s.objects)) {
		o := s.objects[at]
		typeName, name, mode := split(at)
		shown.Values.RootModule.Resources = append(shown.Values.RootModule.Resources, &tfjson.StateResource{
			Address: at, Mode: mode, Type: typeName, Name: name, AttributeValues: o.Attributes(), Tainted: o.tainted,
		})
	}
	return shown
}

// split returns the parts of an address.
func split(at string) (typeName, name string, mode tfjson.ResourceMode) {
	mode = tfjson.ManagedResourceMode
	if rest, ok := strings.CutPrefix(at, "data."); ok {
		at, mode = rest, tfjson.DataResourceMode
	}
	typeName, name, _ = strings.Cut(at, ".")
	return typeName, name, mode
}

// unknowns returns true in place of every unknown value.
func unknowns(v cty.Value) any {
	marks, _ := encoded(v, func(leaf cty.Value) (any, bool) { return !leaf.IsKnown(), !leaf.IsKnown() })
	return marks
}

// legacy is a state in the form that check functions take, with those attributes that aren't nested.
func (s state) legacy() *terraform.State {
	root := &terraform.ModuleState{Path: []string{"root"}, Outputs: map[string]*terraform.OutputState{}, Resources: map[string]*terraform.ResourceState{}}
	for name, value := range s.outputs {
		root.Outputs[name] = &terraform.OutputState{Value: plain(value)}
	}
	for at, o := range s.objects {
		attributes := map[string]string{}
		for name, value := range o.Attributes() {
			switch value.(type) {
			case nil, map[string]any, []any:
			default:
				attributes[name] = fmt.Sprint(value)
			}
		}
		typeName, _, _ := split(at)
		root.Resources[at] = &terraform.ResourceState{
			Type: typeName, Primary: &terraform.InstanceState{ID: attributes["id"], Attributes: attributes, Tainted: o.tainted},
		}
	}
	return &terraform.State{Modules: []*terraform.ModuleState{root}}
}
