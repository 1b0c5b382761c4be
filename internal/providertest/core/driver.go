package core

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Driver makes the calls for one resource that a plan or an apply makes, one after another, for tests that need every
// diagnostic, warnings too, and the state after each call. It reads the schemas once, although every command starts a
// provider of its own.
type Driver struct {
	typeName string
	start    func() (tfprotov6.ProviderServer, error)
	schemas  func() (*schemas, error)
}

// NewDriver drives a type of resource.
func NewDriver(typeName string, start func() (tfprotov6.ProviderServer, error)) *Driver {
	return &Driver{typeName: typeName, start: start, schemas: sync.OnceValues(func() (*schemas, error) {
		rpc, err := start()
		if err != nil {
			return nil, err
		}
		return readSchemas(context.Background(), rpc)
	})}
}

// Kept is what a state holds of the resource. The zero value is a resource that doesn't exist.
type Kept struct{ object }

// Exists reports whether the state has the resource.
func (k Kept) Exists() bool { return k.exists() }

// Tainted reports whether the next plan replaces the resource.
func (k Kept) Tainted() bool { return k.tainted }

// Taint returns the resource as "taint" stores it.
func (k Kept) Taint() Kept {
	k.tainted = true
	return k
}

// Attributes are those of the resource, as JSON has them.
func (k Kept) Attributes() map[string]any {
	attributes, _ := plain(k.value).(map[string]any)
	return attributes
}

// Copy is the same for another object: other replaces what identifies the first one, by texts of the same length.
func (k Kept) Copy(other *strings.Replacer) (Kept, error) {
	ty := k.value.Type()
	data, err := ctyjson.Marshal(k.value, ty)
	if err != nil {
		return Kept{}, err
	}
	if k.value, err = ctyjson.Unmarshal([]byte(other.Replace(string(data))), ty); err != nil {
		return Kept{}, err
	}
	if k.private != nil {
		k.private = []byte(other.Replace(string(k.private)))
	}
	if k.identity != nil {
		packed := []byte(other.Replace(string(k.identity.IdentityData.MsgPack)))
		k.identity = &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: packed}}
	}
	return k, nil
}

// Command is a provider that has been started and configured for one walk of core.
type Command struct {
	kind
	// gone is what a refresh left of an object that doesn't exist anymore. Core doesn't store it, but the plan gets it.
	gone object
}

// Command starts and configures a provider by its environment.
func (d *Driver) Command(ctx context.Context) (*Command, error) {
	all, err := d.schemas()
	if err != nil {
		return nil, err
	}
	rpc, err := d.start()
	if err != nil {
		return nil, err
	}
	as, ok := all.managed[d.typeName]
	if !ok {
		return nil, fmt.Errorf("the provider has no %s", d.typeName)
	}
	empty, err := ctyjson.Unmarshal([]byte("{}"), all.config.ty)
	if err != nil {
		return nil, err
	}
	config, err := all.config.encode(empty)
	if err != nil {
		return nil, err
	}
	configured, err := rpc.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: terraformVersion, Config: config})
	if err != nil {
		return nil, err
	}
	if hasErrors(configured.Diagnostics) {
		return nil, errorsOf("", configured.Diagnostics)
	}
	return &Command{kind{as, false, d.typeName, rpc}, object{value: as.null()}}, nil
}

// Planned is what an apply will do.
type Planned struct {
	change *change
	config cty.Value
}

// Empty reports whether the plan changes nothing.
func (p *Planned) Empty() bool { return p.change.action == noop }

func (p *Planned) String() string {
	return fmt.Sprintf("%v\nbefore: %v\nafter: %v", actionNames[p.change.action], plain(p.change.prior.value), plain(p.change.planned.value))
}

// Refresh reads the resource, if there is one. After an error, the state stays what it was.
func (c *Command) Refresh(ctx context.Context, k Kept) (Kept, Outcome, error) {
	if !k.Exists() {
		return k, Outcome{}, nil
	}
	now, out, err := c.refresh(ctx, k.object)
	if err == nil && !out.Failed() && now.value.IsNull() {
		c.gone = now
		return Kept{}, out, nil
	}
	return Kept{now}, out, err
}

// Import imports the resource and reads it.
func (c *Command) Import(ctx context.Context, id string) (Kept, Outcome, error) {
	now, out, err := c.adopted(ctx, id)
	if err != nil || out.Failed() {
		return Kept{}, out, err
	}
	return Kept{now}, out, nil
}

// Plan plans the resource with the arguments of a configuration; nil destroys it. What isn't set is null.
func (c *Command) Plan(ctx context.Context, k Kept, arguments map[string]any) (*Planned, Outcome, error) {
	return c.planFrom(ctx, k, arguments, false)
}

// Replace plans like Plan, with -replace.
func (c *Command) Replace(ctx context.Context, k Kept, arguments map[string]any) (*Planned, Outcome, error) {
	return c.planFrom(ctx, k, arguments, true)
}

func (c *Command) planFrom(ctx context.Context, k Kept, arguments map[string]any, forced bool) (*Planned, Outcome, error) {
	prior, config := k.object, c.null()
	if !k.Exists() {
		prior = c.gone
	}
	if arguments == nil && !k.Exists() {
		return &Planned{&change{prior: prior, planned: &proposal{object: prior}}, config}, Outcome{}, nil
	}
	out := Outcome{}
	if arguments != nil {
		text, err := json.Marshal(arguments)
		if err != nil {
			return nil, out, err
		}
		if config, err = ctyjson.Unmarshal(text, c.ty); err != nil {
			return nil, out, err
		}
		out.Diagnostics, err = c.validate(ctx, config)
		if err != nil || out.Failed() {
			return nil, out, err
		}
	}
	made, more, err := c.plan(ctx, prior, config, forced)
	out.join(more)
	return &Planned{made, config}, out, err
}

// Apply carries out a plan. The state is what core would store.
func (c *Command) Apply(ctx context.Context, p *Planned) (Kept, Outcome, error) {
	var out Outcome
	action := p.change.action
	if action == noop {
		return Kept{p.change.prior}, out, nil
	}
	if action == destroy || action == replace {
		left, gone, err := c.destroy(ctx, p.change)
		if out = gone; err != nil || out.Failed() || action == destroy {
			return Kept{left}, out, err
		}
	}
	stored, more, err := c.write(ctx, p.change, p.config)
	out.join(more)
	return Kept{stored}, out, err
}
