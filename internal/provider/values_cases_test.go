package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A configuration is a tree of what JSON has: maps, slices, texts, numbers, booleans and nil, and of unknownValue.
type unknownValue struct{}

// Texts that configurations may have anywhere, and that no rule of a service expects. None has a backslash or a line break, so that
// those in a diagnostic are its own.
const (
	oddText  = `ödd %s %!d(x) "quoted" 'text' $${x} <b>&; 日本 🚀 .`
	blank    = " "
	lines    = "two\nlines"
	hugeSize = 100_000
)

// huge has something to be recognised by at its end.
var huge = strings.Repeat("x", hugeSize) + "-the-end-of-a-huge-text"

// variation is a configuration of which one value is changed.
type variation struct {
	at     string // As in configurations.
	title  string
	config any
	// value is what the case sets.
	value any
	// attribute is the attribute at or above the value.
	attribute *tfprotov6.SchemaAttribute
	// secret says that the value must not be shown.
	secret bool
	// within says that the example has the object that the attribute is in.
	within bool
}

// vary returns all variations of a configuration, by the attributes of its schema.
func vary(attributes []*tfprotov6.SchemaAttribute, config map[string]any, cases cases) []variation {
	return varyObject(attributes, config, place{within: true, cases: cases, put: func(object any) any { return object }})
}

// cases returns the values that an attribute is tried with. base is its value in the configuration.
type cases func(a *tfprotov6.SchemaAttribute, base any) []titled

// place is where an object is in a configuration.
type place struct {
	at             string
	secret, within bool
	cases          cases
	// put returns the configuration with a value in place of the object.
	put func(any) any
}

func varyObject(attributes []*tfprotov6.SchemaAttribute, object map[string]any, in place) []variation {
	var all []variation
	for _, a := range attributes {
		if !a.Required && !a.Optional {
			continue
		}
		here := place{
			at: strings.TrimPrefix(in.at+"."+a.Name, "."), secret: in.secret || a.Sensitive || a.WriteOnly, within: in.within,
			cases: in.cases,
			put: func(value any) any {
				changed := maps.Clone(object)
				if changed == nil {
					changed = map[string]any{}
				}
				changed[a.Name] = value
				return in.put(changed)
			},
		}
		for _, c := range in.cases(a, object[a.Name]) {
			all = append(all, variation{here.at, c.title, here.put(c.value), c.value, a, here.secret, here.within})
		}
		if a.NestedType != nil {
			all = append(all, varyNested(a, object[a.Name], here)...)
		}
	}
	return all
}

// varyNested varies the object of a nested attribute, or one element of it.
func varyNested(a *tfprotov6.SchemaAttribute, value any, in place) []variation {
	inside := in
	object, _ := value.(map[string]any)
	inside.within = in.within && value != nil
	switch a.NestedType.Nesting {
	case tfprotov6.SchemaObjectNestingModeSingle, tfprotov6.SchemaObjectNestingModeInvalid:
	case tfprotov6.SchemaObjectNestingModeList, tfprotov6.SchemaObjectNestingModeSet:
		elements, _ := value.([]any)
		object, inside.within = nil, inside.within && len(elements) > 0
		if len(elements) > 0 {
			object, _ = elements[0].(map[string]any)
		}
		inside.at += "[0]"
		inside.put = func(value any) any {
			if len(elements) == 0 {
				return in.put([]any{value})
			}
			return in.put(append([]any{value}, elements[1:]...))
		}
	case tfprotov6.SchemaObjectNestingModeMap:
		members, key := object, "key"
		object, inside.within = nil, inside.within && len(members) > 0
		for _, first := range slices.Sorted(maps.Keys(members)) {
			key = first
			object, _ = members[first].(map[string]any)
			break
		}
		inside.at += fmt.Sprintf("[%q]", key)
		inside.put = func(value any) any {
			changed := maps.Clone(members)
			if changed == nil {
				changed = map[string]any{}
			}
			changed[key] = value
			return in.put(changed)
		}
	}
	return varyObject(a.NestedType.Attributes, object, inside)
}

