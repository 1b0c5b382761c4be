package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// address names a resource or a data source. There are no instances: core knows neither count nor for_each.
type address struct {
	data       bool
	kind, name string
}

func (a address) String() string {
	if a.data {
		return "data." + a.kind + "." + a.name
	}
	return a.kind + "." + a.name
}

// module is a configuration.
type module struct {
	directory string
	variables map[string]*variable
	locals    map[string]hcl.Expression
	outputs   map[string]hcl.Expression
	// provider has the arguments of the provider's block.
	provider hcl.Attributes
	blocks   map[address]*block
}

type variable struct {
	ty       cty.Type
	defaults *typeexpr.Defaults
	value    hcl.Expression // The default; nil if it has none.
}

// block is a resource or a data source.
type block struct {
	arguments hcl.Attributes
	dependsOn []address
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

func newModule(directory string) *module {
	return &module{
		directory: directory, variables: map[string]*variable{}, locals: map[string]hcl.Expression{},
		outputs: map[string]hcl.Expression{}, blocks: map[address]*block{},
	}
}

// parseModule reads a configuration from its text.
func parseModule(source string) (*module, error) {
	m := newModule(".")
	file, diags := hclparse.NewParser().ParseHCL([]byte(source), "main.tf")
	err := m.add(file, diags)
	return m, err
}

// loadModule reads a configuration from the files of a directory.
func loadModule(directory string) (*module, error) {
	m, parser := newModule(directory), hclparse.NewParser()
	names, err := filepath.Glob(filepath.Join(directory, "*.tf"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s has no configuration", directory)
	}
	for _, name := range names {
		file, diags := parser.ParseHCLFile(name)
		if err := m.add(file, diags); err != nil {
			return nil, err
		}
	}
	return m, err
}

func (m *module) add(file *hcl.File, diags hcl.Diagnostics) error {
	if diags.HasErrors() {
		return syntaxProblems(diags)
	}
	content, diags := file.Body.Content(moduleSchema)
	for _, b := range content.Blocks {
		if b.Type == "terraform" {
			continue
		}
		// The provider's schemas have no nested blocks, and lifecycle needs the real core.
		attributes, d := b.Body.JustAttributes()
		diags = append(diags, d...)
		switch b.Type {
		case "locals":
			for name, local := range attributes {
				m.locals[name] = local.Expr
			}
		case "variable":
			m.variables[b.Labels[0]], d = newVariable(attributes)
			diags = append(diags, d...)
		case "output":
			m.outputs[b.Labels[0]] = attributes["value"].Expr
		case "provider":
			m.provider = attributes
		case "resource", "data":
			m.blocks[address{b.Type == "data", b.Labels[0], b.Labels[1]}] = newBlock(attributes)
		}
	}
	if diags.HasErrors() {
		return syntaxProblems(diags)
	}
	return nil
}

func newVariable(attributes hcl.Attributes) (v *variable, diags hcl.Diagnostics) {
	v = &variable{ty: cty.DynamicPseudoType}
	if ty, ok := attributes["type"]; ok {
		v.ty, v.defaults, diags = typeexpr.TypeConstraintWithDefaults(ty.Expr)
	}
	if value, ok := attributes["default"]; ok {
		v.value = value.Expr
	}
	return v, diags
}

func newBlock(attributes hcl.Attributes) *block {
	b := &block{arguments: attributes}
	if dependsOn, ok := attributes["depends_on"]; ok {
		delete(attributes, "depends_on")
		b.dependsOn = addresses(dependsOn.Expr)
	}
	return b
}

// addresses are the resources and data sources to which an expression refers directly.
func addresses(e hcl.Expression) []address {
	var found []address
	for _, traversal := range e.Variables() {
		names := []string{traversal.RootName(), "", ""}
		for i, step := range traversal[1:min(len(traversal), 3)] {
			if attribute, ok := step.(hcl.TraverseAttr); ok {
				names[i+1] = attribute.Name
			}
		}
		switch {
		case names[0] == "data":
			found = append(found, address{true, names[1], names[2]})
		case !slices.Contains([]string{"var", "local", "path", "terraform"}, names[0]):
			found = append(found, address{false, names[0], names[1]})
		}
	}
	return found
}

// localNames are the locals to which an expression refers directly.
func localNames(e hcl.Expression) []string {
	var found []string
	for _, traversal := range e.Variables() {
		if traversal.RootName() == "local" && len(traversal) > 1 {
			if attribute, ok := traversal[1].(hcl.TraverseAttr); ok {
				found = append(found, attribute.Name)
			}
		}
	}
	return found
}

// references are the resources and data sources to which an expression refers, also through locals.
func (m *module) references(e hcl.Expression) []address {
	found := addresses(e)
	for _, name := range localNames(e) {
		if local, ok := m.locals[name]; ok {
			found = append(found, m.references(local)...)
		}
	}
	return found
}

// dependencies are what a block refers to directly.
func (m *module) dependencies(a address) []address {
	b, ok := m.blocks[a]
	if !ok {
		return nil
	}
	found := slices.Clone(b.dependsOn)
	for _, argument := range b.arguments {
		found = append(found, m.references(argument.Expr)...)
	}
	return found
}

// ancestors are what a block depends on, directly or indirectly.
func (m *module) ancestors(a address) map[address]bool {
	found := map[address]bool{}
	var visit func(address)
	visit = func(a address) {
		for _, needed := range m.dependencies(a) {
			if !found[needed] {
				found[needed] = true
				visit(needed)
			}
		}
	}
	visit(a)
	return found
}

// values are those of the variables: given ones or defaults.
func (m *module) values(given config.Variables) (map[string]cty.Value, problems) {
	values := map[string]cty.Value{}
	var wrong problems
	for name, v := range m.variables {
		value, err := v.with(given[name])
		if err != nil {
			wrong = append(wrong, failure("Invalid value for input variable", "var.%s: %v", name, err)...)
		}
		values[name] = value
	}
	return values, wrong
}

// with returns the value of a variable.
func (v *variable) with(given config.Variable) (cty.Value, error) {
	var value cty.Value
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
	case v.value == nil:
		return cty.NilVal, errors.New("no value for required variable")
	default:
		var diags hcl.Diagnostics
		if value, diags = v.value.Value(nil); diags.HasErrors() {
			return cty.NilVal, diags
		}
	}
	if v.defaults != nil && !value.IsNull() {
		value = v.defaults.Apply(value)
	}
	return convert.Convert(value, v.ty)
}
