package core

import (
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// scope is what expressions of a module may refer to.
type scope struct {
	module    *module
	variables map[string]cty.Value
	functions map[string]function.Function

	mu sync.Mutex
	// values are those of resources, once they are known or planned.
	values map[resourceKey]cty.Value
}

// repetition is what count and for_each add to the scope of an instance.
type repetition map[string]cty.Value

func (s *scope) set(key resourceKey, v cty.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = v
}

// value evaluates an expression. What isn't set yet is unknown.
func (s *scope) value(e hcl.Expression, each repetition) (cty.Value, hcl.Diagnostics) {
	ctx, diags := s.context(e, each)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	return e.Value(ctx)
}

// context holds just what an expression refers to.
func (s *scope) context(e hcl.Expression, each repetition) (*hcl.EvalContext, hcl.Diagnostics) {
	locals, managed, data := map[string]cty.Value{}, map[string]map[string]cty.Value{}, map[string]map[string]cty.Value{}
	for _, traversal := range e.Variables() {
		if name, ok := localName(traversal); ok && s.module.locals[name] != nil {
			v, diags := s.value(s.module.locals[name], nil)
			if diags.HasErrors() {
				return nil, diags
			}
			locals[name] = v
		}
		key, ok := reference(traversal)
		if !ok || s.module.resources[key] == nil {
			continue // What doesn't exist is a problem of the expression's.
		}
		kind := managed
		if key.data {
			kind = data
		}
		if kind[key.resource] == nil {
			kind[key.resource] = map[string]cty.Value{}
		}
		kind[key.resource][key.name] = s.resource(key)
	}
	variables := map[string]cty.Value{
		"var": cty.ObjectVal(s.variables), "local": cty.ObjectVal(locals), "data": objects(data),
		"path":      cty.ObjectVal(map[string]cty.Value{"module": cty.StringVal(s.module.directory), "root": cty.StringVal(s.module.directory)}),
		"terraform": cty.ObjectVal(map[string]cty.Value{"workspace": cty.StringVal("default")}),
	}
	maps.Copy(variables, objects(managed).AsValueMap())
	maps.Copy(variables, each)
	return &hcl.EvalContext{Variables: variables, Functions: s.functions}, nil
}

func (s *scope) resource(key resourceKey) cty.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.values[key]; ok {
		return v
	}
	return cty.DynamicVal
}

func objects(types map[string]map[string]cty.Value) cty.Value {
	all := map[string]cty.Value{}
	for name, resources := range types {
		all[name] = cty.ObjectVal(resources)
	}
	return cty.ObjectVal(all)
}

// body evaluates the arguments of a block as values of a schema.
func (s *scope) body(b *block, as *schema, each repetition) (cty.Value, problems) {
	if b == nil {
		b = &block{}
	}
	var wrong problems
	for name, argument := range b.arguments {
		if !as.ty.HasAttribute(name) {
			wrong = append(wrong, problem{
				summary: "Unsupported argument", detail: "An argument named \"" + name + "\" is not expected here.", in: b.title, at: argument.Range,
			})
		}
	}
	values := map[string]cty.Value{}
	for _, a := range as.attributes {
		values[a.Name] = cty.NullVal(as.ty.AttributeType(a.Name))
		argument, ok := b.arguments[a.Name]
		if !ok {
			if a.Required {
				wrong = append(wrong, problem{
					summary: "Missing required argument", detail: "The argument \"" + a.Name + "\" is required, but no definition was found.", in: b.title, at: b.at,
				})
			}
			continue
		}
		v, diags := s.value(argument.Expr, each)
		if diags.HasErrors() {
			wrong = append(wrong, syntaxProblems(diags)...)
			continue
		}
		converted, err := convert.Convert(v, as.config.AttributeType(a.Name))
		if err != nil {
			wrong = append(wrong, problem{
				summary: "Incorrect attribute value type", detail: "Inappropriate value for attribute \"" + a.Name + "\": " + explain(err) + ".",
				in: b.title, at: argument.Range,
			})
			continue
		}
		values[a.Name] = unrefined(converted)
	}
	if len(wrong) > 0 {
		return as.null(), wrong
	}
	return cty.ObjectVal(values), nil
}

// unrefined removes refinements of unknown values, such as the length of a list. Providers need not keep them.
func unrefined(v cty.Value) cty.Value {
	plain, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if !v.IsKnown() {
			return cty.UnknownVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return v
	}
	return plain
}

