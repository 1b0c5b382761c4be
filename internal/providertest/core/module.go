package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/hcl/v2/hclsyntax"
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
	provider hcl.Body
	// nodes are everything else, by address. There are no instances: core knows neither count nor for_each.
	nodes map[string]*node
}

// node is a resource or a data source with arguments, or a local or an output with a value and no type.
type node struct {
	isData    bool
	typeName  string
	arguments hcl.Body
	value     hcl.Expression
	// removed means that it isn't configured anymore.
	removed bool
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

// readModule returns the text of the files of a directory.
func readModule(directory string) (string, error) {
	names, err := filepath.Glob(filepath.Join(directory, "*.tf"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s has no configuration", directory)
	}
	var all []byte
	for _, name := range names {
		text, unread := os.ReadFile(name)
		all, err = append(append(all, text...), '\n'), errors.Join(err, unread)
	}
	return string(all), err
}

// parseModule reads a configuration from its text.
func parseModule(source string, variables config.Variables) (*module, error) {
	file, diags := hclsyntax.ParseConfig([]byte(source), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	content, diags := file.Body.Content(moduleSchema)
	m := &module{map[string]cty.Value{}, hcl.EmptyBody(), map[string]*node{}}
	for _, b := range content.Blocks {
		if b.Type == "terraform" {
			continue
		}
		// The provider's schemas have no nested blocks, and lifecycle needs the real core.
		attributes, more := b.Body.JustAttributes()
		diags = append(diags, more...)
		name := strings.Join(b.Labels, ".")
		switch b.Type {
		case "locals":
			for name, local := range attributes {
				m.nodes["local."+name] = &node{value: local.Expr, needs: addresses(local.Expr)}
			}
		case "output":
			m.nodes["output."+name] = &node{value: attributes["value"].Expr, needs: addresses(attributes["value"].Expr)}
		case "resource", "data":
			n := &node{isData: b.Type == "data", typeName: b.Labels[0], arguments: b.Body}
			for _, attribute := range attributes {
				n.needs = append(n.needs, addresses(attribute.Expr)...)
			}
			if first, ok := attributes["depends_on"]; ok {
				n.dependsOn = addresses(first.Expr)
				block, _ := b.Body.(*hclsyntax.Body) // Nothing else has been parsed.
				delete(block.Attributes, "depends_on")
			}
			if n.isData {
				name = "data." + name
			}
			m.nodes[name] = n
		case "provider":
			m.provider = b.Body
		case "variable":
			value, err := variable(attributes, variables[name])
			if err != nil {
				return nil, fmt.Errorf("invalid value for input variable: var.%s: %w", name, err)
			}
			m.given["var."+name] = value
		}
	}
	return m, invalid(diags).Err()
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

// variable returns the value of a variable: the given one or the default.
func variable(attributes hcl.Attributes, given config.Variable) (value cty.Value, err error) {
	ty, defaults := cty.DynamicPseudoType, (*typeexpr.Defaults)(nil)
	var diags hcl.Diagnostics
	if constraint, ok := attributes["type"]; ok {
		if ty, defaults, diags = typeexpr.TypeConstraintWithDefaults(constraint.Expr); diags.HasErrors() {
			return cty.NilVal, diags
		}
	}
	if given != nil {
		var simple ctyjson.SimpleJSONValue
		data, err := json.Marshal(given)
		if err == nil {
			err = json.Unmarshal(data, &simple)
		}
		if err != nil {
			return cty.NilVal, err
		}
		value = simple.Value
	} else if declared, ok := attributes["default"]; !ok {
		return cty.NilVal, errors.New("no value for required variable")
	} else if value, diags = declared.Expr.Value(nil); diags.HasErrors() {
		return cty.NilVal, diags
	}
	if defaults != nil && !value.IsNull() {
		value = defaults.Apply(value)
	}
	return convert.Convert(value, ty)
}

// scope has values by their addresses: those of fake_thing.a and fake_thing.b become an object fake_thing with two attributes.
func scope(values map[string]cty.Value) *hcl.EvalContext {
	return &hcl.EvalContext{Variables: nest(values), Functions: builtin}
}

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
func body(arguments hcl.Body, as *schema, values map[string]cty.Value) (cty.Value, Outcome) {
	config, diags := hcldec.Decode(arguments, as.arguments, scope(values))
	if diags.HasErrors() {
		return as.null(), invalid(diags)
	}
	// Providers need not keep refinements of unknown values, such as the length of a list.
	config, err := cty.Transform(config, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if !v.IsKnown() {
			return cty.UnknownVal(v.Type()), nil
		}
		return v, nil
	})
	return config, outcome(nil, err)
}
