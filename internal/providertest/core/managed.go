package core

import (
	"context"

	"github.com/zclconf/go-cty/cty"
)

// managed is a type of resource, with the calls that core makes for one instance.
type managed struct {
	owner provider
	name  string
	as    *schema
}

// refresh reads an instance. The value is null if it is gone; the private data and the identity that the provider has returned
// with it are for the plan of a creation in the same walk.
func (m managed) refresh(ctx context.Context, o object) (object, Outcome, error) {
	now, diags, err := m.owner.refresh(ctx, m.name, o)
	out := Outcome{Diagnostics: diags}
	if err != nil || out.Failed() {
		return o, out, err
	}
	out.add(nil, returnedWriteOnly(m.as.attributes, "", now.value)...)
	if !now.value.IsWhollyKnown() {
		out.add(nil, "unknown values were read")
	}
	out.add(nil, identityMismatches(o, now)...)
	return now, out, nil
}

// propose plans an instance. A replacement is planned twice: as a change, and as a creation with the private data and the identity
// that the first answer planned. Of a tainted instance, the provider is told nothing. forced is -replace.
func (m managed) propose(ctx context.Context, prior object, config cty.Value, forced bool) (*change, Outcome, error) {
	told := prior
	if prior.tainted {
		told = object{value: m.as.null()}
	}
	planned, out, err := m.ask(ctx, told, config)
	if err != nil || out.Failed() {
		return nil, out, err
	}
	made := &change{prior: prior, planned: planned}
	if made.action = made.decide(told, forced); made.action != replace || prior.tainted {
		return made, out, nil
	}
	again, more, err := m.ask(ctx, object{value: m.as.null(), private: planned.private, identity: planned.identity}, config)
	if made.planned = again; more.Failed() { // Core takes the warnings of the second answer for repetitions.
		out.add(more.Diagnostics, more.Broken...)
	}
	return made, out, err
}

func (m managed) ask(ctx context.Context, prior object, config cty.Value) (*proposal, Outcome, error) {
	planned, diags, err := m.owner.plan(ctx, m.name, prior, config, proposedNew(m.as.attributes, prior.value, config))
	out := Outcome{Diagnostics: diags}
	if err == nil && !out.Failed() {
		out.add(nil, planMismatches(m.as.attributes, "", planned.value, config, prior.value)...)
		out.add(nil, identityMismatches(prior, planned.object)...)
	}
	return planned, out, err
}

// destroy destroys an instance, also before its replacement is created: then the provider gets the private data that was planned for
// the replacement, and no identity. After an error without an object, core keeps the prior one.
func (m managed) destroy(ctx context.Context, c *change) (object, Outcome, error) {
	gone := c.planned
	if c.action == replace {
		gone = &proposal{object: object{value: m.as.null(), private: c.planned.private}}
	}
	left, diags, err := m.owner.apply(ctx, m.name, c.prior, gone, m.as.null())
	out := Outcome{Diagnostics: diags}
	if err != nil || out.Failed() && left.value.IsNull() {
		return c.prior, out, err
	}
	if !out.Failed() && !left.value.IsNull() {
		out.add(nil, "something is left of what was destroyed")
	}
	if left.identity != nil {
		if none, err := left.identity.IdentityData.IsNull(); none || err != nil {
			left.identity = nil
		}
	}
	left.tainted, left.dependsOn = c.prior.tainted, c.prior.dependsOn
	return left, out, nil
}

// stored is what core stores after the creation or the change of an instance. After an error without an object, it keeps the prior
// one.
func (c *change) stored(prior, applied object, failed bool) object {
	if failed && applied.value.IsNull() {
		return prior
	}
	applied.value = cty.UnknownAsNull(applied.value)
	applied.tainted = failed && c.action != update
	return applied
}