type titled struct {
	title string
	value any
}

// casesOf returns the values that an attribute is tried with.
func casesOf(a *tfprotov6.SchemaAttribute, base any) []titled {
	all := []titled{{"null", nil}, {"unknown", unknownValue{}}}
	if a.NestedType == nil {
		return append(all, casesOfType(a.Type, base)...)
	}
	switch a.NestedType.Nesting {
	case tfprotov6.SchemaObjectNestingModeList, tfprotov6.SchemaObjectNestingModeSet, tfprotov6.SchemaObjectNestingModeInvalid:
	case tfprotov6.SchemaObjectNestingModeSingle:
		return append(all, titled{"empty", map[string]any{}})
	case tfprotov6.SchemaObjectNestingModeMap:
		return append(all, titled{"empty", map[string]any{}}, titled{"null element", map[string]any{"key": nil}},
			titled{"unknown element", map[string]any{"key": unknownValue{}}}, titled{"empty element", map[string]any{"key": map[string]any{}}},
			titled{"empty key", map[string]any{"": map[string]any{}}}, titled{"odd key", map[string]any{oddText: map[string]any{}}})
	}
	return append(all, titled{"empty", []any{}}, titled{"null element", []any{nil}}, titled{"unknown element", []any{unknownValue{}}},
		titled{"empty element", []any{map[string]any{}}})
}

func casesOfType(as tftypes.Type, base any) []titled {
	switch {
	case as.Is(tftypes.String):
		return []titled{{"empty", ""}, {"blank", blank}, {"odd text", oddText}, {"two lines", lines}, {"huge", huge}}
	case as.Is(tftypes.Number):
		return []titled{{"negative", -1}, {"zero", 0}, {"one", 1}, {"fraction", 1.5}, {"huge number", 1e30}, {"huge integer", 1 << 53}}
	case as.Is(tftypes.Bool):
		return []titled{{"true", true}, {"false", false}}
	case as.Is(tftypes.Map{}):
		element := as.(tftypes.Map).ElementType
		all := []titled{{"empty", map[string]any{}}}
		for _, c := range append([]titled{{"null", nil}, {"unknown", unknownValue{}}}, casesOfType(element, nil)...) {
			all = append(all, titled{c.title + " element", map[string]any{"key": c.value}})
		}
		for _, key := range []titled{{"empty", ""}, {"odd", oddText}, {"huge", huge}} {
			all = append(all, titled{key.title + " key", map[string]any{fmt.Sprint(key.value): sample(element)}})
		}
		return all
	case as.Is(tftypes.List{}), as.Is(tftypes.Set{}):
		element := tftypes.Type(tftypes.String)
		if list, ok := as.(tftypes.List); ok {
			element = list.ElementType
		} else if set, ok := as.(tftypes.Set); ok {
			element = set.ElementType
		}
		all := []titled{{"empty", []any{}}}
		for _, c := range append([]titled{{"null", nil}, {"unknown", unknownValue{}}}, casesOfType(element, nil)...) {
			all = append(all, titled{c.title + " element", []any{c.value}})
		}
		if elements, ok := base.([]any); ok && len(elements) > 0 {
			all = append(all, titled{"null behind another element", []any{elements[0], nil}})
		}
		return all
	case as.Is(tftypes.Object{}):
		return []titled{{"empty", map[string]any{}}}
	case as.Is(tftypes.DynamicPseudoType):
		return []titled{
			{"text", oddText}, {"number", 1.5}, {"true", true}, {"empty object", map[string]any{}}, {"empty tuple", []any{}},
			{"null element", []any{nil}}, {"null member", map[string]any{"key": nil}}, {"object", map[string]any{oddText: []any{1, oddText}}},
		}
	}
	panic(fmt.Sprintf("no cases for %s", as))
}

