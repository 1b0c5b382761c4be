package core

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// plan is what an apply will do.
type plan struct {
	changes map[address]*change
	// prior is the state after the refresh, and outputs are the planned ones; some may be unknown.
	prior    state
	outputs  map[string]cty.Value
	destroys bool
}

// plan refreshes and plans.
func (c *command) plan(ctx context.Context, destroying, refresh bool) (*plan, problems) {
	wrong := c.validate(ctx)
	if len(wrong) == 0 {
		wrong = c.configure(ctx)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	if !destroying || refresh && len(c.objects.all()) > 0 {
		wrong = c.walk(c.planning(ctx, refresh))
	}
	made := &plan{outputs: map[string]cty.Value{}, destroys: destroying}
	switch {
	case len(wrong) > 0:
		return nil, wrong
	case destroying:
		c.changes = newTable[*change](nil)
		for a, o := range c.objects.all() {
			if a.data {
				c.objects.remove(a)
			} else {
				wrong = append(wrong, c.planDestroy(ctx, a, o)...)
			}
		}
	default:
		made.outputs, wrong = c.outputs()
	}
	made.changes, made.prior.objects = c.changes.all(), c.objects.all()
	return made, wrong
}

// planning are the tasks of a plan.
func (c *command) planning(ctx context.Context, refresh bool) map[string]*task {
	tasks := map[string]*task{}
	for a := range c.module.blocks {
		t := &task{plans: !a.data && a.kind != terraformData, run: func() problems { return c.planBlock(ctx, a, refresh) }}
		for _, needed := range c.module.dependencies(a) {
			t.after = append(t.after, needed.String())
		}
		tasks[a.String()] = t
	}
	for a := range c.objects.all() {
		if c.module.blocks[a] == nil {
			tasks[a.String()] = &task{run: func() problems { return c.planOrphan(ctx, a, refresh) }}
		}
	}
	return tasks
}

// current is the existing object of a resource; its value is null if there is none.
func (c *command) current(ctx context.Context, k kind, a address, refresh bool) (object, problems) {
	o, ok := c.objects.get(a)
	if !ok {
		return object{value: k.null()}, nil
	}
	o, diags, err := k.upgraded(ctx, o)
	if wrong := (Outcome{Diagnostics: diags}).problems(a.String(), err); len(wrong) > 0 {
		return o, wrong
	}
	if refresh {
		var out Outcome
		o, out, err = k.refresh(ctx, o)
		if wrong := out.problems(a.String(), err); len(wrong) > 0 {
			return o, wrong
		}
	}
	c.store(a, o)
	return o, nil
}

// store puts an object into the state, or removes one that doesn't exist.
func (c *command) store(a address, o object) {
	if o.exists() {
		c.objects.set(a, o)
	} else {
		c.objects.remove(a)
	}
}

// planBlock plans a resource, or reads a data source.
func (c *command) planBlock(ctx context.Context, a address, refresh bool) problems {
	k, wrong := c.kind(a)
	if len(wrong) > 0 {
		return wrong
	}
	if a.data {
		return c.planData(ctx, k, a)
	}
	prior, wrong := c.current(ctx, k, a, refresh)
	if len(wrong) > 0 {
		return wrong
	}
	configured, wrong := c.evaluate(ctx, c.scope, a)
	if len(wrong) > 0 {
		return wrong
	}
	made, out, err := k.plan(ctx, prior, configured, false)
	c.note(a, out)
	if wrong := out.problems(a.String(), err); len(wrong) > 0 {
		return wrong
	}
	c.changes.set(a, made)
	c.values.set(a, made.planned.value)
	return nil
}

// note keeps the warnings in an answer of the provider.
func (c *command) note(a address, out Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range out.Diagnostics {
		if !isError(d) {
			c.warnings = append(c.warnings, problem{d.Summary, d.Detail, a.String()})
		}
	}
}

// planData reads a data source, unless it depends on what is unknown, or on changes that the apply has still to make.
func (c *command) planData(ctx context.Context, k kind, a address) problems {
	configured, wrong := c.evaluate(ctx, c.scope, a)
	if len(wrong) > 0 {
		return wrong
	}
	pending := slices.ContainsFunc(c.module.blocks[a].dependsOn, func(needed address) bool {
		planned, ok := c.changes.get(needed)
		return ok && planned.action != noop
	})
	if !pending && configured.IsWhollyKnown() {
		return c.readData(ctx, k, a, configured)
	}
	prior, _ := c.objects.get(a)
	value := k.unread(configured)
	c.changes.set(a, &change{action: read, prior: prior, planned: &proposal{object: object{value: value}}})
	c.values.set(a, value)
	return nil
}

func (c *command) readData(ctx context.Context, k kind, a address, configured cty.Value) problems {
	value, out, err := k.data(ctx, configured)
	c.store(a, object{value: value})
	c.values.set(a, value)
	return out.problems(a.String(), err)
}

// planOrphan plans to destroy what isn't configured anymore.
func (c *command) planOrphan(ctx context.Context, a address, refresh bool) problems {
	if a.data {
		c.objects.remove(a)
		return nil
	}
	k, wrong := c.kind(a)
	if len(wrong) > 0 {
		return wrong
	}
	prior, wrong := c.current(ctx, k, a, refresh)
	if len(wrong) > 0 || !prior.exists() {
		return wrong
	}
	return c.planDestroy(ctx, a, prior)
}

func (c *command) planDestroy(ctx context.Context, a address, prior object) problems {
	k, wrong := c.kind(a)
	if len(wrong) > 0 {
		return wrong
	}
	made, out, err := k.plan(ctx, prior, k.null(), false)
	c.note(a, out)
	c.changes.set(a, made)
	return out.problems(a.String(), err)
}
