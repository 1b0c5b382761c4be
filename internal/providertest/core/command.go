package core

import (
	"context"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// factories start providers, by local name. Every command starts its own, as a CLI does.
type factories map[string]func() (tfprotov6.ProviderServer, error)

// installed are the providers of a configuration. Their schemas are read once, because they are the same in every process.
type installed struct {
	factories factories
	schemas   map[string]*schemas
}

func install(f factories) *installed { return &installed{factories: f, schemas: map[string]*schemas{}} }

// start starts a provider in a process of its own.
func (i *installed) start(ctx context.Context, name string) (*server, error) {
	rpc, err := i.factories[name]()
	if err != nil {
		return nil, err
	}
	if i.schemas[name] == nil {
		if i.schemas[name], err = readSchemas(ctx, rpc); err != nil {
			return nil, err
		}
	}
	return &server{schemas: i.schemas[name], rpc: rpc}, nil
}

// command is one operation, as one process of a CLI would do it.
type command struct {
	module    *module
	variables config.Variables
	providers map[string]provider
	scope     *scope
	state     *state
	order     order

	mu sync.Mutex
	// planned is the number of instances that the provider has planned, and warnings are what it said of them.
	planned  int
	warnings problems
	// open means that the order of some of them was the walk's choice.
	open bool
}

// notes adds the warnings in an answer of the provider.
func (c *command) notes(diags []*tfprotov6.Diagnostic, a address) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.planned++
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			c.warnings = append(c.warnings, problem{summary: d.Summary, detail: d.Detail, address: a.String()})
		}
	}
}

func newCommand(ctx context.Context, providers *installed, m *module, variables config.Variables, s *state) (*command, problems) {
	c := &command{module: m, variables: variables, providers: map[string]provider{"terraform": terraformProvider{}}, state: s.clone()}
	functions := maps.Clone(builtin)
	for name := range providers.factories {
		started, err := providers.start(ctx, name)
		if err != nil {
			return nil, failure("Failed to load plugin schemas", "%s: %v", name, err)
		}
		offered, err := started.functions(ctx, name)
		if err != nil {
			return nil, failure("Failed to load plugin schemas", "%s: %v", name, err)
		}
		c.providers[name] = started
		maps.Copy(functions, offered)
	}
	values, wrong := inputVariables(m, variables, true)
	c.scope = newScope(m, values, functions)
	return c, wrong
}

func newScope(m *module, variables map[string]cty.Value, functions map[string]function.Function) *scope {
	return &scope{module: m, variables: variables, functions: functions, values: map[resourceKey]cty.Value{}}
}

func (c *command) schema(key resourceKey) (*schema, provider, problems) {
	owner, ok := c.providers[key.provider()]
	if !ok {
		return nil, nil, failure("Missing provider", "Nothing is known of the provider of %s.", key)
	}
	look := owner.resource
	if key.data {
		look = owner.dataSource
	}
	if found, ok := look(key.resource); ok {
		return found, owner, nil
	}
	kind := "resource"
	if key.data {
		kind = "data source"
	}
	return nil, nil, failure("Invalid "+kind+" type", "The provider does not support %s type %q.", kind, key.resource)
}

// managed returns the type of an instance.
func (c *command) managed(a address) (managed, problems) {
	as, owner, wrong := c.schema(a.resourceKey)
	return managed{owner, a.resource, as}, wrong
}

// outcome returns the problems with a call for an instance. summary is core's for rules that it breaks.
func (c *command) outcome(summary string, a address, out Outcome, err error) problems {
	if err != nil {
		return pluginError(a.String(), err)
	}
	return append(answerProblems(out.Diagnostics, a.String(), c.module.resources[a.resourceKey]), broken(summary, a.String(), out.Broken)...)
}

// validate checks a configuration without values of variables or resources. Commands that
// apply a saved plan or only show something don't validate.
func (c *command) validate(ctx context.Context) problems {
	unknown, wrong := inputVariables(c.module, c.variables, false)
	if len(wrong) > 0 {
		return wrong
	}
	s := newScope(c.module, unknown, c.scope.functions)
	for key, b := range c.module.resources {
		as, _, wrong := c.schema(key)
		if len(wrong) > 0 {
			return wrong
		}
		if b.count == nil && b.forEach == nil {
			s.set(key, cty.UnknownVal(as.ty))
		}
	}
	each := repetition{
		"count": cty.ObjectVal(map[string]cty.Value{"index": cty.UnknownVal(cty.Number)}),
		"each":  cty.ObjectVal(map[string]cty.Value{"key": cty.UnknownVal(cty.String), "value": cty.DynamicVal}),
	}
	for key, b := range c.module.resources {
		_, more := c.evaluate(ctx, s, key, "", b, each)
		wrong = append(wrong, more...)
	}
	for _, o := range c.module.outputs {
		_, diags := s.value(o.value, nil)
		wrong = append(wrong, syntaxProblems(diags)...)
	}
	return wrong
}

// evaluate returns the configuration of an instance, validated by the provider.
func (c *command) evaluate(ctx context.Context, s *scope, key resourceKey, instance string, b *block, each repetition) (cty.Value, problems) {
	as, owner, wrong := c.schema(key)
	if len(wrong) > 0 {
		return cty.NilVal, wrong
	}
	value, wrong := s.body(b, as, each)
	if len(wrong) > 0 {
		return as.null(), wrong
	}
	name := address{key, instance}.String()
	diags, err := owner.validate(ctx, key, value)
	if err != nil {
		return as.null(), pluginError(name, err)
	}
	return value, answerProblems(diags, name, b)
}

// configuring returns the tasks that configure all providers in use, by provider name. Their
// configuration may depend on resources, whose task names named returns.
func (c *command) configuring(ctx context.Context, named func(resourceKey) string) map[string]*task {
	used := map[string]bool{}
	for key := range c.module.resources {
		used[key.provider()] = true
	}
	for a := range c.state.managed() {
		used[a.provider()] = true
	}
	tasks := map[string]*task{}
	for name := range used {
		b := c.module.providers[name]
		t := &task{run: func() problems {
			owner, ok := c.providers[name]
			if !ok {
				return failure("Missing provider", "Nothing is known of the provider %q.", name)
			}
			return owner.configure(ctx, c.scope, b)
		}}
		for _, needed := range c.module.dependencies(b) {
			t.after = append(t.after, named(needed))
		}
		tasks[name] = t
	}
	return tasks
}

// configure configures the providers from the resources in state that their configuration refers to.
func (c *command) configure(ctx context.Context) problems {
	instances := map[resourceKey]map[string]cty.Value{}
	for a, o := range c.state.clone().objects {
		if instances[a.resourceKey] == nil {
			instances[a.resourceKey] = map[string]cty.Value{}
		}
		instances[a.resourceKey][a.key] = o.value
	}
	for key, values := range instances {
		if b, ok := c.module.resources[key]; ok {
			c.scope.set(key, together(b, values))
		}
	}
	return walk(c.order, c.configuring(ctx, resourceKey.String))
}

func pluginError(address string, err error) problems {
	return problems{{summary: "Plugin error", detail: err.Error(), address: address}}
}
