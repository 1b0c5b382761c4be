package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// amounts are the numbers of stored objects, of clients, and of repetitions of each query, also per client.
type amounts struct {
	deployments, revisions, runs, trace, ingested, clients, asked int
	// calm is how often it is looked whether the server still works in the background.
	calm time.Duration
}

// loaded is a dev server with a lot of data in a file.
type loaded struct {
	*plane
	stored
	file string
	// refused counts how often each query exceeded the server's time limit.
	mu      sync.Mutex
	refused map[string]int
}

// stored is what queries are about.
type stored struct {
	amounts amounts
	project string
	// deployment has all the revisions, and trace many runs.
	deployment, trace, run string
}

// question is a query whose time is measured.
type question struct {
	name, method, path string
	body               any
}

// loadRuns is the number of runs in the section load unless RUNS sets it, and loadTrace the number of those of its largest trace.
const loadRuns, loadTrace = 100_000, 10_000

// printLoad measures a dev server with as much data as teams accumulate.
func printLoad(ctx context.Context, b *bench) error {
	runs := cmp.Or(b.runs, loadRuns)
	return measureLoad(ctx, b, amounts{
		deployments: 1_000, revisions: 10_000, runs: runs, trace: min(loadTrace, max(1, runs/4)), ingested: min(50_000, runs), clients: 100, asked: 20, calm: time.Second,
	})
}

