package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
)

// victim is a workspace that does little: each of its tasks sends a request, waits a moment, and sends the next one.
type victim struct {
	*client
	// own is the name of its project.
	own, project, deployment string
	tasks                    []task
}

type task struct {
	name string
	do   func(ctx context.Context) error
}

// betweenRequests is how long a task waits.
const betweenRequests = 5 * time.Millisecond

// newVictim stores what the tasks need. Their project is a new one, so that what earlier tasks have written costs nothing.
func newVictim(ctx context.Context, c *client, name string) (*victim, error) {
	v := &victim{client: c, own: "own, while another " + name}
	var created struct{ ID string }
	if err := c.call(ctx, http.MethodPost, "/v2/deployments", object{
		"name": "victim-" + uuid.NewString(), "source": "external_container", "source_config": object{}, "source_revision_config": image(0), "secrets": []object{},
	}, &created); err != nil {
		return nil, err
	}
	v.deployment = created.ID
	if err := c.call(ctx, http.MethodPost, "/sessions", object{"name": v.own}, &created); err != nil {
		return nil, err
	}
	v.project = created.ID
	first := uuid.NewString()
	if err := v.log(ctx, first); err != nil {
		return nil, err
	}
	v.tasks = []task{
		{"write of a run", func(ctx context.Context) error { return v.log(ctx, uuid.NewString()) }},
		{"read of a run", func(ctx context.Context) error { return v.call(ctx, http.MethodGet, "/runs/"+first, nil, nil) }},
		{"deployment", func(ctx context.Context) error {
			return v.call(ctx, http.MethodGet, "/v2/deployments/"+v.deployment, nil, nil)
		}},
		{"page of a project", func(ctx context.Context) error {
			return v.call(ctx, http.MethodGet, "/ui/projects/"+v.project+"?range=1h", nil, nil)
		}},
	}
	return v, nil
}

// log logs a run.
func (v *victim) log(ctx context.Context, id string) error {
	return v.call(ctx, http.MethodPost, "/runs", aRun(id, time.Now(), v.own, "Say hello."), nil)
}

// during does the tasks while play runs, and for some time after that.
func (v *victim) during(ctx context.Context, after time.Duration, play func() error) (waits, error) {
	w := waits{took: map[string][]time.Duration{}}
	var mu sync.Mutex
	var failed []error
	ended := make(chan struct{})
	var all sync.WaitGroup
	for _, t := range v.tasks {
		all.Go(func() {
			for {
				began := time.Now()
				err := t.do(ctx)
				took := time.Since(began)
				mu.Lock()
				w.took[t.name] = append(w.took[t.name], took)
				if _, refused := errors.AsType[*refusedError](err); refused {
					w.refused++
				} else if err != nil {
					failed = append(failed, fmt.Errorf("%s: %w", t.name, err))
				}
				stop := len(failed) > 0
				mu.Unlock()
				began = time.Now()
				select {
				case <-ended:
					return
				case <-time.After(betweenRequests):
				}
				late := time.Since(began) - betweenRequests
				mu.Lock()
				w.late = max(w.late, late)
				mu.Unlock()
				if stop {
					return
				}
			}
		})
	}
	err := play()
	select {
	case <-time.After(after):
	case <-ctx.Done():
	}
	close(ended)
	all.Wait()
	return w, errors.Join(append(failed, err, ctx.Err())...)
}
