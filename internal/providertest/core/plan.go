package core

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"
)

// action is what happens to an instance.
type action int

const (
	noop action = iota
	create
	read
	update
	replace
	destroy
)

// change is what is planned for an instance.
type change struct {
	action action
	// prior is the refreshed object; it has no value if there is none.
	prior   object
	planned *proposal
}

// plan is what an apply will do.
type plan struct {
	changes map[address]*change
	// prior is the state after the refresh; before are the outputs of the state before it.
	prior *state
	// outputs are the planned outputs; some may be unknown.
	outputs map[string]outputValue
	destroy bool
}

// planOptions are the options of the plan command.
type planOptions struct{ destroy, noRefresh bool }

// plan refreshes and plans.
func (c *command) plan(ctx context.Context, opts planOptions) (*plan, problems) {
	if wrong := c.validate(ctx); len(wrong) > 0 {
		return nil, wrong
	}
	if !opts.destroy {
		return c.planAll(ctx, opts)
	}
	if !opts.noRefresh && len(c.state.objects) > 0 {
		refreshed, wrong := c.planAll(ctx, planOptions{})
		if len(wrong) > 0 {
			return nil, wrong
		}
		c.state = refreshed.prior
	}
	if wrong := c.configure(ctx); len(wrong) > 0 {
		return nil, wrong
	}
	return c.planDestroy(ctx)
}

func (c *command) planAll(ctx context.Context, opts planOptions) (*plan, problems) {
	p := &planning{command: c, noRefresh: opts.noRefresh, plan: &plan{
		changes: map[address]*change{}, prior: c.state.clone(), outputs: map[string]outputValue{},
	}}
	tasks := c.configuring(ctx, resourceKey.String)
	for key, b := range c.module.resources {
		t := &task{after: []string{key.provider()}, plans: key.plans(), run: func() problems { return p.resource(ctx, key, b) }}
		for _, needed := range c.module.dependencies(b) {
			t.after = append(t.after, needed.String())
		}
		tasks[key.String()] = t
	}
	for a := range c.state.objects {
		if _, ok := c.module.resources[a.resourceKey]; !ok {
			tasks[a.String()] = &task{after: []string{a.provider()}, plans: a.plans(), run: func() problems { return p.orphan(ctx, a) }}
		}
	}
	c.open = isOpen(tasks)
	if wrong := walk(c.order, tasks); len(wrong) > 0 {
		return nil, wrong
	}
	return p.plan, p.planOutputs()
}

// planning is a plan in the making.
type planning struct {
	*command
	noRefresh bool

	mu   sync.Mutex
	plan *plan
}

func (p *planning) add(a address, c *change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan.changes[a] = c
}

// resource plans the configured instances and those that are no longer configured.
func (p *planning) resource(ctx context.Context, key resourceKey, b *block) problems {
	each, wrong := p.scope.instances(b)
	if len(wrong) > 0 {
		return wrong
	}
	for a := range p.state.clone().objects {
		if _, configured := each[a.key]; a.resourceKey == key && !configured {
			wrong = append(wrong, p.orphan(ctx, a)...)
		}
	}
	values := map[string]cty.Value{}
	var mu sync.Mutex
	tasks := map[string]*task{}
	for instance, repeated := range each {
		tasks[instance] = &task{run: func() problems {
			planned := p.instance
			if key.data {
				planned = p.data
			}
			value, wrong := planned(ctx, address{key, instance}, b, repeated)
			mu.Lock()
			defer mu.Unlock()
			values[instance] = value
			return wrong
		}}
	}
	if len(tasks) > 1 && key.plans() {
		p.mu.Lock()
		p.open = true
		p.mu.Unlock()
	}
	if wrong = append(wrong, walk(p.order, tasks)...); len(wrong) > 0 {
		return wrong
	}
	p.scope.set(key, together(b, values))
	return nil
}

// current is the existing object of an instance; its value is null if there is none.
func (p *planning) current(ctx context.Context, a address) (object, problems) {
	as, owner, wrong := p.schema(a.resourceKey)
	if len(wrong) > 0 {
		return object{}, wrong
	}
	o, ok := p.state.get(a)
	if !ok {
		return object{value: as.null()}, nil
	}
	o, diags, err := owner.upgrade(ctx, a.resource, o)
	if err != nil {
		return o, pluginError(a.String(), err)
	}
	if wrong := answerProblems(diags, a.String(), p.module.resources[a.resourceKey]); len(wrong) > 0 {
		return o, wrong
	}
	if !p.noRefresh {
		if o, wrong = p.refresh(ctx, a, o); len(wrong) > 0 {
			return o, wrong
		}
	}
	p.plan.prior.set(a, o)
	return o, nil
}

// refresh reads an instance; the value is null if it is gone.
func (c *command) refresh(ctx context.Context, a address, o object) (object, problems) {
	m, wrong := c.managed(a)
	if len(wrong) > 0 {
		return o, wrong
	}
	now, out, err := m.refresh(ctx, o)
	return now, c.outcome("Provider produced invalid object", a, out, err)
}

// orphan plans to destroy an instance that isn't configured.
func (p *planning) orphan(ctx context.Context, a address) problems {
	if a.data {
		p.plan.prior.set(a, object{})
		return nil
	}
	prior, wrong := p.current(ctx, a)
	if len(wrong) > 0 || prior.value.IsNull() {
		return wrong
	}
	planned, wrong := p.destruction(ctx, a, prior)
	if len(wrong) == 0 {
		p.add(a, planned)
	}
	return wrong
}