func measureLoad(ctx context.Context, b *bench, of amounts) (err error) {
	dir, err := os.MkdirTemp("", "agentplane-load-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	l := &loaded{stored: stored{amounts: of}, file: cmp.Or(b.data, filepath.Join(dir, "load.db")), refused: map[string]int{}}
	_, missing := os.Stat(l.file)
	if l.plane, err = openPlane(ctx, l.config()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if missing != nil {
		err = l.fill(ctx, b)
	}
	if err == nil {
		err = l.find(ctx, l)
	}
	if err != nil {
		return err
	}
	for _, part := range []func(context.Context, *bench) error{l.printBounded, l.printQuestions, l.printIndexing} {
		if err := part(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (l *loaded) config() devserver.Config { return devserver.Config{DevAPI: true, Data: l.file} }

// printQuestions measures other queries, and all of them from many clients.
func (l *loaded) printQuestions(ctx context.Context, b *bench) error {
	asked := table{header: []string{"question", "p50 (s)", "p95 (s)", "longest (s)"}}
	for _, q := range l.questions() {
		fmt.Fprintln(b.progress, q.name)
		took, err := l.times(ctx, q, l.amounts.asked)
		if err != nil {
			return err
		}
		asked.add(append([]string{q.name}, quantiles(took)...)...)
	}
	crowd, err := l.crowd(ctx)
	if err != nil {
		return err
	}
	asked.add(append([]string{fmt.Sprintf("all, from %d clients", l.amounts.clients)}, quantiles(crowd)...)...)
	b.printf("Dev server, load: other queries, each %d times\n\n%s\n", l.amounts.asked, &asked)
	for name, times := range l.refused {
		b.printf("%s: refused %d times, after the limit of %s\n\n", name, times, limits.QueryTime)
	}
	return nil
}

// find finds the objects that questions name.
func (s *stored) find(ctx context.Context, from caller) error {
	var sessions []struct{ ID string }
	var list struct{ Resources []struct{ ID string } }
	var page, roots struct {
		Runs []struct {
			ID    string
			Trace string `json:"trace_id"`
		}
	}
	err := errors.Join(
		from.call(ctx, http.MethodGet, "/sessions?name=bench", nil, &sessions),
		from.call(ctx, http.MethodGet, "/v2/deployments?name=bench", nil, &list),
		from.call(ctx, http.MethodPost, "/runs/query", object{"limit": 1, "filter": `eq(name, "model")`}, &page),
		from.call(ctx, http.MethodPost, "/runs/query", object{"limit": 1, "filter": `eq(name, "agent")`}, &roots),
	)
	if err != nil || len(sessions) == 0 || len(list.Resources) == 0 || len(page.Runs) == 0 || len(roots.Runs) == 0 {
		return errors.Join(err, fmt.Errorf("something is missing: %v %v %v %v", sessions, list, page, roots))
	}
	s.project, s.deployment, s.run, s.trace = sessions[0].ID, list.Resources[0].ID, page.Runs[0].ID, roots.Runs[0].Trace
	return nil
}

// bounded are the queries whose times are to stay below a bound, however much is stored.
func (s *stored) bounded() []question {
	return []question{
		{"web: project, 30 days", http.MethodGet, "/ui/projects/" + s.project + "?range=30d", nil},
		{"statistics of all runs", http.MethodPost, "/runs/stats", object{"session": []string{s.project}}},
		{"page of runs with a text of one", http.MethodPost, "/runs/query", s.search(fmt.Sprintf("customer %d.", s.amounts.runs/2))},
		{"page of runs with a text of all", http.MethodPost, "/runs/query", s.search("hello")},
		{"page of runs with a text of none", http.MethodPost, "/runs/query", s.search("farewell")},
		{"page of runs in traces with a text of one", http.MethodPost, "/runs/query", s.searchTraces("tree_filter", s.amounts.runs/2)},
		{"page of runs with a root with a text of one", http.MethodPost, "/runs/query", s.searchTraces("trace_filter", s.amounts.runs/2)},
		{fmt.Sprintf("web: trace of %d runs", s.amounts.trace), http.MethodGet, "/ui/traces/" + s.trace, nil},
		{fmt.Sprintf("page of the runs of a trace of %d", s.amounts.trace), http.MethodPost, "/runs/query", object{"limit": 100, "trace": s.trace}},
	}
}

func (s *stored) questions() []question {
	return []question{
		{"page of deployments", http.MethodGet, "/v2/deployments?limit=100", nil},
		{"deployment", http.MethodGet, "/v2/deployments/" + s.deployment, nil},
		{"page of revisions", http.MethodGet, "/v2/deployments/" + s.deployment + "/revisions?limit=100", nil},
		{"page of runs", http.MethodPost, "/runs/query", object{"limit": 100, "session": []string{s.project}}},
		{"web: deployments", http.MethodGet, "/ui/deployments", nil},
		{"web: run", http.MethodGet, "/ui/runs/" + s.run, nil},
	}
}

// search is a query for the runs of the last 30 days that contain a text.
func (s *stored) search(text string) object {
	return object{
		"limit": 100, "session": []string{s.project}, "filter": fmt.Sprintf("search(%q)", text),
		"start_time": time.Now().UTC().AddDate(0, 0, -30).Format(time.RFC3339),
	}
}

// searchTraces is search for runs of which the trace, or its root, contains what a run says about its customer.
func (s *stored) searchTraces(where string, customer int) object {
	query := s.search(fmt.Sprintf("customer %d.", customer))
	query[where] = query["filter"]
	delete(query, "filter")
	return query
}

// times runs a query several times.
func (l *loaded) times(ctx context.Context, q question, times int) ([]time.Duration, error) {
	var took []time.Duration
	for range times {
		began := time.Now()
		if err := l.call(ctx, q.method, q.path, q.body, nil); err != nil && time.Since(began) < limits.QueryTime {
			return nil, err
		} else if err != nil {
			l.mu.Lock()
			l.refused[q.name]++
			l.mu.Unlock()
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// crowd simulates many clients that send each of these queries, one after the other.
func (l *loaded) crowd(ctx context.Context) ([]time.Duration, error) {
	questions := l.questions()
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var clients sync.WaitGroup
	for i := range l.amounts.clients {
		clients.Go(func() {
			for j := range l.amounts.asked {
				took, err := l.times(ctx, questions[(i+j)%len(questions)], 1)
				mu.Lock()
				all, failed = append(all, took...), errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	return all, failed
}

// quantiles returns cells: the median, the 95th percentile and the maximum.
func quantiles(took []time.Duration) []string {
	slices.Sort(took)
	return []string{seconds(took[len(took)/2]), seconds(late(took)), seconds(took[len(took)-1])}
}

// late is the 95th percentile.
func late(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*95/100]
}
