package core

import (
	"maps"
	"slices"
	"sync"
)

// order is the order in which tasks run that don't depend on each other. The outcome must not depend on it.
type order int

const (
	concurrent order = iota // As in a CLI.
	forwards                // One after another, by name.
	backwards
)

// parallelism is how many resources Terraform works on at a time.
const parallelism = 10

// task is a step of an operation. It runs after others, unless one of them failed.
type task struct {
	after []string
	// plans means that a provider under test plans something.
	plans bool
	run   func() problems
}

// isOpen says whether two of the tasks in which a provider plans can run in any order.
func isOpen(tasks map[string]*task) bool {
	before := map[string]map[string]bool{} // By task, all that it runs after.
	var reach func(name string) map[string]bool
	reach = func(name string) map[string]bool {
		if before[name] == nil {
			before[name] = map[string]bool{}
			for _, first := range tasks[name].after {
				if tasks[first] != nil {
					before[name][first] = true
					maps.Copy(before[name], reach(first))
				}
			}
		}
		return before[name]
	}
	for a, one := range tasks {
		for b, other := range tasks {
			if a != b && one.plans && other.plans && !reach(a)[b] && !reach(b)[a] {
				return true
			}
		}
	}
	return false
}

// walk runs tasks by name, as many at a time as Terraform would. What depends on a failed task is skipped;
// everything else runs.
func walk(in order, tasks map[string]*task) problems {
	if in != concurrent {
		return walkInTurn(in, tasks)
	}
	type outcome struct {
		done chan struct{}
		ok   bool
	}
	outcomes := map[string]*outcome{}
	for name := range tasks {
		outcomes[name] = &outcome{done: make(chan struct{})}
	}
	var (
		mu      sync.Mutex
		all     problems
		group   sync.WaitGroup
		workers = make(chan struct{}, parallelism)
	)
	for name, t := range tasks {
		group.Go(func() {
			mine := outcomes[name]
			defer close(mine.done)
			for _, before := range t.after {
				other, ok := outcomes[before]
				if !ok {
					continue
				}
				if <-other.done; !other.ok {
					return
				}
			}
			workers <- struct{}{}
			wrong := t.run()
			<-workers
			mine.ok = len(wrong) == 0
			mu.Lock()
			defer mu.Unlock()
			all = append(all, wrong...)
		})
	}
	group.Wait()
	return all
}

// walkInTurn runs one task at a time.
func walkInTurn(in order, tasks map[string]*task) problems {
	names := slices.Sorted(maps.Keys(tasks))
	if in == backwards {
		slices.Reverse(names)
	}
	var all problems
	ended := map[string]bool{} // True for tasks that succeeded.
	waits := func(name string) bool {
		return slices.ContainsFunc(tasks[name].after, func(before string) bool {
			_, known := tasks[before]
			_, done := ended[before]
			return known && !done
		})
	}
	for len(names) > 0 {
		i := slices.IndexFunc(names, func(name string) bool { return !waits(name) })
		if i < 0 {
			return failure("Cycle", "%v depend on each other.", names)
		}
		name := names[i]
		names = slices.Delete(names, i, i+1)
		if ended[name] = !slices.ContainsFunc(tasks[name].after, func(before string) bool { return tasks[before] != nil && !ended[before] }); ended[name] {
			wrong := tasks[name].run()
			all, ended[name] = append(all, wrong...), len(wrong) == 0
		}
	}
	return all
}
