package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// amounts are the numbers of stored objects, of clients, and of repetitions of each query, also per client.
type amounts struct{ deployments, revisions, runs, clients, asked int }

// loaded is a dev server with a lot of data in a file.
type loaded struct {
	*plane
	amounts amounts
	file    string
	project string
	// deployment has all the revisions.
	deployment string
	run        string
	// refused counts how often each query exceeded the server's time limit.
	mu      sync.Mutex
	refused map[string]int
}

// question is a query whose time is measured.
type question struct {
	name, method, path string
	body               any
	// Long queries are repeated less often.
	long bool
}

// loadRuns is the number of runs in the section load unless RUNS sets it.
const loadRuns = 100_000

// printLoad measures a dev server with as much data as teams accumulate.
func printLoad(ctx context.Context, b *bench) error {
	return measureLoad(ctx, b, amounts{deployments: 1_000, revisions: 10_000, runs: cmp.Or(b.runs, loadRuns), clients: 100, asked: 20})
}

func measureLoad(ctx context.Context, b *bench, of amounts) (err error) {
	dir, err := os.MkdirTemp("", "agentplane-load-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	l := &loaded{
		amounts: of,
		file:    filepath.Join(dir, "load.db"),
		refused: map[string]int{},
	}
	if l.plane, err = openPlane(ctx, devserver.Config{DevAPI: true, Data: l.file}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	filled, err := l.fill(ctx, b)
	if err != nil {
		return err
	}
	b.printf("Dev server, load: with a file\n\n%s\n", filled)
	asked := table{header: []string{"question", "p50 (s)", "p95 (s)", "longest (s)"}}
	if err := l.addBeside(ctx, b, &asked, "project, 30 days", "first view"); err != nil {
		return err
	}
	for _, q := range l.questions() {
		fmt.Fprintln(b.progress, q.name)
		times := of.asked
		if q.long {
			times = max(1, times/4)
		}
		took, err := l.times(ctx, q, times)
		if err != nil {
			return err
		}
		asked.add(append([]string{q.name}, quantiles(took)...)...)
	}
	crowd, err := l.crowd(ctx)
	if err != nil {
		return err
	}
	asked.add(append([]string{fmt.Sprintf("all, from %d clients", of.clients)}, quantiles(crowd)...)...)
	for _, other := range []string{"project, 30 days", "statistics of all runs"} {
		if err := l.addBeside(ctx, b, &asked, other, "repeated"); err != nil {
			return err
		}
	}
	b.printf("Dev server, load: queries, each %d times, statistics %d times\n\n%s\n", of.asked, max(1, of.asked/4), &asked)
	for name, times := range l.refused {
		b.printf("%s: refused %d times, after the limit of %s\n\n", name, times, limits.QueryTime)
	}
	return nil
}

// fill stores all data and reports its duration and size.
func (l *loaded) fill(ctx context.Context, b *bench) (*table, error) {
	t := &table{header: []string{"stored", "seconds", "a second", "bytes each", "resident memory (MB)"}}
	empty := l.size()
	for _, step := range []struct {
		name   string
		amount int
		fill   func(ctx context.Context, p *plane, have, amount int) (object, error)
	}{
		{"revisions", l.amounts.revisions, fillRevisions}, {"deployments", l.amounts.deployments, fillDeployments}, {"runs", l.amounts.runs, fillRuns},
	} {
		fmt.Fprintf(b.progress, "%d %s\n", step.amount, step.name)
		began := time.Now()
		if _, err := step.fill(ctx, l.plane, 0, step.amount); err != nil {
			return nil, err
		}
		took, size := time.Since(began), l.size()
		resident := kilobytes(readFile("/proc/self/status"), "VmRSS")
		t.add(fmt.Sprintf("%d %s", step.amount, step.name), seconds(took), decimals(float64(step.amount)/took.Seconds(), 0),
			strconv.FormatInt((size-empty)/int64(step.amount), 10), megabytes(resident))
		empty = size
	}
	var sessions []struct{ ID string }
	var list struct{ Resources []struct{ ID string } }
	var page struct{ Runs []struct{ ID string } }
	err := errors.Join(
		l.call(ctx, http.MethodGet, "/sessions?name=bench", nil, &sessions),
		l.call(ctx, http.MethodGet, "/v2/deployments?name=bench", nil, &list),
		l.call(ctx, http.MethodPost, "/runs/query", object{"limit": 1}, &page),
	)
	if err != nil || len(sessions) == 0 || len(list.Resources) == 0 || len(page.Runs) == 0 {
		return nil, errors.Join(err, fmt.Errorf("something is missing: %v %v %v", sessions, list, page))
	}
	l.project, l.deployment, l.run = sessions[0].ID, list.Resources[0].ID, page.Runs[0].ID
	return t, nil
}

// size returns the size of the file and its side files.
func (l *loaded) size() (all int64) {
	_ = filepath.WalkDir(filepath.Dir(l.file), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // The file was just removed.
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			all += info.Size()
		}
		return nil
	})
	return all
}

func (l *loaded) questions() []question {
	return []question{
		{"page of deployments", http.MethodGet, "/v2/deployments?limit=100", nil, false},
		{"deployment", http.MethodGet, "/v2/deployments/" + l.deployment, nil, false},
		{"page of revisions", http.MethodGet, "/v2/deployments/" + l.deployment + "/revisions?limit=100", nil, false},
		{"page of runs", http.MethodPost, "/runs/query", object{"limit": 100, "session": []string{l.project}}, false},
		{"page of runs with a text of one", http.MethodPost, "/runs/query", l.search(fmt.Sprintf("customer %d.", l.amounts.runs/2)), false},
		{"page of runs with a text of all", http.MethodPost, "/runs/query", l.search("hello"), false},
		{"page of runs with a text of none", http.MethodPost, "/runs/query", l.search("farewell"), false},
		{"statistics of all runs", http.MethodPost, "/runs/stats", object{"session": []string{l.project}}, true},
		{"web: deployments", http.MethodGet, "/ui/deployments", nil, false},
		{"web: project, 30 days", http.MethodGet, "/ui/projects/" + l.project + "?range=30d", nil, false},
		{"web: run", http.MethodGet, "/ui/runs/" + l.run, nil, false},
		{"web: trace", http.MethodGet, "/ui/traces/" + l.run, nil, false},
	}
}

// search is a query for the runs of the last 30 days that contain a text.
func (l *loaded) search(text string) object {
	return object{
		"limit": 100, "session": []string{l.project}, "filter": fmt.Sprintf("search(%q)", text),
		"start_time": time.Now().UTC().AddDate(0, 0, -30).Format(time.RFC3339),
	}
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

// crowd simulates many clients that send every query but the statistics, each sequentially.
func (l *loaded) crowd(ctx context.Context) ([]time.Duration, error) {
	questions := slices.DeleteFunc(l.questions(), func(q question) bool { return q.long })
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
	return []string{seconds(took[len(took)/2]), seconds(took[len(took)*95/100]), seconds(took[len(took)-1])}
}
