package core

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// actionNames are how a plan names its actions.
var actionNames = map[action]tfjson.Actions{
	noop: {tfjson.ActionNoop}, create: {tfjson.ActionCreate}, read: {tfjson.ActionRead}, update: {tfjson.ActionUpdate},
	destroy: {tfjson.ActionDelete}, replace: {tfjson.ActionDelete, tfjson.ActionCreate},
}

// showPlan is a plan as "terraform show -json" prints it.
func (c *command) showPlan(p *plan) (*tfjson.Plan, error) {
	prior, err := c.showState(p.prior)
	if err != nil {
		return nil, err
	}
	shown := &tfjson.Plan{
		FormatVersion: "1.2", TerraformVersion: terraformVersion, PriorState: prior, OutputChanges: map[string]*tfjson.Change{},
	}
	for _, a := range sortedAddresses(p.changes) {
		planned := p.changes[a]
		as, _, wrong := c.schema(a.resourceKey)
		if len(wrong) > 0 {
			return nil, wrong
		}
		change := &tfjson.Change{
			Actions: actionNames[planned.action], Before: plain(planned.prior.value), After: plain(planned.planned.value),
			AfterUnknown: unknowns(planned.planned.value), AfterSensitive: sensitive(as.attributes, planned.planned.value),
			BeforeSensitive: sensitive(as.attributes, planned.prior.value),
		}
		for _, at := range planned.planned.replaces {
			change.ReplacePaths = append(change.ReplacePaths, fmt.Sprint(at))
		}
		shown.ResourceChanges = append(shown.ResourceChanges, &tfjson.ResourceChange{
			Address: a.String(), Mode: mode(a.resourceKey), Type: a.resource, Name: a.name, Index: index(a.key),
			ProviderName: a.provider(), Change: change,
		})
	}
	names := slices.Collect(maps.Keys(p.outputs))
	names = append(names, slices.Collect(maps.Keys(c.state.outputs))...)
	for _, name := range names {
		shown.OutputChanges[name] = outputChange(c.state.outputs, p.outputs, name)
	}
	return shown, nil
}

func outputChange(before, after map[string]outputValue, name string) *tfjson.Change {
	was, had := before[name]
	is, has := after[name]
	change := &tfjson.Change{Actions: tfjson.Actions{tfjson.ActionUpdate}}
	switch {
	case had && has && is.value.RawEquals(was.value):
		change.Actions = tfjson.Actions{tfjson.ActionNoop}
	case !had:
		change.Actions = tfjson.Actions{tfjson.ActionCreate}
	case !has:
		change.Actions = tfjson.Actions{tfjson.ActionDelete}
	}
	if had {
		change.Before = plain(was.value)
	}
	if has {
		change.After, change.AfterUnknown, change.AfterSensitive = plain(is.value), unknowns(is.value), is.sensitive
	}
	return change
}

// emptyPlan reports whether a plan changes nothing.
func emptyPlan(p *tfjson.Plan) bool {
	for _, change := range p.ResourceChanges {
		if !change.Change.Actions.NoOp() {
			return false
		}
	}
	for _, change := range p.OutputChanges {
		if !change.Actions.NoOp() {
			return false
		}
	}
	return true
}

// summary lists the changes of a plan for error messages, without no-ops.
func summary(p *tfjson.Plan) string {
	var b strings.Builder
	for _, change := range p.ResourceChanges {
		if !change.Change.Actions.NoOp() {
			fmt.Fprintf(&b, "%s: %v\n  before: %v\n  after: %v\n  unknown: %v\n", change.Address, change.Change.Actions,
				change.Change.Before, change.Change.After, change.Change.AfterUnknown)
		}
	}
	for name, change := range p.OutputChanges {
		if !change.Actions.NoOp() {
			fmt.Fprintf(&b, "output %s: %v\n", name, change.Actions)
		}
	}
	return b.String()
}

