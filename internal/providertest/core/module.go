package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// builtin are the functions of the language that configurations of tests call.
var builtin = map[string]function.Function{
	"jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc, "merge": stdlib.MergeFunc,
}

// module is a configuration.
type module struct {
	// given are the values of variables: "var." and a name.
	given map[string]cty.Value
	// provider has the arguments of the provider's block.
	provider hcl.Attributes
	// nodes are everything else, by address. There are no instances: core knows neither count nor for_each.
	nodes map[string]*node
}

// node is a resource, a data source, a local or an output. The last two have one argument, value, and no type.
type node struct {
	isData    bool
	typeName  string
	arguments hcl.Attributes
	// needs are the addresses that it refers to; dependsOn are those in depends_on.
	needs, dependsOn []string
}

// moduleSchema is the part of the language that core supports.
var moduleSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "terraform"}, {Type: "locals"},
	{Type: "variable", LabelNames: []string{"name"}},
	{Type: "output", LabelNames: []string{"name"}},
	{Type: "provider", LabelNames: []string{"name"}},
	{Type: "resource", LabelNames: []string{"type", "name"}},
	{Type: "data", LabelNames: []string{"type", "name"}},
}}

func newModule() *module { return &module{given: map[string]cty.Value{}, nodes: map[string]*node{}} }

// parseModule reads a configuration from its text.
func parseModule(source string, variables config.Variables) (*module, error) {
	m := newModule()
	file, diags := hclparse.NewParser().ParseHCL([]byte(source), "main.tf")
	return m, m.add(file, diags, variables).err()
}

