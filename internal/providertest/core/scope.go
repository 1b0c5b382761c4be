package core

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// builtin are the functions of the language that configurations of tests call.
var builtin = map[string]function.Function{
	"jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc, "merge": stdlib.MergeFunc,
}

// table has an entry for each address. Operations work on several at a time.
type table[V any] struct {
	mu      sync.Mutex
	entries map[address]V
}

func newTable[V any](entries map[address]V) *table[V] {
	if entries == nil {
		entries = map[address]V{}
	}
	return &table[V]{entries: entries}
}

func (t *table[V]) set(a address, v V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries[a] = v
}

func (t *table[V]) remove(a address) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.entries, a)
}

func (t *table[V]) get(a address) (V, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.entries[a]
	return v, ok
}

// all is a copy.
func (t *table[V]) all() map[address]V {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.entries)
}

// scope is what expressions of a module may refer to.
type scope struct {
	module    *module
	variables map[string]cty.Value
	// values are those of resources and data sources, once they are known or planned. What isn't set yet is unknown.
	values *table[cty.Value]
}

// value evaluates an expression.
func (s *scope) value(e hcl.Expression) (cty.Value, hcl.Diagnostics) {
	ctx, diags := s.context(e)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	return e.Value(ctx)
}

// context holds just what an expression refers to.
func (s *scope) context(e hcl.Expression) (*hcl.EvalContext, hcl.Diagnostics) {
	locals, managed, data := map[string]cty.Value{}, map[string]map[string]cty.Value{}, map[string]map[string]cty.Value{}
	for _, name := range localNames(e) {
		if local, ok := s.module.locals[name]; ok {
			v, diags := s.value(local)
			if diags.HasErrors() {
				return nil, diags
			}
			locals[name] = v
		}
	}
	for _, a := range addresses(e) {
		if s.module.blocks[a] == nil {
			continue // What doesn't exist is a problem of the expression's.
		}
		types := managed
		if a.data {
			types = data
		}
		if types[a.kind] == nil {
			types[a.kind] = map[string]cty.Value{}
		}
		types[a.kind][a.name] = cty.DynamicVal
		if v, ok := s.values.get(a); ok {
			types[a.kind][a.name] = v
		}
	}
	directory := cty.StringVal(s.module.directory)
	variables := map[string]cty.Value{
		"var": cty.ObjectVal(s.variables), "local": cty.ObjectVal(locals), "data": cty.ObjectVal(objects(data)),
		"path": cty.ObjectVal(map[string]cty.Value{"module": directory, "root": directory}),
	}
	maps.Copy(variables, objects(managed))
	return &hcl.EvalContext{Variables: variables, Functions: builtin}, nil
}

func objects(types map[string]map[string]cty.Value) map[string]cty.Value {
	all := map[string]cty.Value{}
	for name, resources := range types {
		all[name] = cty.ObjectVal(resources)
	}
	return all
}

// body evaluates the arguments of a block as values of a schema.
func (s *scope) body(arguments hcl.Attributes, as *schema) (cty.Value, problems) {
	var wrong problems
	for name := range arguments {
		if !as.ty.HasAttribute(name) {
			wrong = append(wrong, failure("Unsupported argument", "An argument named %q is not expected here.", name)...)
		}
	}
	values := map[string]cty.Value{}
	for _, a := range as.attributes {
		values[a.Name] = cty.NullVal(as.ty.AttributeType(a.Name))
		argument, ok := arguments[a.Name]
		if !ok {
			if a.Required {
				wrong = append(wrong, failure("Missing required argument", "The argument %q is required, but no definition was found.", a.Name)...)
			}
			continue
		}
		v, diags := s.value(argument.Expr)
		if diags.HasErrors() {
			wrong = append(wrong, syntaxProblems(diags)...)
			continue
		}
		converted, err := convert.Convert(v, as.config.AttributeType(a.Name))
		if err != nil {
			wrong = append(wrong, failure("Incorrect attribute value type", "Inappropriate value for attribute %q: %s.", a.Name, explain(err))...)
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

// outputs evaluates the outputs of the module.
func (s *scope) outputs() (map[string]cty.Value, problems) {
	values := map[string]cty.Value{}
	var wrong problems
	for _, name := range slices.Sorted(maps.Keys(s.module.outputs)) {
		value, diags := s.value(s.module.outputs[name])
		wrong, values[name] = append(wrong, syntaxProblems(diags)...), value
	}
	return values, wrong
}
