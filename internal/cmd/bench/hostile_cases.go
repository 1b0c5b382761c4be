package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/hostile"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// attack is a workspace that does its worst, with the objects that its cases have stored so far.
type attack struct {
	weights
	*client
	stranger  *client
	generator *hostile.Generator
	// large is a run with a long text, which is encoded in body before anything is measured, and project contains many runs.
	large, project string
	body           []byte
}

// hostileCase is an attack. The other workspace is measured while it is played.
type hostileCase struct {
	name string
	// runs says that the case needs the project with many runs.
	runs bool
	play func(a *attack, ctx context.Context) error
}

var hostileCases = []hostileCase{
	{name: "nothing", play: func(*attack, context.Context) error { return nil }},
	{name: "logs a run with a long text", play: (*attack).logLarge},
	{name: "six patterns in a long text", play: (*attack).patterns},
	{name: "doesn't read what it asked for", play: (*attack).silence},
	{name: "model prices with patterns, and runs", play: (*attack).priced},
	{name: "logs a run with many metadata entries", play: (*attack).entries},
	{name: "requests without a key", play: (*attack).withoutKey},
	{name: "malformed requests", play: (*attack).malformedRequests},
	{name: "many runs whose parent arrives last", play: (*attack).orphans},
	{name: "a large trace whose parent arrives last", play: (*attack).adopted},
	{name: "figures below the runs of a large trace", play: (*attack).subtrees},
	{name: "text searches of many runs", runs: true, play: (*attack).searches},
	{name: "statistics of many runs", runs: true, play: (*attack).statistics},
	{name: "deletes a project with many runs", runs: true, play: (*attack).deleteProject},
}

// prepare stores what a case needs and nobody measures.
func (a *attack) prepare(ctx context.Context, c hostileCase) error {
	if !c.runs || a.project != "" {
		return nil
	}
	if err := logRuns(ctx, a.client, "many", time.Now().Add(-time.Hour), time.Millisecond, 0, a.runs); err != nil {
		return err
	}
	var found []struct{ ID string }
	if err := a.call(ctx, http.MethodGet, "/sessions?name=many", nil, &found); err != nil || len(found) != 1 {
		return errors.Join(err, fmt.Errorf("%d projects are named many, want one", len(found)))
	}
	a.project = found[0].ID
	return nil
}