// loadModule reads a configuration from the files of a directory.
func loadModule(directory string, variables config.Variables) (*module, error) {
	m, parser := newModule(), hclparse.NewParser()
	names, err := filepath.Glob(filepath.Join(directory, "*.tf"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s has no configuration", directory)
	}
	for _, name := range names {
		file, diags := parser.ParseHCLFile(name)
		if wrong := m.add(file, diags, variables); len(wrong) > 0 {
			return nil, wrong
		}
	}
	return m, err
}

func (m *module) add(file *hcl.File, diags hcl.Diagnostics, variables config.Variables) problems {
	if diags.HasErrors() {
		return syntaxProblems(diags)
	}
	content, diags := file.Body.Content(moduleSchema)
	var wrong problems
	for _, b := range content.Blocks {
		if b.Type == "terraform" {
			continue
		}
		// The provider's schemas have no nested blocks, and lifecycle needs the real core.
		attributes, d := b.Body.JustAttributes()
		diags = append(diags, d...)
		name := strings.Join(b.Labels, ".")
		switch b.Type {
		case "locals":
			for name, local := range attributes {
				m.nodes["local."+name] = newNode("", hcl.Attributes{"value": local})
			}
		case "output":
			m.nodes["output."+name] = newNode("", hcl.Attributes{"value": attributes["value"]})
		case "resource":
			m.nodes[name] = newNode(b.Labels[0], attributes)
		case "data":
			m.nodes["data."+name] = newNode(b.Labels[0], attributes)
			m.nodes["data."+name].isData = true
		case "provider":
			m.provider = attributes
		case "variable":
			value, err := variable(attributes, variables[name])
			if err != nil {
				wrong = append(wrong, failure("Invalid value for input variable", "var.%s: %v", name, err)...)
			}
			m.given["var."+name] = value
		}
	}
	return append(syntaxProblems(diags), wrong...)
}

func newNode(typeName string, attributes hcl.Attributes) *node {
	n := &node{typeName: typeName, arguments: attributes}
	for _, attribute := range attributes {
		n.needs = append(n.needs, addresses(attribute.Expr)...)
	}
	if first, ok := attributes["depends_on"]; ok {
		n.dependsOn = addresses(first.Expr)
		delete(attributes, "depends_on")
	}
	return n
}

// addresses are those to which an expression refers.
func addresses(e hcl.Expression) []string {
	var found []string
	for _, traversal := range e.Variables() {
		names := []string{traversal.RootName()}
		for _, step := range traversal[1:] {
			if attribute, ok := step.(hcl.TraverseAttr); ok {
				names = append(names, attribute.Name)
			}
		}
		parts := 2
		if names[0] == "data" {
			parts = 3
		}
		found = append(found, strings.Join(names[:min(parts, len(names))], "."))
	}
	return found
}

// ancestors are what a node depends on, directly or indirectly.
func (m *module) ancestors(at string) map[string]bool {
	found := map[string]bool{}
	var visit func(string)
	visit = func(at string) {
		if n, ok := m.nodes[at]; ok {
			for _, needed := range n.needs {
				if !found[needed] {
					found[needed] = true
					visit(needed)
				}
			}
		}
	}
	visit(at)
	return found
}

// walk visits names, each after those that it needs, and returns what goes wrong. What needs something that has failed isn't visited.
func walk(needs map[string][]string, backwards bool, visit func(name string) problems) problems {
	var all problems
	succeeded := map[string]bool{}
	var walk func(string)
	walk = func(name string) {
		if _, visited := succeeded[name]; visited {
			return
		}
		ready := true
		succeeded[name] = false
		for _, needed := range needs[name] {
			if _, exists := needs[needed]; exists {
				walk(needed)
				ready = ready && succeeded[needed]
			}
		}
		if ready {
			wrong := visit(name)
			succeeded[name] = len(wrong) == 0
			all = append(all, wrong...)
		}
	}
	names := slices.Sorted(maps.Keys(needs))
	if backwards {
		slices.Reverse(names)
	}
	for _, name := range names {
		walk(name)
	}
	return all
}

// variable returns the value of a variable: the given one or the default.
func variable(attributes hcl.Attributes, given config.Variable) (value cty.Value, err error) {
	ty, defaults := cty.DynamicPseudoType, (*typeexpr.Defaults)(nil)
	var diags hcl.Diagnostics
	if constraint, ok := attributes["type"]; ok {
		if ty, defaults, diags = typeexpr.TypeConstraintWithDefaults(constraint.Expr); diags.HasErrors() {
			return cty.NilVal, diags
		}
	}
	declared, hasDefault := attributes["default"]
	switch {
	case given != nil:
		data, err := json.Marshal(given)
		if err != nil {
			return cty.NilVal, err
		}
		var simple ctyjson.SimpleJSONValue
		if err := json.Unmarshal(data, &simple); err != nil {
			return cty.NilVal, err
		}
		value = simple.Value
	case !hasDefault:
		return cty.NilVal, errors.New("no value for required variable")
	default:
		if value, diags = declared.Expr.Value(nil); diags.HasErrors() {
			return cty.NilVal, diags
		}
	}
	if defaults != nil && !value.IsNull() {
		value = defaults.Apply(value)
	}
	return convert.Convert(value, ty)
}

// evaluate returns the value of an expression, which may refer to values by their addresses.
func evaluate(e hcl.Expression, values map[string]cty.Value) (cty.Value, hcl.Diagnostics) {
	return e.Value(&hcl.EvalContext{Variables: nest(values), Functions: builtin})
}

// nest makes objects of values by the parts of their addresses.
func nest(values map[string]cty.Value) map[string]cty.Value {
	nested, members := map[string]cty.Value{}, map[string]map[string]cty.Value{}
	for address, value := range values {
		first, rest, more := strings.Cut(address, ".")
		if !more {
			nested[first] = value
			continue
		}
		if members[first] == nil {
			members[first] = map[string]cty.Value{}
		}
		members[first][rest] = value
	}
	for first, values := range members {
		nested[first] = cty.ObjectVal(nest(values))
	}
	return nested
}

// body evaluates the arguments of a block as values of a schema.
func body(arguments hcl.Attributes, as *schema, values map[string]cty.Value) (cty.Value, problems) {
	var wrong problems
	for name := range arguments {
		if !as.ty.HasAttribute(name) {
			wrong = append(wrong, failure("Unsupported argument", "An argument named %q is not expected here.", name)...)
		}
	}
	evaluated := map[string]cty.Value{}
	for _, a := range as.attributes {
		evaluated[a.Name] = cty.NullVal(as.ty.AttributeType(a.Name))
		argument, ok := arguments[a.Name]
		if !ok {
			if a.Required {
				wrong = append(wrong, failure("Missing required argument", "The argument %q is required, but no definition was found.", a.Name)...)
			}
			continue
		}
		v, diags := evaluate(argument.Expr, values)
		if diags.HasErrors() {
			wrong = append(wrong, syntaxProblems(diags)...)
			continue
		}
		converted, err := convert.Convert(v, as.config.AttributeType(a.Name))
		if err != nil {
			wrong = append(wrong, failure("Incorrect attribute value type", "Inappropriate value for attribute %q: %v.", a.Name, err)...)
			continue
		}
		evaluated[a.Name] = unrefined(converted)
	}
	if len(wrong) > 0 {
		return as.null(), wrong
	}
	return cty.ObjectVal(evaluated), nil
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
