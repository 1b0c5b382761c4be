package core

import (
	"context"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/zclconf/go-cty/cty"
)

// installed is the provider of a configuration. Its schemas are read once, because they are the same in every process.
type installed struct {
	start   func() (tfprotov6.ProviderServer, error)
	schemas *schemas
}

// state is kept from one operation to the next.
type state struct {
	objects map[address]object
	outputs map[string]cty.Value
}

// order is the order in which resources are planned that don't depend on each other. The outcome must not depend on it.
type order int

const (
	concurrent order = iota // As in a CLI.
	forwards                // One after another, by name.
	backwards
)

// command is one operation, as one process of a CLI would do it.
type command struct {
	*scope
	rpc     tfprotov6.ProviderServer
	schemas *schemas
	objects *table[object]
	changes *table[*change]
	order   order
	// open means that the order in which the provider planned something was the walk's choice.
	open bool

	mu sync.Mutex
	// warnings are what the provider said while it planned.
	warnings problems
}

func newCommand(ctx context.Context, provider *installed, m *module, given config.Variables, s state) (*command, problems) {
	rpc, err := provider.start()
	if err == nil && provider.schemas == nil {
		provider.schemas, err = readSchemas(ctx, rpc)
	}
	if err != nil {
		return nil, failure("Failed to load plugin schemas", "%v", err)
	}
	values, wrong := m.values(given)
	return &command{
		scope: &scope{m, values, newTable[cty.Value](nil)}, rpc: rpc, schemas: provider.schemas,
		objects: newTable(maps.Clone(s.objects)), changes: newTable[*change](nil),
	}, wrong
}

// kind returns the type of a resource or data source.
func (c *command) kind(a address) (kind, problems) {
	if a.kind == terraformData {
		return kind{terraformDataSchema, false, a.kind, terraformProvider{}}, nil
	}
	declared, what := c.schemas.managed, "resource"
	if a.data {
		declared, what = c.schemas.data, "data source"
	}
	if as, ok := declared[a.kind]; ok {
		return kind{as, a.data, a.kind, c.rpc}, nil
	}
	return kind{}, failure("Invalid "+what+" type", "The provider does not support %s type %q.", what, a.kind)
}

// configure validates and sets the configuration of the provider, which refers to no resources.
func (c *command) configure(ctx context.Context) problems {
	value, wrong := c.body(c.module.provider, c.schemas.config)
	if len(wrong) > 0 {
		return wrong
	}
	encoded, err := c.schemas.config.encode(value)
	if err != nil {
		return failure("Invalid provider configuration", "%v", err)
	}
	checked, err := c.rpc.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: encoded})
	if err != nil {
		return failure("Plugin error", "%v", err)
	}
	if hasErrors(checked.Diagnostics) {
		return errorsOf("", checked.Diagnostics)
	}
	configured, err := c.rpc.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: terraformVersion, Config: encoded})
	if err != nil {
		return failure("Plugin error", "%v", err)
	}
	return errorsOf("", configured.Diagnostics)
}

// evaluate returns the configuration of a resource, validated by the provider.
func (c *command) evaluate(ctx context.Context, s *scope, a address) (cty.Value, problems) {
	k, wrong := c.kind(a)
	if len(wrong) > 0 {
		return cty.NilVal, wrong
	}
	value, wrong := s.body(s.module.blocks[a].arguments, k.schema)
	if len(wrong) > 0 {
		return value, wrong
	}
	diags, err := k.validate(ctx, value)
	return value, Outcome{Diagnostics: diags}.problems(a.String(), err)
}

// validate checks a configuration without values of variables or resources.
func (c *command) validate(ctx context.Context) problems {
	unknown := map[string]cty.Value{}
	for name, v := range c.module.variables {
		unknown[name] = cty.UnknownVal(v.ty.WithoutOptionalAttributesDeep())
	}
	s := &scope{c.module, unknown, newTable[cty.Value](nil)}
	for a := range c.module.blocks {
		k, wrong := c.kind(a)
		if len(wrong) > 0 {
			return wrong
		}
		s.values.set(a, cty.UnknownVal(k.ty))
	}
	_, wrong := s.outputs()
	for a := range c.module.blocks {
		_, more := c.evaluate(ctx, s, a)
		wrong = append(wrong, more...)
	}
	return wrong
}
