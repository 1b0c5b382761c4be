package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// engine is a database, and the number of processes that serve it.
type engine struct {
	name      string
	postgres  bool
	processes int
}

var engines = []engine{
	{"SQLite", false, 1},
	{"PostgreSQL, one process", true, 1},
	{"PostgreSQL, two processes", true, 2},
}

// enginesRuns is the number of runs in the section engines unless RUNS sets it.
const enginesRuns = 30_000

// printEngines compares the databases: each does the same work, one after the other.
func printEngines(ctx context.Context, b *bench) error {
	program, err := b.tools.build(ctx, "devserver")
	if err != nil {
		return err
	}
	runs := cmp.Or(b.runs, enginesRuns)
	return measureEngines(ctx, b, program, amounts{runs: runs, trace: min(loadTrace, max(1, runs/4)), ingested: 2_000, clients: 16, asked: 20, calm: 5 * time.Second})
}

// measureEngines prints a column for each database.
func measureEngines(ctx context.Context, b *bench, program string, of amounts) error {
	t, ran := table{header: []string{"what"}}, ""
	for n, e := range engines {
		fmt.Fprintln(b.progress, e.name)
		rows, settings, err := e.measure(ctx, program, of)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		t.header = append(t.header, e.name)
		if settings != "" {
			ran = "PostgreSQL with " + settings
		}
		for i, row := range rows {
			if n == 0 {
				t.add(row[0])
			}
			t.rows[i] = append(t.rows[i], row[1])
		}
	}
	b.printf("Dev server, engines: %d runs, and the median and the 95th percentile of %d times in seconds. %s\n\n%s\n", of.runs, of.asked, ran, &t)
	return nil
}

// fleet sends requests to processes, to one after the other.
type fleet struct {
	servers []*process
	clients []*client
	sent    atomic.Int64
}

func (f *fleet) call(ctx context.Context, method, path string, body, out any) error {
	return f.clients[int(f.sent.Add(1))%len(f.clients)].call(ctx, method, path, body, out)
}

// cpu is the CPU time that the processes have used.
func (f *fleet) cpu() (all time.Duration) {
	for _, server := range f.servers {
		all += cpuTime(readFile(fmt.Sprintf("/proc/%d/stat", server.command.Process.Pid)))
	}
	return all
}

// measure returns rows with a name and a figure each, and the settings of PostgreSQL.
func (e engine) measure(ctx context.Context, program string, of amounts) (rows [][2]string, settings string, err error) {
	dir, err := os.MkdirTemp("", "agentplane-engine-")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	options := []string{"-data", filepath.Join(dir, "plane.db")}
	if e.postgres {
		database, failed := postgrestest.Start(ctx)
		if failed != nil {
			return nil, "", failed
		}
		defer func() { err = errors.Join(err, database.Stop()) }()
		if settings, err = database.Settings(ctx); err != nil {
			return nil, "", err
		}
		options = []string{"-data", database.Address("postgres"), "-seal-key", filepath.Join(dir, "key")}
	}
	var f fleet
	defer func() {
		for _, s := range f.servers {
			err = errors.Join(err, s.stop())
		}
	}()
	for range e.processes {
		server, failed := startServer(ctx, program, options...)
		if failed != nil {
			return nil, "", failed
		}
		f.servers = append(f.servers, server)
		f.clients = append(f.clients, newClient(server.url, "bench"))
	}
	rows, err = f.measure(ctx, of)
	return rows, settings, err
}

func (f *fleet) measure(ctx context.Context, of amounts) (rows [][2]string, err error) {
	add := func(name, figure string) { rows = append(rows, [2]string{name, figure}) }
	s := stored{amounts: of}
	if err := f.call(ctx, http.MethodPost, "/v2/deployments", object{
		"name": "bench", "source": "external_container", "source_config": object{}, "source_revision_config": image(0), "secrets": []object{},
	}, nil); err != nil {
		return nil, err
	}
	began := time.Now()
	err = logTrace(ctx, f, of.trace)
	if err == nil {
		err = logMonth(ctx, f, of.runs-of.trace)
	}
	if err != nil {
		return nil, err
	}
	add("runs a second, in batches", decimals(float64(of.runs)/time.Since(began).Seconds(), 0))
	if err := s.find(ctx, f); err != nil {
		return nil, err
	}
	began = time.Now()
	took, err := f.crowd(of, func(int) error {
		return f.call(ctx, http.MethodPost, "/runs", aRun(uuid.NewString(), time.Now(), "bench", "Say hello."), nil)
	})
	if err != nil {
		return nil, err
	}
	add(fmt.Sprintf("runs a second, one by one from %d clients", of.clients), decimals(float64(len(took))/time.Since(began).Seconds(), 0))
	add("a run", both(took))
	took, err = f.crowd(of, func(n int) error {
		return f.call(ctx, http.MethodPatch, "/v2/deployments/"+s.deployment, object{"source_revision_config": image(n)}, nil)
	})
	if err != nil {
		return nil, err
	}
	add("change of a deployment", both(took))
	if err := waitForCalm(ctx, of.calm, f.cpu); err != nil {
		return nil, err
	}
	for _, q := range append(s.bounded(), s.questions()...) {
		took := []time.Duration{}
		for range of.asked {
			began := time.Now()
			if err := f.call(ctx, q.method, q.path, q.body, nil); err != nil {
				return nil, err
			}
			took = append(took, time.Since(began))
		}
		add(q.name, both(took))
	}
	return rows, nil
}

// crowd sends requests from several clients, and returns how long each took.
func (f *fleet) crowd(of amounts, send func(n int) error) (all []time.Duration, err error) {
	var mu sync.Mutex
	var clients sync.WaitGroup
	for c := range of.clients {
		clients.Go(func() {
			for n := c; n < of.ingested; n += of.clients {
				began := time.Now()
				failed := send(n)
				mu.Lock()
				all, err = append(all, time.Since(began)), errors.Join(err, failed)
				mu.Unlock()
				if failed != nil {
					return
				}
			}
		})
	}
	clients.Wait()
	return all, err
}

// both is a cell with a median and a 95th percentile.
func both(took []time.Duration) string {
	q := quantiles(took)
	return q[0] + " " + q[1]
}