// explain describes where a value has the wrong type, and the expected one.
func explain(err error) string {
	var at cty.PathError
	if errors.As(err, &at) && len(at.Path) > 0 {
		return "attribute \"" + strings.TrimPrefix(pathText(at.Path), ".") + "\": " + err.Error()
	}
	return err.Error()
}

// instances returns the instances of a block by key, such as [0] or ["a"]. Without count or for_each, the key is empty.
func (s *scope) instances(b *block) (map[string]repetition, problems) {
	all := map[string]repetition{}
	switch {
	case b.count != nil:
		v, wrong := s.amount(b.count, b)
		if len(wrong) > 0 {
			return nil, wrong
		}
		amount, _ := v.AsBigFloat().Int64()
		for i := range amount {
			index := cty.NumberIntVal(i)
			all[elementKey(index)] = repetition{"count": cty.ObjectVal(map[string]cty.Value{"index": index})}
		}
	case b.forEach != nil:
		v, wrong := s.amount(b.forEach, b)
		if len(wrong) > 0 {
			return nil, wrong
		}
		for it := v.ElementIterator(); it.Next(); {
			key, element := it.Element()
			all[elementKey(key)] = repetition{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": element})}
		}
	default:
		all[""] = nil
	}
	return all, nil
}

// amount evaluates count or for_each.
func (s *scope) amount(e hcl.Expression, b *block) (cty.Value, problems) {
	v, diags := s.value(e, nil)
	if diags.HasErrors() {
		return v, syntaxProblems(diags)
	}
	if !v.IsWhollyKnown() || v.IsNull() {
		return v, problems{{
			summary: "Invalid count or for_each argument", in: b.title, at: b.at,
			detail: "The value depends on resource attributes that cannot be determined until apply.",
		}}
	}
	return v, nil
}

// together is the value of a resource with all its instances.
func together(b *block, instances map[string]cty.Value) cty.Value {
	switch {
	case b.count != nil:
		all := make([]cty.Value, len(instances))
		for i := range all {
			all[i] = instances[elementKey(cty.NumberIntVal(int64(i)))]
		}
		return cty.TupleVal(all)
	case b.forEach != nil:
		all := map[string]cty.Value{}
		for key, v := range instances {
			all[keyText(key)] = v
		}
		return cty.ObjectVal(all)
	}
	return instances[""]
}

// keyText is the string in a key such as ["a"].
func keyText(key string) string {
	text, err := strconv.Unquote(strings.Trim(key, "[]"))
	if err != nil {
		return key
	}
	return text
}

// inputVariables are the values of a module's variables: given ones, defaults, or unknown ones for validation.
func inputVariables(m *module, given config.Variables, known bool) (map[string]cty.Value, problems) {
	values := map[string]cty.Value{}
	var wrong problems
	for name, v := range m.variables {
		value, p := v.input(name, given[name])
		if wrong = append(wrong, p...); len(p) > 0 {
			continue
		}
		if values[name] = value; !known {
			values[name] = cty.UnknownVal(v.ty.WithoutOptionalAttributesDeep())
		}
	}
	return values, wrong
}

func (v *variable) input(name string, given config.Variable) (cty.Value, problems) {
	value, diags := constant(v.value)
	if diags.HasErrors() {
		return cty.NilVal, syntaxProblems(diags)
	}
	switch {
	case given != nil:
		data, err := json.Marshal(given)
		if err != nil {
			return cty.NilVal, failure("Invalid value for input variable", "%s: %v", name, err)
		}
		ty, err := ctyjson.ImpliedType(data)
		if err != nil {
			return cty.NilVal, failure("Invalid value for input variable", "%s: %v", name, err)
		}
		if value, err = ctyjson.Unmarshal(data, ty); err != nil {
			return cty.NilVal, failure("Invalid value for input variable", "%s: %v", name, err)
		}
	case v.value == nil:
		return cty.NilVal, failure("No value for required variable", "The root module input variable %q is not set, and has no default value.", name)
	}
	if v.defaults != nil && !value.IsNull() {
		value = v.defaults.Apply(value)
	}
	value, err := convert.Convert(value, v.ty)
	if err != nil {
		return cty.NilVal, failure("Invalid value for input variable", "The given value is not suitable for var.%s: %v.", name, err)
	}
	return value, nil
}
