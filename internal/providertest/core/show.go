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

// actionNames are how a plan names its actions.
var actionNames = map[action]tfjson.Actions{
	noop: {tfjson.ActionNoop}, create: {tfjson.ActionCreate}, read: {tfjson.ActionRead}, update: {tfjson.ActionUpdate},
	destroy: {tfjson.ActionDelete}, replace: {tfjson.ActionDelete, tfjson.ActionCreate},
}

// show is a plan as checks of terraform-plugin-testing take it, without marks of what is sensitive.
func (p *plan) show(before map[string]cty.Value) *tfjson.Plan {
	shown := &tfjson.Plan{FormatVersion: "1.2", TerraformVersion: terraformVersion, PriorState: p.prior.show(), OutputChanges: map[string]*tfjson.Change{}}
	for _, a := range sorted(p.changes) {
		planned := p.changes[a]
		change := &tfjson.Change{
			Actions: actionNames[planned.action], Before: plain(planned.prior.value), After: plain(planned.planned.value),
			AfterUnknown: unknowns(planned.planned.value),
		}
		for _, at := range planned.planned.replaces {
			change.ReplacePaths = append(change.ReplacePaths, fmt.Sprint(at))
		}
		shown.ResourceChanges = append(shown.ResourceChanges, &tfjson.ResourceChange{
			Address: a.String(), Mode: a.mode(), Type: a.kind, Name: a.name, Change: change,
		})
	}
	for name, value := range p.outputs {
		action := tfjson.ActionUpdate
		was, had := before[name]
		if !had {
			action = tfjson.ActionCreate
		} else if value.RawEquals(was) {
			action = tfjson.ActionNoop
		}
		shown.OutputChanges[name] = &tfjson.Change{
			Actions: tfjson.Actions{action}, Before: plain(was), After: plain(value), AfterUnknown: unknowns(value),
		}
	}
	for name, was := range before {
		if _, has := p.outputs[name]; !has {
			shown.OutputChanges[name] = &tfjson.Change{Actions: tfjson.Actions{tfjson.ActionDelete}, Before: plain(was)}
		}
	}
	return shown
}

// pending describes the changes of a plan; there are none if it is empty.
func pending(p *tfjson.Plan) string {
	var b strings.Builder
	for _, c := range p.ResourceChanges {
		if !c.Change.Actions.NoOp() {
			fmt.Fprintf(&b, "%s: %v\n  before: %v\n  after: %v\n  unknown: %v\n", c.Address, c.Change.Actions, c.Change.Before, c.Change.After, c.Change.AfterUnknown)
		}
	}
	for name, change := range p.OutputChanges {
		if !change.Actions.NoOp() {
			fmt.Fprintf(&b, "output %s: %v\n", name, change.Actions)
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
	for _, a := range sorted(s.objects) {
		o := s.objects[a]
		values, _ := plain(o.value).(map[string]any)
		resource := &tfjson.StateResource{
			Address: a.String(), Mode: a.mode(), Type: a.kind, Name: a.name, AttributeValues: values, Tainted: o.tainted,
		}
		shown.Values.RootModule.Resources = append(shown.Values.RootModule.Resources, resource)
	}
	return shown
}

func (a address) mode() tfjson.ResourceMode {
	if a.data {
		return tfjson.DataResourceMode
	}
	return tfjson.ManagedResourceMode
}

func sorted[V any](of map[address]V) []address {
	return slices.SortedFunc(maps.Keys(of), func(a, b address) int { return strings.Compare(a.String(), b.String()) })
}

// unknowns returns true in place of every unknown value.
func unknowns(v cty.Value) any {
	switch {
	case v == cty.NilVal:
		return false
	case !v.IsKnown():
		return true
	case v.IsNull() || v.Type().IsPrimitiveType():
		return false
	case v.Type().IsObjectType() || v.Type().IsMapType():
		members := map[string]any{}
		for name, member := range v.AsValueMap() {
			if unknown := unknowns(member); unknown != false {
				members[name] = unknown
			}
		}
		return members
	}
	all := []any{}
	for _, element := range v.AsValueSlice() {
		all = append(all, unknowns(element))
	}
	return all
}

// legacy is a state in the form that check functions take, with those attributes that aren't nested.
func legacy(shown *tfjson.State) *terraform.State {
	root := &terraform.ModuleState{Path: []string{"root"}, Outputs: map[string]*terraform.OutputState{}, Resources: map[string]*terraform.ResourceState{}}
	if shown.Values != nil {
		for name, output := range shown.Values.Outputs {
			root.Outputs[name] = &terraform.OutputState{Value: output.Value}
		}
		for _, from := range shown.Values.RootModule.Resources {
			attributes := map[string]string{}
			for name, value := range from.AttributeValues {
				switch value.(type) {
				case nil, map[string]any, []any:
				default:
					attributes[name] = fmt.Sprint(value)
				}
			}
			root.Resources[from.Address] = &terraform.ResourceState{
				Type: from.Type, Primary: &terraform.InstanceState{ID: attributes["id"], Attributes: attributes, Tainted: from.Tainted},
			}
		}
	}
	return &terraform.State{Modules: []*terraform.ModuleState{root}}
}