// showState is a state as "terraform show -json" prints it.
func (c *command) showState(s *state) (*tfjson.State, error) {
	shown := &tfjson.State{FormatVersion: "1.0", TerraformVersion: terraformVersion}
	if len(s.objects) == 0 && len(s.outputs) == 0 {
		return shown, nil
	}
	shown.Values = &tfjson.StateValues{Outputs: map[string]*tfjson.StateOutput{}, RootModule: &tfjson.StateModule{}}
	for name, output := range s.outputs {
		shown.Values.Outputs[name] = &tfjson.StateOutput{Sensitive: output.sensitive, Value: plain(output.value), Type: output.value.Type()}
	}
	for _, a := range sortedAddresses(s.objects) {
		o := s.objects[a]
		as, _, wrong := c.schema(a.resourceKey)
		if len(wrong) > 0 {
			return nil, wrong
		}
		values, ok := plain(o.value).(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s is no object", a)
		}
		marks, err := json.Marshal(sensitive(as.attributes, o.value))
		if err != nil {
			return nil, err
		}
		resource := &tfjson.StateResource{
			Address: a.String(), Mode: mode(a.resourceKey), Type: a.resource, Name: a.name, Index: index(a.key),
			ProviderName: a.provider(), SchemaVersion: uint64(as.version), AttributeValues: values, SensitiveValues: marks, //nolint:gosec // It is small.
			Tainted: o.tainted,
		}
		if o.identity != nil {
			identity, err := decode(o.identity.IdentityData, as.identity)
			if err != nil {
				return nil, err
			}
			resource.IdentityValues, _ = plain(identity).(map[string]any)
		}
		for needed := range o.dependsOn {
			resource.DependsOn = append(resource.DependsOn, needed.String())
		}
		slices.Sort(resource.DependsOn)
		shown.Values.RootModule.Resources = append(shown.Values.RootModule.Resources, resource)
	}
	return shown, nil
}

func sortedAddresses[V any](m map[address]V) []address {
	return slices.SortedFunc(maps.Keys(m), func(a, b address) int { return strings.Compare(a.String(), b.String()) })
}

func mode(key resourceKey) tfjson.ResourceMode {
	if key.data {
		return tfjson.DataResourceMode
	}
	return tfjson.ManagedResourceMode
}

// index is the key of an instance: nil, a number or a string.
func index(key string) any {
	if key == "" {
		return nil
	}
	if _, err := strconv.Atoi(strings.Trim(key, "[]")); err == nil {
		return json.Number(strings.Trim(key, "[]"))
	}
	return keyText(key)
}

// plain is a value as JSON has it. Unknown attributes are left out.
func plain(v cty.Value) any {
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() {
		return nil
	}
	switch ty := v.Type(); {
	case ty == cty.String:
		return v.AsString()
	case ty == cty.Bool:
		return v.True()
	case ty == cty.Number:
		return json.Number(v.AsBigFloat().Text('f', -1))
	case ty.IsObjectType() || ty.IsMapType():
		members := map[string]any{}
		for name, member := range v.AsValueMap() {
			if member.IsKnown() {
				members[name] = plain(member)
			}
		}
		return members
	}
	all := []any{}
	for _, element := range v.AsValueSlice() {
		all = append(all, plain(element))
	}
	return all
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

// sensitive returns true in place of every value that the schema marks as sensitive.
func sensitive(attributes []*tfprotov6.SchemaAttribute, v cty.Value) any {
	members := map[string]any{}
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() {
		return members
	}
	for _, a := range attributes {
		value := v.GetAttr(a.Name)
		switch {
		case a.Sensitive:
			members[a.Name] = true
		case a.NestedType == nil || value.IsNull() || !value.IsKnown():
		case a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			members[a.Name] = sensitive(a.NestedType.Attributes, value)
		case a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeList:
			all := []any{}
			for _, element := range value.AsValueSlice() {
				all = append(all, sensitive(a.NestedType.Attributes, element))
			}
			members[a.Name] = all
		default:
			all := map[string]any{}
			for key, element := range value.AsValueMap() {
				all[key] = sensitive(a.NestedType.Attributes, element)
			}
			members[a.Name] = all
		}
	}
	return members
}
