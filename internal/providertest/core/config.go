package core

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/zclconf/go-cty/cty"
)

// module is a configuration.
type module struct {
	directory string
	variables map[string]*variable
	locals    map[string]hcl.Expression
	outputs   map[string]*output
	providers map[string]*block
	// resources has data sources, too.
	resources map[resourceKey]*block
}

type variable struct {
	ty       cty.Type
	defaults *typeexpr.Defaults
	value    hcl.Expression // The default; nil if it has none.
}

type output struct {
	value     hcl.Expression
	sensitive bool
}

// block is a resource, a data source, or the configuration of a provider.
type block struct {
	title string
	at    hcl.Range
	// arguments are those of the provider's schema.
	arguments      hcl.Attributes
	count, forEach hcl.Expression
	dependsOn      []resourceKey
}

// resourceKey names a resource or data source with all its instances.
type resourceKey struct {
	data           bool
	resource, name string
}

func (k resourceKey) String() string {
	if k.data {
		return "data." + k.resource + "." + k.name
	}
	return k.resource + "." + k.name
}

// provider is the local name of the provider of a resource.
func (k resourceKey) provider() string {
	name, _, _ := strings.Cut(k.resource, "_")
	return name
}

// plans says whether a provider under test plans it: it is no data source, and not core's own.
func (k resourceKey) plans() bool { return !k.data && k.provider() != "terraform" }

// moduleSchema is the part of the language that core supports.
var moduleSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "terraform"}, {Type: "locals"},
	{Type: "variable", LabelNames: []string{"name"}},
	{Type: "output", LabelNames: []string{"name"}},
	{Type: "provider", LabelNames: []string{"name"}},
	{Type: "resource", LabelNames: []string{"type", "name"}},
	{Type: "data", LabelNames: []string{"type", "name"}},
}}

// loadModule reads a configuration from source or, if that is empty, from files.
func loadModule(directory string, files []string, source string) (*module, problems) {
	m := &module{
		directory: directory, variables: map[string]*variable{}, locals: map[string]hcl.Expression{},
		outputs: map[string]*output{}, providers: map[string]*block{}, resources: map[resourceKey]*block{},
	}
	parser := hclparse.NewParser()
	if source != "" {
		file, diags := parser.ParseHCL([]byte(source), "main.tf")
		if diags.HasErrors() {
			return nil, syntaxProblems(diags)
		}
		wrong := m.add(file.Body)
		return m, wrong
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, failure("Failed to read file", "%v", err)
		}
		file, diags := parser.ParseHCL(content, filepath.Base(name))
		if diags.HasErrors() {
			return nil, syntaxProblems(diags)
		}
		if wrong := m.add(file.Body); len(wrong) > 0 {
			return nil, wrong
		}
	}
	return m, nil
}

// configurationFiles returns the configuration files of a directory.
func configurationFiles(directory string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.tf"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no configuration", directory)
	}
	slices.Sort(files)
	return files, err
}

func (m *module) add(body hcl.Body) problems {
	content, diags := body.Content(moduleSchema)
	if diags.HasErrors() {
		return syntaxProblems(diags)
	}
	for _, b := range content.Blocks {
		switch b.Type {
		case "locals":
			locals, d := b.Body.JustAttributes()
			diags = append(diags, d...)
			for name, local := range locals {
				m.locals[name] = local.Expr
			}
		case "variable":
			v, d := newVariable(b)
			m.variables[b.Labels[0]], diags = v, append(diags, d...)
		case "output":
			o, d := newOutput(b)
			m.outputs[b.Labels[0]], diags = o, append(diags, d...)
		case "provider":
			configured, d := newBlock(b)
			m.providers[b.Labels[0]], diags = configured, append(diags, d...)
		case "resource", "data":
			resource, d := newBlock(b)
			m.resources[resourceKey{b.Type == "data", b.Labels[0], b.Labels[1]}], diags = resource, append(diags, d...)
		}
	}
	return syntaxProblems(diags)
}

func newVariable(b *hcl.Block) (*variable, hcl.Diagnostics) {
	attributes, diags := b.Body.JustAttributes()
	v := &variable{ty: cty.DynamicPseudoType}
	if ty, ok := attributes["type"]; ok {
		var d hcl.Diagnostics
		v.ty, v.defaults, d = typeexpr.TypeConstraintWithDefaults(ty.Expr)
		diags = append(diags, d...)
	}
	if value, ok := attributes["default"]; ok {
		v.value = value.Expr
	}
	return v, diags
}

