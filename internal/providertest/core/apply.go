package core

import (
	"context"
	"maps"
	"sync"

	"github.com/zclconf/go-cty/cty"
)

// apply carries out the plan of another command, and returns the resulting state, even after a failure.
func (c *command) apply(ctx context.Context, p *plan) (*state, problems) {
	c.state = p.prior.clone()
	if p.destroy {
		if wrong := c.configure(ctx); len(wrong) > 0 {
			return c.state, wrong
		}
	}
	a := &applying{command: c, ctx: ctx, plan: p, values: map[resourceKey]map[string]cty.Value{}}
	wrong := walk(a.order, a.tasks())
	if p.destroy {
		if len(c.state.objects) == 0 {
			c.state.outputs = map[string]outputValue{}
		}
		return c.state, wrong
	}
	if len(wrong) > 0 {
		return c.state, wrong
	}
	c.state.outputs = map[string]outputValue{}
	for name, o := range c.module.outputs {
		value, diags := c.scope.value(o.value, nil)
		wrong = append(wrong, syntaxProblems(diags)...)
		c.state.outputs[name] = outputValue{value, o.sensitive}
	}
	return c.state, wrong
}

// applying is an apply in progress.
type applying struct {
	*command
	ctx  context.Context //nolint:containedctx // It lives as long as the operation.
	plan *plan

	mu     sync.Mutex
	values map[resourceKey]map[string]cty.Value
}

// destroying names the task that destroys an instance; the task that writes it has the plain address as its name.
func destroying(a address) string { return a.String() + " (destroy)" }

// tasks are in core's order: dependencies are created first and destroyed last.
func (a *applying) tasks() map[string]*task {
	all := func(key resourceKey) string { return key.String() + " (all)" }
	tasks := map[string]*task{}
	if !a.plan.destroy {
		tasks = a.configuring(a.ctx, all)
	}
	instances := map[resourceKey][]string{}
	for at, planned := range a.plan.changes {
		first := []string{at.provider()}
		if planned.action == destroy || planned.action == replace {
			tasks[destroying(at)] = &task{after: first, run: func() problems { return a.destroy(at, planned) }}
		}
		if planned.action != destroy {
			instances[at.resourceKey] = append(instances[at.resourceKey], at.String())
			tasks[at.String()] = &task{after: first, run: func() problems { return a.write(at, planned) }}
		}
	}
	for key, b := range a.module.resources {
		if a.plan.destroy {
			break
		}
		// What needs a resource waits for all of its instances.
		t := &task{after: instances[key], run: func() problems { return a.finish(key, b) }}
		for _, needed := range a.module.dependencies(b) {
			t.after = append(t.after, all(needed))
		}
		tasks[all(key)] = t
		for _, instance := range instances[key] {
			for _, needed := range a.module.dependencies(b) {
				tasks[instance].after = append(tasks[instance].after, all(needed))
			}
		}
	}
	a.orderDestructions(tasks)
	return tasks
}

// orderDestructions destroys what depends on an object before the object, and the object before it is replaced.
func (a *applying) orderDestructions(tasks map[string]*task) {
	for at, planned := range a.plan.changes {
		if planned.action == replace {
			tasks[at.String()].after = append(tasks[at.String()].after, destroying(at))
		}
		if planned.action != destroy && planned.action != replace {
			continue
		}
		for other, with := range a.plan.changes {
			if !with.prior.dependsOn[at.resourceKey] || other == at {
				continue
			}
			t := tasks[destroying(at)]
			if with.action == destroy || with.action == replace {
				t.after = append(t.after, destroying(other))
			} else if planned.action == destroy {
				t.after = append(t.after, other.String())
			}
		}
	}
}

// finish makes the value of a resource available to its dependents.
func (a *applying) finish(key resourceKey, b *block) problems {
	a.mu.Lock()
	defer a.mu.Unlock()
	values := maps.Clone(a.values[key])
	if values == nil {
		values = map[string]cty.Value{}
	}
	for at, o := range a.state.clone().objects {
		if planned := a.plan.changes[at]; planned != nil && planned.action == destroy {
			continue // Even if it hasn't been destroyed yet.
		}
		if _, ok := values[at.key]; at.resourceKey == key && !ok {
			values[at.key] = o.value // A data source that the plan has read.
		}
	}
	if b.count == nil && b.forEach == nil && values[""] == cty.NilVal {
		return failure("Instance missing", "%s has no value after the apply.", key)
	}
	a.scope.set(key, together(b, values))
	return nil
}

func (a *applying) done(at address, value cty.Value) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.values[at.resourceKey] == nil {
		a.values[at.resourceKey] = map[string]cty.Value{}
	}
	a.values[at.resourceKey][at.key] = value
}

// destroy removes an instance.
func (a *applying) destroy(at address, planned *change) problems {
	m, wrong := a.managed(at)
	if len(wrong) > 0 {
		return wrong
	}
	left, out, err := m.destroy(a.ctx, planned)
	a.state.set(at, left)
	if err != nil {
		return pluginError(at.String(), err)
	}
	// Core applies a destruction without a configuration, so its diagnostics have no place in one.
	return append(answerProblems(out.Diagnostics, "", nil), broken("Provider returned invalid result object after apply", at.String(), out.Broken)...)
}