// together does the work of several clients at once. What is refused is done.
func (a *attack) together(clients int, work func(i int) error) error {
	failed := make([]error, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			err := work(i)
			if _, refused := errors.AsType[*refusedError](err); !refused {
				failed[i] = err
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

func (a *attack) logLarge(ctx context.Context) error {
	_, err := a.send(ctx, http.MethodPost, "/runs", http.Header{"Content-Type": {"application/json"}}, a.body)
	return err
}

// patterns asks whether the long text is like patterns with many ways to match almost.
func (a *attack) patterns(ctx context.Context) error {
	return a.together(6, func(i int) error {
		pattern := "%" + strings.Repeat("ab ab ab%", 20) + fmt.Sprint("c", i)
		return a.call(ctx, http.MethodPost, "/runs/query", object{"limit": 100, "filter": fmt.Sprintf("like(inputs, %q)", pattern)}, nil)
	})
}

// silence opens connections whose responses are the large run, and reads none.
func (a *attack) silence(ctx context.Context) error {
	return a.together(a.silent, func(int) error {
		connection, err := a.open(ctx, "/runs/"+a.large)
		if err != nil {
			return err
		}
		time.Sleep(a.calm)
		return connection.Close()
	})
}

// priced creates model prices, each with a long pattern, and then logs runs of models with long names.
func (a *attack) priced(ctx context.Context) error {
	for i := range a.prices {
		err := a.call(ctx, http.MethodPost, "/model-price-map", object{
			"name": fmt.Sprint("price-", i), "match_pattern": fmt.Sprintf("^(a|aa|a?b?)+(a?){30}%d$", i), "prompt_cost": 0.001, "completion_cost": 0.002,
		}, nil)
		if _, refused := errors.AsType[*refusedError](err); refused {
			break // They are too many.
		} else if err != nil {
			return err
		}
	}
	return a.together(4, func(i int) error {
		id := uuid.NewString()
		run := aRun(id, time.Now(), "priced", "Say hello.")
		run["extra"] = object{"metadata": object{"ls_model_name": strings.Repeat("a", limits.ModelName-1) + fmt.Sprint(i)}}
		return a.call(ctx, http.MethodPost, "/runs", run, nil)
	})
}

func (a *attack) entries(ctx context.Context) error {
	metadata := make(object, a.metadata)
	for i := range a.metadata {
		metadata[fmt.Sprint("key-", i)] = i
	}
	run := aRun(uuid.NewString(), time.Now(), "entries", "Say hello.")
	run["extra"] = object{"metadata": metadata}
	return a.together(1, func(int) error { return a.call(ctx, http.MethodPost, "/runs", run, nil) })
}

// strangersAtOnce is the number of clients without a key, and of those that send malformed requests.
const strangersAtOnce = 8

// withoutKey sends requests without a key that are as long as they can be, and longer ones.
func (a *attack) withoutKey(ctx context.Context) error {
	lengths := []int{60_000, 1_000_000}
	return a.together(strangersAtOnce, func(i int) error {
		for n := i; n < a.strangers; n += strangersAtOnce {
			path := "/sessions?name=" + strings.Repeat("x", lengths[n/strangersAtOnce%len(lengths)])
			if _, err := a.stranger.send(ctx, http.MethodGet, path, http.Header{}, nil); err == nil {
				return errors.New("a request without a key was not refused")
			}
		}
		return ctx.Err()
	})
}

// malformedRequests sends requests to all endpoints.
func (a *attack) malformedRequests(ctx context.Context) error {
	var mu sync.Mutex
	next := func(answer []byte) (hostile.Request, error) {
		mu.Lock()
		defer mu.Unlock()
		a.generator.Learn(answer)
		return a.generator.Request()
	}
	return a.together(strangersAtOnce, func(i int) error {
		var answer []byte
		for n := i; n < a.malformed; n += strangersAtOnce {
			r, err := next(answer)
			if err != nil {
				return err
			}
			answer, err = a.send(ctx, r.Method, r.Path, r.Header, r.Body)
			if refused, is := errors.AsType[*refusedError](err); is && refused.status < http.StatusInternalServerError {
				err = nil
			}
			if err != nil {
				return fmt.Errorf("%s %.200s: %w", r.Method, r.Path, err)
			}
		}
		return nil
	})
}

// searches looks for texts that no run or every run has, with the search index and in ways that it can't narrow.
func (a *attack) searches(ctx context.Context) error {
	filters := []string{`search("farewell")`, `search("hello")`, `like(inputs, "%farewell%")`, `not(search("hello"))`}
	since := time.Now().UTC().AddDate(0, 0, -30).Format(time.RFC3339)
	return a.together(2*len(filters), func(i int) error {
		query := object{"limit": 100, "session": []string{a.project}, "filter": filters[i%len(filters)], "start_time": since}
		return a.call(ctx, http.MethodPost, "/runs/query", query, nil)
	})
}

// statistics asks for figures that are rolled up, and for those that are not.
func (a *attack) statistics(ctx context.Context) error {
	queries := []object{
		{}, {"filter": `has(tags, "smoke")`}, {"group_by": object{"attribute": "tag"}}, {"filter": `gt(latency, "1ms")`},
	}
	return a.together(2*len(queries), func(i int) error {
		query := object{"session": []string{a.project}}
		maps.Copy(query, queries[i%len(queries)])
		return a.call(ctx, http.MethodPost, "/runs/stats", query, nil)
	})
}

// deleteProject deletes the project and waits until its ID can be used again: nothing is left of it then.
func (a *attack) deleteProject(ctx context.Context) error {
	if err := a.call(ctx, http.MethodDelete, "/sessions/"+a.project, nil, nil); err != nil {
		return err
	}
	for n := 0; ; n++ {
		err := a.call(ctx, http.MethodPost, "/sessions", object{"name": "next", "id": a.project}, nil)
		if refused, is := errors.AsType[*refusedError](err); !is || refused.status != http.StatusConflict {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
