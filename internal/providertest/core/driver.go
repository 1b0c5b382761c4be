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
func (k Kept) Exists() bool { return k.value != cty.NilVal && !k.value.IsNull() }

// Tainted reports whether the next plan replaces the resource.
func (k Kept) Tainted() bool { return k.tainted }

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
	k.private = []byte(other.Replace(string(k.private)))
	if k.identity != nil {
		packed := []byte(other.Replace(string(k.identity.IdentityData.MsgPack)))
		k.identity = &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: packed}}
	}
	return k, nil
}

// Outcome is what a call reported.
type Outcome struct {
	Diagnostics []*tfprotov6.Diagnostic
	// Broken are the rules of core that the call has broken.
	Broken []string
}

// Failed reports whether core would stop after the call.
func (o Outcome) Failed() bool { return len(o.Broken) > 0 || hasErrors(o.Diagnostics) }

func (o *Outcome) add(diags []*tfprotov6.Diagnostic, broken ...string) {
	o.Diagnostics, o.Broken = append(o.Diagnostics, diags...), append(o.Broken, broken...)
}

// Command is a provider that has been started and configured for one walk of core.
type Command struct {
	server   *server
	typeName string
	as       *schema
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
	c := &Command{&server{all, rpc}, d.typeName, all.managed[d.typeName]}
	if c.as == nil {
		return nil, fmt.Errorf("the provider has no %s", d.typeName)
	}
	encoded, err := ctyjson.Unmarshal([]byte("{}"), all.config.ty)
	if err != nil {
		return nil, err
	}
	config, err := all.config.encode(encoded)
	if err != nil {
		return nil, err
	}
	configured, err := rpc.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: terraformVersion, Config: config})
	if err != nil {
		return nil, err
	}
	if wrong := answerProblems(configured.Diagnostics, "", nil); len(wrong) > 0 {
		return nil, wrong
	}
	return c, nil
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

func (c *Command) complete(k Kept) object {
	if k.value == cty.NilVal {
		k.value = c.as.null()
	}
	return k.object
}

// Refresh reads the resource. After an error, the state stays what it was.
func (c *Command) Refresh(ctx context.Context, k Kept) (Kept, Outcome, error) {
	now, diags, err := c.server.refresh(ctx, c.typeName, c.complete(k))
	out := Outcome{Diagnostics: diags}
	if err != nil || out.Failed() {
		return k, out, err
	}
	out.add(nil, returnedWriteOnly(c.as.attributes, "", now.value)...)
	if !now.value.IsWhollyKnown() {
		out.add(nil, "unknown values were read")
	}
	out.add(nil, identityMismatches(k.object, now)...)
	return Kept{now}, out, nil
}

// Import imports the resource and reads it.
func (c *Command) Import(ctx context.Context, id string) (Kept, Outcome, error) {
	found, diags, err := c.server.imported(ctx, c.typeName, id)
	out := Outcome{Diagnostics: diags}
	if err != nil || out.Failed() {
		return Kept{}, out, err
	}
	if len(found) != 1 {
		out.add(nil, fmt.Sprintf("the import returned %d objects", len(found)))
		return Kept{}, out, nil
	}
	now, read, err := c.Refresh(ctx, Kept{found[0]})
	out.add(read.Diagnostics, read.Broken...)
	if err != nil || out.Failed() {
		return Kept{}, out, err
	}
	if !now.Exists() {
		out.add([]*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Cannot import non-existent remote object"}})
	}
	return now, out, nil
}

// Plan plans the resource with the arguments of a configuration; nil destroys it. What isn't set is null.
func (c *Command) Plan(ctx context.Context, k Kept, arguments map[string]any) (*Planned, Outcome, error) {
	prior := c.complete(k)
	config, out := c.as.null(), Outcome{}
	if arguments == nil {
		made, diags, err := c.server.plan(ctx, c.typeName, prior, config, config)
		out.add(diags)
		return &Planned{&change{action: destroy, prior: prior, planned: made}, config}, out, err
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return nil, out, err
	}
	if config, err = ctyjson.Unmarshal(text, c.as.ty); err != nil {
		return nil, out, err
	}
	diags, err := c.server.validate(ctx, resourceKey{resource: c.typeName}, config)
	if out.add(diags); err != nil || out.Failed() {
		return nil, out, err
	}
	made, more, err := c.propose(ctx, prior, config)
	out.add(more.Diagnostics, more.Broken...)
	return &Planned{made, config}, out, err
}

// propose is propose of a command without the places of errors in a configuration.
func (c *Command) propose(ctx context.Context, prior object, config cty.Value) (*change, Outcome, error) {
	had, out := prior, Outcome{}
	if prior.tainted {
		had = object{value: c.as.null()}
	}
	ask := func(prior object) (*proposal, error) {
		planned, diags, err := c.server.plan(ctx, c.typeName, prior, config, proposedNew(c.as.attributes, prior.value, config))
		if out.add(diags); err != nil || out.Failed() {
			return nil, err
		}
		out.add(nil, planMismatches(c.as.attributes, "", planned.value, config, prior.value)...)
		out.add(nil, identityMismatches(prior, planned.object)...)
		return planned, nil
	}
	planned, err := ask(had)
	if err != nil || out.Failed() {
		return nil, out, err
	}
	made := &change{prior: prior, planned: planned}
	made.action = made.decide(had)
	if made.action == replace && !prior.tainted {
		made.planned, err = ask(object{value: c.as.null(), private: planned.private})
	}
	return made, out, err
}

// Apply carries out a plan. The state is what core would store.
func (c *Command) Apply(ctx context.Context, p *Planned) (Kept, Outcome, error) {
	action, prior, out := p.change.action, p.change.prior, Outcome{}
	if action == destroy || action == replace {
		left, err := c.destroy(ctx, p, &out)
		if err != nil || out.Failed() || action == destroy {
			return Kept{left}, out, err
		}
	}
	if action != update {
		prior = object{value: c.as.null()}
	}
	final, more, err := c.propose(ctx, prior, p.config)
	out.add(more.Diagnostics, more.Broken...)
	if err != nil || out.Failed() {
		return Kept{prior}, out, err
	}
	out.add(nil, resultMismatches("", p.change.planned.value, final.planned.value)...)
	if out.Failed() || final.action == noop {
		return Kept{prior}, out, nil
	}
	applied, diags, err := c.server.apply(ctx, c.typeName, prior, final.planned, p.config)
	if err != nil {
		return Kept{applied}, out, err
	}
	failed := hasErrors(diags)
	invalid, inconsistent := brokenByResult(c.as, prior, final.planned, applied, failed)
	out.add(diags, append(invalid, inconsistent...)...)
	applied.value = cty.UnknownAsNull(applied.value)
	applied.tainted = failed && action != update && !applied.value.IsNull()
	return Kept{applied}, out, nil
}

func (c *Command) destroy(ctx context.Context, p *Planned, out *Outcome) (object, error) {
	prior := p.change.prior
	gone := &proposal{object: object{value: c.as.null(), private: prior.private, identity: prior.identity}}
	if p.change.action == destroy {
		gone = p.change.planned
	}
	left, diags, err := c.server.apply(ctx, c.typeName, prior, gone, c.as.null())
	out.add(diags)
	left.tainted = prior.tainted
	if err == nil && !left.value.IsNull() && !hasErrors(diags) {
		out.add(nil, "something is left of what was destroyed")
	}
	return left, err
}