// write creates or changes an instance, or reads it if it is a data source.
func (a *applying) write(at address, planned *change) problems {
	if planned.action == noop {
		a.done(at, planned.planned.value)
		return nil
	}
	b := a.module.resources[at.resourceKey]
	each, wrong := a.scope.instances(b)
	if len(wrong) > 0 {
		return wrong
	}
	config, wrong := a.evaluate(a.ctx, a.scope, at.resourceKey, at.key, b, each[at.key])
	if len(wrong) > 0 {
		return wrong
	}
	if planned.action == read {
		value, wrong := a.readData(a.ctx, at, config)
		a.state.set(at, object{value: value})
		a.done(at, value)
		return wrong
	}
	return a.writeManaged(at, planned, config)
}

func (a *applying) writeManaged(at address, planned *change, config cty.Value) problems {
	m, wrong := a.managed(at)
	if len(wrong) > 0 {
		return wrong
	}
	prior := planned.prior
	if planned.action != update {
		prior = object{value: m.as.null()}
	}
	// With more values known, the provider plans again and must come to the same result.
	final, wrong := a.propose(a.ctx, at, prior, config)
	if len(wrong) > 0 {
		return wrong
	}
	rules := resultMismatches("", planned.planned.value, final.planned.value)
	if wanted := planned.action == update; wanted && final.action == replace {
		rules = append(rules, "the planned update has become a replacement")
	}
	if wrong := broken("Provider produced inconsistent final plan", at.String(), rules); len(wrong) > 0 {
		return wrong
	}
	if final.action == noop {
		a.done(at, prior.value)
		return nil
	}
	applied, diags, err := m.owner.apply(a.ctx, m.name, prior, final.planned, config)
	if err != nil {
		return pluginError(at.String(), err)
	}
	wrong = answerProblems(diags, at.String(), a.module.resources[at.resourceKey])
	failed := len(wrong) > 0
	wrong = append(wrong, resultProblems(m.as, at, prior, final.planned, applied, failed)...)
	applied = planned.stored(prior, applied, failed)
	applied.dependsOn = a.module.ancestors(at.resourceKey)
	a.state.set(at, applied)
	a.done(at, applied.value)
	return wrong
}

// resultProblems compares the result of an apply with the plan.
func resultProblems(as *schema, at address, prior object, planned *proposal, applied object, failed bool) problems {
	invalid, inconsistent := brokenByResult(as, prior, planned, applied, failed)
	return append(broken("Provider returned invalid result object after apply", at.String(), invalid),
		broken("Provider produced inconsistent result after apply", at.String(), inconsistent)...)
}

// brokenByResult returns how the result of an apply is invalid, and how it differs from the plan. After an error, it may be
// incomplete.
func brokenByResult(as *schema, prior object, planned *proposal, applied object, failed bool) (invalid, inconsistent []string) {
	for _, at := range unknownPaths(applied.value) {
		invalid = append(invalid, at+": still unknown")
	}
	invalid = append(invalid, returnedWriteOnly(as.attributes, "", applied.value)...)
	if as.identity != cty.NilType && !applied.value.IsNull() && applied.identity == nil {
		invalid = append(invalid, "there is no identity")
	}
	invalid = append(invalid, identityMismatches(prior, applied)...)
	switch {
	case failed:
	case applied.value.IsNull():
		inconsistent = []string{"nothing is there"}
	default:
		inconsistent = resultMismatches("", planned.value, applied.value)
	}
	return invalid, inconsistent
}

// adopt imports an existing object as an instance, and returns the state with it.
func (c *command) adopt(ctx context.Context, at address, id string) (*state, problems) {
	if _, ok := c.module.resources[at.resourceKey]; !ok {
		return nil, failure("Resource address doesn't exist in the configuration", "%s", at)
	}
	if _, ok := c.state.get(at); ok {
		return nil, failure("Resource already managed by Terraform", "Terraform is already managing a remote object for %s.", at)
	}
	if wrong := c.validate(ctx); len(wrong) > 0 {
		return nil, wrong
	}
	if wrong := c.configure(ctx); len(wrong) > 0 {
		return nil, wrong
	}
	as, owner, wrong := c.schema(at.resourceKey)
	if len(wrong) > 0 {
		return nil, wrong
	}
	found, diags, err := owner.imported(ctx, at.resource, id)
	if err != nil {
		return nil, pluginError(at.String(), err)
	}
	if wrong := answerProblems(diags, at.String(), nil); len(wrong) > 0 {
		return nil, wrong
	}
	if len(found) != 1 {
		return nil, failure("Import failed", "The provider found %d objects for %s.", len(found), at)
	}
	if rules := returnedWriteOnly(as.attributes, "", found[0].value); len(rules) > 0 {
		return nil, broken("Import returned a non-null value for a write-only attribute", at.String(), rules)
	}
	adopted, wrong := c.refresh(ctx, at, found[0])
	if len(wrong) > 0 {
		return nil, wrong
	}
	if adopted.value.IsNull() {
		return nil, failure("Cannot import non-existent remote object",
			"While attempting to import an existing object to %q, the provider detected that no object exists with the given id.", at)
	}
	c.state.set(at, adopted)
	return c.state, nil
}
