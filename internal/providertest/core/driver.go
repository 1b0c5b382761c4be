package core

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Driver makes the calls for one resource that a plan or an apply makes, one after another, for tests that need every
// diagnostic, warnings too, and the state after each call.
type Driver struct {
	start    func() (*process, error)
	typeName string
}

// NewDriver drives a type of resource.
func NewDriver(typeName string, start func() (tfprotov6.ProviderServer, error)) *Driver {
	return &Driver{starter(start), typeName}
}

// Object is what a state holds of the resource. The zero value is a resource that doesn't exist.
type Object struct {
	value    cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
}

// Exists reports whether the state has the resource.
func (o Object) Exists() bool { return o.value != cty.NilVal && !o.value.IsNull() }

// Tainted reports whether the next plan replaces the resource.
func (o Object) Tainted() bool { return o.tainted }

// Taint returns the resource as "taint" stores it.
func (o Object) Taint() Object {
	o.tainted = true
	return o
}

// Attributes are those of the resource, as JSON has them.
func (o Object) Attributes() map[string]any {
	attributes, _ := plain(o.value).(map[string]any)
	return attributes
}

// Copy is the same for another object: other replaces what identifies the first one, by texts of the same length.
func (o Object) Copy(other *strings.Replacer) (Object, error) {
	ty := o.value.Type()
	data, err := ctyjson.Marshal(o.value, ty)
	if err != nil {
		return Object{}, err
	}
	if o.value, err = ctyjson.Unmarshal([]byte(other.Replace(string(data))), ty); err != nil {
		return Object{}, err
	}
	o.private = []byte(other.Replace(string(o.private)))
	if o.identity != nil {
		packed := []byte(other.Replace(string(o.identity.IdentityData.MsgPack)))
		o.identity = &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: packed}}
	}
	return o, nil
}

// Command is a provider that has been started and configured for one walk of core.
type Command struct {
	kind
	// gone is what a refresh left of an object that doesn't exist anymore. Core doesn't store it, but the plan gets it.
	gone Object
}

// Command starts and configures a provider by its environment.
func (d *Driver) Command(ctx context.Context) (*Command, error) {
	p, err := d.start()
	if err != nil {
		return nil, err
	}
	k, out := p.kind(d.typeName, false)
	if out.Failed() {
		return nil, out.Err()
	}
	return &Command{k, Object{value: k.null()}}, p.configure(ctx, hcl.EmptyBody(), nil).Err()
}

// Refresh reads the resource, if there is one. After an error, the state stays what it was.
func (c *Command) Refresh(ctx context.Context, o Object) (Object, Outcome) {
	if !o.Exists() {
		return o, Outcome{}
	}
	now, out := c.refresh(ctx, o)
	if !out.Failed() && now.value.IsNull() {
		c.gone = now
		return Object{}, out
	}
	return now, out
}

// Import imports the resource and reads it; without an error, there is one.
func (c *Command) Import(ctx context.Context, id string) (Object, Outcome) {
	answer, err := c.rpc.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{
		TypeName: c.name, ID: id, ClientCapabilities: &tfprotov6.ImportResourceStateClientCapabilities{},
	})
	if err != nil {
		return Object{}, outcome(nil, err)
	}
	out := outcome(answer.Diagnostics, nil)
	if !out.Failed() && len(answer.ImportedResources) != 1 {
		out.broke(invalidObject, "the import returned another number of objects than one")
	}
	if out.Failed() {
		return Object{}, out
	}
	found := answer.ImportedResources[0]
	value, err := c.decode(found.State)
	if err != nil {
		return Object{}, outcome(nil, err)
	}
	out.broke(invalidObject, objectFlaws(c.attributes, value)...)
	now, more := c.refresh(ctx, Object{value: value, private: found.Private, identity: found.Identity})
	out.join(more)
	if !out.Failed() && now.value.IsNull() {
		out.join(failure("Cannot import non-existent remote object", ""))
	}
	if out.Failed() {
		return Object{}, out
	}
	return now, out
}

// Plan plans the resource with the arguments of a configuration; nil destroys it. What isn't set is null.
func (c *Command) Plan(ctx context.Context, o Object, arguments map[string]any) (*Planned, Outcome) {
	return c.planFrom(ctx, o, arguments, false)
}

// Replace plans like Plan, with -replace.
func (c *Command) Replace(ctx context.Context, o Object, arguments map[string]any) (*Planned, Outcome) {
	return c.planFrom(ctx, o, arguments, true)
}

func (c *Command) planFrom(ctx context.Context, prior Object, arguments map[string]any, forced bool) (*Planned, Outcome) {
	if !prior.Exists() {
		if prior = c.gone; arguments == nil {
			return &Planned{prior: prior, after: prior}, Outcome{}
		}
	}
	config, out := c.null(), Outcome{}
	if arguments != nil {
		text, err := json.Marshal(arguments)
		if err == nil {
			config, err = ctyjson.Unmarshal(text, c.ty)
		}
		if err != nil {
			return nil, outcome(nil, err)
		}
		if out = c.validate(ctx, config); out.Failed() {
			return nil, out
		}
	}
	made, more := c.plan(ctx, prior, config, forced)
	out.join(more)
	return made, out
}

// Apply carries out a plan. The state is what core would store.
func (c *Command) Apply(ctx context.Context, p *Planned) (Object, Outcome) {
	var out Outcome
	if p.action == noop {
		return p.prior, out
	}
	if p.action == destroy || p.action == replace {
		left, gone := c.destroy(ctx, p)
		if out = gone; out.Failed() || p.action == destroy {
			return left, out
		}
	}
	stored, more := c.write(ctx, p, p.config)
	out.join(more)
	return stored, out
}