// destruction plans to destroy an instance.
func (c *command) destruction(ctx context.Context, a address, prior object) (*change, problems) {
	as, owner, wrong := c.schema(a.resourceKey)
	if len(wrong) > 0 {
		return nil, wrong
	}
	planned, diags, err := owner.plan(ctx, a.resource, prior, as.null(), as.null())
	if err != nil {
		return nil, pluginError(a.String(), err)
	}
	c.notes(diags, a)
	return &change{action: destroy, prior: prior, planned: planned}, answerProblems(diags, a.String(), nil)
}

func (p *planning) instance(ctx context.Context, a address, b *block, each repetition) (cty.Value, problems) {
	prior, wrong := p.current(ctx, a)
	if len(wrong) > 0 {
		return cty.NilVal, wrong
	}
	config, wrong := p.evaluate(ctx, p.scope, a.resourceKey, a.key, b, each)
	if len(wrong) > 0 {
		return cty.NilVal, wrong
	}
	planned, wrong := p.propose(ctx, a, prior, config)
	if len(wrong) > 0 {
		return cty.NilVal, wrong
	}
	p.add(a, planned)
	return planned.planned.value, nil
}

// propose has the provider plan an instance.
func (c *command) propose(ctx context.Context, a address, prior object, config cty.Value) (*change, problems) {
	m, wrong := c.managed(a)
	if len(wrong) > 0 {
		return nil, wrong
	}
	made, out, err := m.propose(ctx, prior, config, false)
	c.notes(out.Diagnostics, a)
	return made, c.outcome("Provider produced invalid plan", a, out, err)
}

// decide returns what a plan does to an instance of which the provider was told.
func (c *change) decide(told object, forced bool) action {
	c.planned.replaces = slices.DeleteFunc(c.planned.replaces, func(at cty.Path) bool { return !changedAt(at, told.value, c.planned.value) })
	switch {
	case c.prior.value.IsNull():
		return create
	case c.prior.tainted || forced || len(c.planned.replaces) > 0:
		return replace
	case !c.planned.value.RawEquals(told.value):
		return update
	}
	return noop
}

// data reads a data source, unless it depends on values that are unknown before the apply.
func (p *planning) data(ctx context.Context, a address, b *block, each repetition) (cty.Value, problems) {
	as, _, _ := p.schema(a.resourceKey)
	config, wrong := p.evaluate(ctx, p.scope, a.resourceKey, a.key, b, each)
	if len(wrong) > 0 {
		return cty.NilVal, wrong
	}
	if config.IsWhollyKnown() && !p.pending(b.dependsOn) {
		value, wrong := p.readData(ctx, a, config)
		p.plan.prior.set(a, object{value: value})
		return value, wrong
	}
	value := unknownComputed(as, config)
	prior, _ := p.state.get(a)
	if prior.value == cty.NilVal {
		prior.value = as.null()
	}
	p.add(a, &change{action: read, prior: prior, planned: &proposal{object: object{value: value}}})
	return value, nil
}

// pending reports whether any of the resources is going to change.
func (p *planning) pending(keys []resourceKey) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for a, planned := range p.plan.changes {
		if planned.action != noop && slices.Contains(keys, a.resourceKey) {
			return true
		}
	}
	return false
}

func (c *command) readData(ctx context.Context, a address, config cty.Value) (cty.Value, problems) {
	as, owner, wrong := c.schema(a.resourceKey)
	if len(wrong) > 0 {
		return cty.NilVal, wrong
	}
	value, diags, err := owner.read(ctx, a.resource, config)
	if err != nil {
		return as.null(), pluginError(a.String(), err)
	}
	if wrong := answerProblems(diags, a.String(), c.module.resources[a.resourceKey]); len(wrong) > 0 {
		return as.null(), wrong
	}
	var rules []string
	if value.IsNull() || !value.IsWhollyKnown() {
		rules = append(rules, "a data source must be wholly known and not null")
	}
	return value, broken("Provider produced invalid object", a.String(), rules)
}

// unknownComputed is a data source that is still to be read.
func unknownComputed(as *schema, config cty.Value) cty.Value {
	values := config.AsValueMap()
	for _, attribute := range as.attributes {
		if attribute.Computed && values[attribute.Name].IsNull() {
			values[attribute.Name] = cty.UnknownVal(values[attribute.Name].Type())
		}
	}
	return cty.ObjectVal(values)
}

func (p *planning) planOutputs() problems {
	for name, o := range p.module.outputs {
		value, diags := p.scope.value(o.value, nil)
		if diags.HasErrors() {
			return syntaxProblems(diags)
		}
		p.plan.outputs[name] = outputValue{value, o.sensitive}
	}
	return nil
}

func (c *command) planDestroy(ctx context.Context) (*plan, problems) {
	made := &plan{changes: map[address]*change{}, prior: c.state.clone(), outputs: map[string]outputValue{}, destroy: true}
	var wrong problems
	for a := range c.state.objects {
		if a.data {
			made.prior.set(a, object{})
		}
	}
	for a, prior := range c.state.managed() {
		planned, more := c.destruction(ctx, a, prior)
		wrong = append(wrong, more...)
		made.changes[a] = planned
	}
	return made, wrong
}

// identityMismatches describes changes of an identity that must not change.
func identityMismatches(before, after object) []string {
	if before.identity == nil || before.value.IsNull() || after.value.IsNull() {
		return nil
	}
	if after.identity == nil || after.identity.IdentityData == nil {
		return []string{"the identity is gone"}
	}
	if !bytes.Equal(before.identity.IdentityData.MsgPack, after.identity.IdentityData.MsgPack) {
		return []string{"the identity has changed"}
	}
	return nil
}
