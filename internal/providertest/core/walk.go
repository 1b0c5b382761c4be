package core

import (
	"maps"
	"slices"
	"sync"
)

// task is a part of an operation. It runs after others, and only if they have succeeded.
type task struct {
	after []string
	// plans means that the provider under test plans something.
	plans bool
	run   func() problems
}

// waits reports whether one of the tasks that come first is among others.
func (t *task) waits(others map[string]*task) bool {
	return slices.ContainsFunc(t.after, func(first string) bool { return others[first] != nil })
}

// walk runs tasks by name: first those that wait for no others, and so on.
func (c *command) walk(tasks map[string]*task) problems {
	var all problems
	failed := map[string]*task{}
	for len(tasks) > 0 {
		ready := map[string]*task{}
		planning := 0
		for name, t := range tasks {
			if !t.waits(tasks) {
				ready[name] = t
				if t.plans {
					planning++
				}
			}
		}
		if len(ready) == 0 {
			return failure("Cycle", "%v depend on each other.", slices.Sorted(maps.Keys(tasks)))
		}
		c.open = c.open || planning > 1
		for name, wrong := range c.runAll(ready, failed) {
			all = append(all, wrong...)
			if len(wrong) > 0 || ready[name].waits(failed) {
				failed[name] = ready[name]
			}
		}
		maps.DeleteFunc(tasks, func(name string, _ *task) bool { return ready[name] != nil })
	}
	return all
}

// runAll runs tasks that don't wait for each other, except those of which a task before them has failed.
func (c *command) runAll(ready, failed map[string]*task) map[string]problems {
	results := map[string]problems{}
	var mu sync.Mutex
	run := func(name string) {
		if t := ready[name]; !t.waits(failed) {
			wrong := t.run()
			mu.Lock()
			defer mu.Unlock()
			results[name] = wrong
		}
	}
	names := slices.Sorted(maps.Keys(ready))
	if c.order == backwards {
		slices.Reverse(names)
	}
	var group sync.WaitGroup
	for _, name := range names {
		if c.order == concurrent {
			group.Go(func() { run(name) })
		} else {
			run(name)
		}
	}
	group.Wait()
	return results
}
