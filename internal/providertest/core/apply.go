package core

import (
	"context"

	"github.com/zclconf/go-cty/cty"
)

// apply carries out a plan, and returns the state that core would store, even after a failure.
func (c *command) apply(ctx context.Context, p *plan) (state, problems) {
	wrong := c.configure(ctx)
	if len(wrong) == 0 {
		wrong = c.walk(c.applying(ctx, p))
	}
	left := state{objects: c.objects.all(), outputs: map[string]cty.Value{}}
	if len(wrong) > 0 || p.destroys {
		return left, wrong
	}
	left.outputs, wrong = c.outputs()
	return left, wrong
}

// destroying names the task that destroys a resource; the task that writes it has the plain address as its name.
func destroying(a address) string { return a.String() + " (destroy)" }

// applying are the tasks of an apply in core's order: dependencies are created first and destroyed last, and what is replaced is
// destroyed first.
func (c *command) applying(ctx context.Context, p *plan) map[string]*task {
	tasks := map[string]*task{}
	for a, o := range p.prior.objects {
		if a.data {
			c.values.set(a, o.value)
		}
	}
	for a, planned := range p.changes {
		if planned.action != destroy {
			t := &task{run: func() problems { return c.write(ctx, a, planned) }}
			for _, needed := range c.module.dependencies(a) {
				t.after = append(t.after, needed.String())
			}
			tasks[a.String()] = t
		}
		if planned.action == destroy || planned.action == replace {
			tasks[destroying(a)] = &task{after: p.beforeDestroying(a), run: func() problems { return c.destroy(ctx, a, planned) }}
		}
		if planned.action == replace {
			tasks[a.String()].after = append(tasks[a.String()].after, destroying(a))
		}
	}
	return tasks
}

// beforeDestroying names the tasks that end before a resource is destroyed: what depended on it is gone, or doesn't anymore.
func (p *plan) beforeDestroying(a address) (before []string) {
	for other, with := range p.changes {
		switch {
		case other == a || !with.prior.dependsOn[a]:
		case with.action == destroy || with.action == replace:
			before = append(before, destroying(other))
		case p.changes[a].action == destroy:
			before = append(before, other.String())
		}
	}
	return before
}

// destroy removes an object.
func (c *command) destroy(ctx context.Context, a address, planned *change) problems {
	k, wrong := c.kind(a)
	if len(wrong) > 0 {
		return wrong
	}
	left, out, err := k.destroy(ctx, planned)
	c.store(a, left)
	return out.problems("", err) // Core destroys without a configuration in which an error could have its place.
}

// write creates or changes an object, or reads a data source.
func (c *command) write(ctx context.Context, a address, planned *change) problems {
	if planned.action == noop {
		c.values.set(a, planned.planned.value)
		return nil
	}
	k, wrong := c.kind(a)
	if len(wrong) > 0 {
		return wrong
	}
	configured, wrong := c.evaluate(ctx, c.scope, a)
	if len(wrong) > 0 {
		return wrong
	}
	if planned.action == read {
		return c.readData(ctx, k, a, configured)
	}
	written, out, err := k.write(ctx, planned, configured)
	written.dependsOn = c.module.ancestors(a)
	c.store(a, written)
	c.values.set(a, written.value)
	return out.problems(a.String(), err)
}
