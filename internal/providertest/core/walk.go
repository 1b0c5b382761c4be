package core

import (
	"sync"
)

// parallelism is how many resources Terraform works on at a time.
const parallelism = 10

// task is a step of an operation. It runs after others, unless one of them failed.
type task struct {
	after []string
	run   func() problems
}

// walk runs tasks by name, as many at a time as Terraform would. What depends on a failed task is skipped;
// everything else runs.
func walk(tasks map[string]*task) problems {
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