// sample returns a value of a type.
func sample(as tftypes.Type) any {
	switch {
	case as.Is(tftypes.String):
		return "x"
	case as.Is(tftypes.Number):
		return 1
	case as.Is(tftypes.Bool):
		return true
	case as.Is(tftypes.List{}), as.Is(tftypes.Set{}):
		return []any{}
	}
	return map[string]any{}
}

// encoded returns the value of a type. Attributes that a configuration omits are null.
func encoded(as tftypes.Type, value any) tftypes.Value {
	switch value := value.(type) {
	case unknownValue:
		if as.Is(tftypes.DynamicPseudoType) {
			as = tftypes.String
		}
		return tftypes.NewValue(as, tftypes.UnknownValue)
	case nil:
		if as.Is(tftypes.DynamicPseudoType) {
			as = tftypes.String // A value of no type can't be encoded in a tuple.
		}
		return tftypes.NewValue(as, nil)
	case json.Number:
		number, _, err := big.ParseFloat(value.String(), 10, 512, big.ToNearestEven)
		if err != nil {
			panic(err)
		}
		return tftypes.NewValue(tftypes.Number, number)
	case []any:
		elements := make([]tftypes.Value, len(value))
		kinds := make([]tftypes.Type, len(value))
		for i, element := range value {
			elements[i] = encoded(elementType(as), element)
			kinds[i] = elements[i].Type()
		}
		if as.Is(tftypes.DynamicPseudoType) {
			as = tftypes.Tuple{ElementTypes: kinds}
		}
		return tftypes.NewValue(as, elements)
	case map[string]any:
		members, kinds := map[string]tftypes.Value{}, map[string]tftypes.Type{}
		for name, member := range value {
			of := elementType(as)
			if object, ok := as.(tftypes.Object); ok {
				if of = object.AttributeTypes[name]; of == nil {
					panic(fmt.Sprintf("%s has no %s", as, name))
				}
			}
			members[name] = encoded(of, member)
			kinds[name] = members[name].Type()
		}
		switch as := as.(type) {
		case tftypes.Object:
			for name, of := range as.AttributeTypes {
				if _, set := members[name]; !set {
					members[name] = tftypes.NewValue(of, nil)
				}
			}
			return tftypes.NewValue(as, members)
		case tftypes.Map:
			return tftypes.NewValue(as, members)
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: kinds}, members)
	}
	if as.Is(tftypes.DynamicPseudoType) {
		as = scalarType(value)
	}
	return tftypes.NewValue(as, value)
}

func scalarType(value any) tftypes.Type {
	switch value.(type) {
	case string:
		return tftypes.String
	case bool:
		return tftypes.Bool
	}
	return tftypes.Number
}

func elementType(as tftypes.Type) tftypes.Type {
	switch as := as.(type) {
	case tftypes.List:
		return as.ElementType
	case tftypes.Set:
		return as.ElementType
	case tftypes.Map:
		return as.ElementType
	}
	return tftypes.DynamicPseudoType
}

// plainValue is the reverse of encoded.
func plainValue(value tftypes.Value) any {
	switch {
	case !value.IsKnown():
		return unknownValue{}
	case value.IsNull():
		return nil
	}
	var text string
	var number big.Float
	var truth bool
	var elements []tftypes.Value
	var members map[string]tftypes.Value
	switch {
	case value.As(&text) == nil:
		return text
	case value.As(&number) == nil:
		return json.Number(number.Text('g', -1))
	case value.As(&truth) == nil:
		return truth
	case value.As(&elements) == nil:
		all := make([]any, len(elements))
		for i, element := range elements {
			all[i] = plainValue(element)
		}
		return all
	}
	_ = value.As(&members)
	all := map[string]any{}
	for name, member := range members {
		all[name] = plainValue(member)
	}
	return all
}

// isKnown reports whether a configuration has no unknown value.
func isKnown(value any) bool {
	switch value := value.(type) {
	case unknownValue:
		return false
	case []any:
		return !slices.ContainsFunc(value, func(element any) bool { return !isKnown(element) })
	case map[string]any:
		for _, member := range value {
			if !isKnown(member) {
				return false
			}
		}
	}
	return true
}
