package direct

import (
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/float64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// rules are those of the attributes of an object that the framework may change in the plan of a changed resource.
type rules map[string]rule

// rule is what the framework does with an attribute.
type rule struct {
	// computed attributes without a default become unknown unless they are configured.
	computed  bool
	modifiers []modifier
	// nested are the rules of a single nested object.
	nested rules
}

// modifier is a plan modifier that this package knows.
type modifier int

const (
	// retains gives an unknown attribute that isn't configured its prior value.
	retains modifier = iota
	// replaces may replace the resource, or have diagnostics, if the attribute changes.
	replaces
)

// modifiers finds them by their types, which the framework doesn't export.
var modifiers = func() map[reflect.Type]modifier {
	known := map[reflect.Type]modifier{}
	for _, each := range []any{
		stringplanmodifier.UseStateForUnknown(), boolplanmodifier.UseStateForUnknown(), int64planmodifier.UseStateForUnknown(),
		float64planmodifier.UseStateForUnknown(), listplanmodifier.UseStateForUnknown(), setplanmodifier.UseStateForUnknown(),
	} {
		known[reflect.TypeOf(each)] = retains
	}
	for _, each := range []any{
		stringplanmodifier.RequiresReplace(), boolplanmodifier.RequiresReplace(), listplanmodifier.RequiresReplace(),
		mapplanmodifier.RequiresReplace(),
	} {
		known[reflect.TypeOf(each)] = replaces
	}
	return known
}()

// newRules returns false if the framework calls a modifier that this package doesn't know, or changes elements of lists or maps.
func newRules(attributes map[string]schema.Attribute, defaults map[string]tftypes.Value) (rules, bool) {
	all := rules{}
	for name, attribute := range attributes {
		var below rules
		ok := true
		if inner := nested(attribute); inner != nil {
			below, ok = newRules(inner, nil)
		}
		known, understood := modifiersOf(reflect.ValueOf(attribute))
		_, single := attribute.(schema.SingleNestedAttribute)
		if !ok || !understood || len(below) > 0 && !single {
			return nil, false
		}
		_, filled := defaults[name]
		r := rule{attribute.IsComputed() && !filled, known, below}
		if r.computed || len(known) > 0 || len(below) > 0 {
			all[name] = r
		}
	}
	return all, true
}

// modifiersOf returns the modifiers of an attribute; elements of lists and maps must not have any.
func modifiersOf(attribute reflect.Value) ([]modifier, bool) {
	var found []modifier
	list := attribute.FieldByName("PlanModifiers")
	for i := range list.Len() {
		m, ok := modifiers[list.Index(i).Elem().Type()]
		if !ok {
			return nil, false
		}
		found = append(found, m)
	}
	element := attribute.FieldByName("NestedObject")
	return found, !element.IsValid() || element.FieldByName("PlanModifiers").Len() == 0
}

// apply changes planned attributes of an object. It returns false if a modifier may replace the resource or have diagnostics.
func (all rules) apply(planned map[string]tftypes.Value, config, prior tftypes.Value, creates bool) bool {
	configured, before := members(config), members(prior)
	for name, r := range all {
		value, ok := r.apply(planned[name], configured(name), before(name), creates)
		if !ok {
			return false
		}
		planned[name] = value
	}
	return true
}

func (r rule) apply(planned, config, prior tftypes.Value, creates bool) (tftypes.Value, bool) {
	as := planned.Type()
	if r.computed && config.IsNull() {
		planned = tftypes.NewValue(as, tftypes.UnknownValue)
	}
	if !creates && slices.ContainsFunc(r.modifiers, func(m modifier) bool {
		if m == retains && !planned.IsKnown() && config.IsKnown() {
			planned = prior
			if prior.IsNull() { // Perhaps that of the object around it.
				planned = tftypes.NewValue(as, nil)
			}
		}
		return m == replaces && !framework.Same(planned, prior)
	}) {
		return planned, false
	}
	var attributes map[string]tftypes.Value
	if len(r.nested) == 0 || planned.IsNull() || !planned.IsKnown() {
		return planned, true
	}
	if planned.As(&attributes) != nil || !r.nested.apply(attributes, config, prior, creates) {
		return planned, false
	}
	return tftypes.NewValue(as, attributes), true
}

// members returns the attributes of an object. Those of a null or unknown one are what it is.
func members(object tftypes.Value) func(name string) tftypes.Value {
	var attributes map[string]tftypes.Value
	if object.IsNull() || !object.IsKnown() || object.As(&attributes) != nil {
		return func(string) tftypes.Value { return object }
	}
	return func(name string) tftypes.Value { return attributes[name] }
}