func newOutput(b *hcl.Block) (*output, hcl.Diagnostics) {
	attributes, diags := b.Body.JustAttributes()
	o := &output{}
	if value, ok := attributes["value"]; ok {
		o.value = value.Expr
	}
	_, o.sensitive = attributes["sensitive"]
	return o, diags
}

// newBlock fails on nested blocks: the provider's schemas have none, and lifecycle needs the real core.
func newBlock(b *hcl.Block) (*block, hcl.Diagnostics) {
	attributes, diags := b.Body.JustAttributes()
	made := &block{title: b.Type, at: b.DefRange, arguments: attributes}
	for _, label := range b.Labels {
		made.title += fmt.Sprintf(" %q", label)
	}
	if b.Type == "provider" {
		return made, diags
	}
	take := func(name string) hcl.Expression {
		attribute, ok := attributes[name]
		if !ok {
			return nil
		}
		delete(attributes, name)
		return attribute.Expr
	}
	made.count, made.forEach = take("count"), take("for_each")
	if dependsOn := take("depends_on"); dependsOn != nil {
		listed, d := hcl.ExprList(dependsOn)
		diags = append(diags, d...)
		for _, expression := range listed {
			traversal, d := hcl.AbsTraversalForExpr(expression)
			diags = append(diags, d...)
			if key, ok := reference(traversal); ok {
				made.dependsOn = append(made.dependsOn, key)
			}
		}
	}
	return made, diags
}

// notResources are the root names of references that don't lead to resources.
var notResources = []string{"var", "local", "count", "each", "path", "terraform"}

// reference is the resource that a traversal leads to.
func reference(t hcl.Traversal) (resourceKey, bool) {
	if len(t) < 2 || slices.Contains(notResources, t.RootName()) {
		return resourceKey{}, false
	}
	var names []string
	for _, step := range t[1:] {
		attribute, ok := step.(hcl.TraverseAttr)
		if !ok {
			break
		}
		names = append(names, attribute.Name)
	}
	if t.RootName() == "data" && len(names) > 1 {
		return resourceKey{true, names[0], names[1]}, true
	}
	if len(names) == 0 {
		return resourceKey{}, false
	}
	return resourceKey{false, t.RootName(), names[0]}, true
}

// references are the resources that an expression refers to, directly or through locals.
func (m *module) references(expressions ...hcl.Expression) []resourceKey {
	var found []resourceKey
	seen := map[string]bool{}
	var visit func(hcl.Expression)
	visit = func(expression hcl.Expression) {
		if expression == nil {
			return
		}
		for _, traversal := range expression.Variables() {
			if key, ok := reference(traversal); ok {
				found = append(found, key)
			}
			if name, ok := localName(traversal); ok && !seen[name] {
				seen[name] = true
				visit(m.locals[name])
			}
		}
	}
	for _, expression := range expressions {
		visit(expression)
	}
	return found
}

func localName(t hcl.Traversal) (string, bool) {
	if t.RootName() != "local" || len(t) < 2 {
		return "", false
	}
	attribute, ok := t[1].(hcl.TraverseAttr)
	return attribute.Name, ok
}

// dependencies are the resources that a block refers to directly.
func (m *module) dependencies(b *block) []resourceKey {
	if b == nil {
		return nil
	}
	expressions := []hcl.Expression{b.count, b.forEach}
	for _, argument := range b.arguments {
		expressions = append(expressions, argument.Expr)
	}
	return append(m.references(expressions...), b.dependsOn...)
}

// ancestors are the resources that a resource depends on, directly or indirectly.
func (m *module) ancestors(key resourceKey) map[resourceKey]bool {
	found := map[resourceKey]bool{}
	var visit func(resourceKey)
	visit = func(key resourceKey) {
		b, ok := m.resources[key]
		if !ok {
			return
		}
		for _, needed := range m.dependencies(b) {
			if !found[needed] {
				found[needed] = true
				visit(needed)
			}
		}
	}
	visit(key)
	return found
}

// constant is an expression without references.
func constant(e hcl.Expression) (cty.Value, hcl.Diagnostics) {
	if e == nil {
		return cty.NullVal(cty.DynamicPseudoType), nil
	}
	return e.Value(nil)
}
