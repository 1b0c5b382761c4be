package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/hostile"
)

// mostWait is how long a request of one workspace may take while another workspace does its worst.
const mostWait = 100 * time.Millisecond

// hostileSeed makes the same malformed requests in every run.
const hostileSeed = 1

// hostileRuns is the number of runs in the section hostile unless RUNS sets it.
const hostileRuns = 30_000

// hostileTrace is the number of runs in its large traces.
const hostileTrace = 10_000

// Two workspaces share a server, each with its own key.
const (
	attackerKey, attackerWorkspace = "attacker", "aaaaaaaa-0000-4000-8000-000000000000"
	victimKey, victimWorkspace     = "victim", "bbbbbbbb-0000-4000-8000-000000000000"
)

// weights say how much the hostile workspace stores and sends.
type weights struct {
	// text is the size in bytes of a large run, and metadata the number of entries of another one.
	text, metadata int
	// runs are those of its large project, trace those of its large traces, and prices its model prices.
	runs, trace, prices int
	// strangers are requests without a key, malformed those with one, and silent clients those that read no response.
	strangers, malformed, silent int
	// calm is how long the other workspace is measured without an attack, and after the answer to the last request of one, while the server
	// may still work on it.
	calm time.Duration
}

// printHostile measures how long requests of a workspace take while another one sends expensive requests.
func printHostile(ctx context.Context, b *bench) error {
	program, err := b.tools.build(ctx, "devserver")
	if err != nil {
		return err
	}
	return measureHostile(ctx, b, program, weights{
		text: 20 << 20, metadata: 400_000, runs: cmp.Or(b.runs, hostileRuns), trace: hostileTrace, prices: 500, strangers: 600, malformed: 2_000, silent: 40, calm: 3 * time.Second,
	})
}

func measureHostile(ctx context.Context, b *bench, program string, of weights) (err error) {
	dir, err := os.MkdirTemp("", "agentplane-hostile-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	server, err := startServer(ctx, program, "-data", filepath.Join(dir, "plane.db"),
		"-api-key", attackerKey+"="+attackerWorkspace, "-api-key", victimKey+"="+victimWorkspace)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	a := &attack{weights: of, client: newClient(server.url, attackerKey), stranger: newClient(server.url, "")}
	if a.generator, err = newGenerator(b.tools.root); err != nil { //nolint:contextcheck // Opening must not be cancelled halfway.
		return err
	}
	a.large = uuid.NewString()
	if a.body, err = json.Marshal(aRun(a.large, time.Now(), "large", strings.Repeat("ab ", of.text/3))); err != nil {
		return err
	}
	t := table{header: []string{
		"what another workspace does", "seconds", "requests", "p50 (s)", "p95 (s)", "longest (s)", "longest is", "refused", "≤ 100 ms", "timer (s)", "memory (MB)",
	}}
	for _, c := range hostileCases {
		fmt.Fprintln(b.progress, c.name)
		if err := a.prepare(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		v, err := newVictim(ctx, newClient(server.url, victimKey), c.name)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		before := server.resident()
		server.forgetPeak()
		began := time.Now()
		waits, err := v.during(ctx, of.calm, func() error { return c.play(a, ctx) })
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		grown := nothing
		if before > 0 {
			grown = fmt.Sprintf("%+.0f", float64(server.peak()-before)/1024)
		}
		t.add(append(append([]string{c.name, seconds(time.Since(began))}, waits.cells()...), grown)...)
	}
	b.printf("Dev server, hostile: the requests of a workspace while another one, with %d runs, does its worst, and for %s after that; memory is how much "+
		"the process grew at most, and timer how late the benchmark's own timers were at most, because of other processes\n\n%s\n", of.runs, of.calm, &t)
	return nil
}

// newGenerator returns a generator of malformed requests to all endpoints.
func newGenerator(root string) (*hostile.Generator, error) {
	document, err := os.ReadFile(filepath.Join(root, "internal", "providertest", "testdata", "langsmith.openapi.json"))
	if err != nil {
		return nil, err
	}
	server, err := devserver.New(devserver.Config{})
	if err != nil {
		return nil, err
	}
	generator, err := hostile.New(document, server.Undocumented(), hostileSeed)
	return generator, errors.Join(err, server.Close())
}

// waits are the durations of requests by what they ask for, and how many of them were refused.
type waits struct {
	took    map[string][]time.Duration
	refused int
	// late is how late timers in this process were at most: the machine, not the server, made requests wait as long.
	late time.Duration
}

// cells contains what the table says about them.
func (w waits) cells() []string {
	var all []time.Duration
	longest, slowest := time.Duration(0), nothing
	for name, took := range w.took {
		all = append(all, took...)
		if most := slices.Max(took); most > longest {
			longest, slowest = most, name
		}
	}
	met := "met"
	if longest > mostWait || w.refused > 0 {
		met = "MISSED"
	}
	return append(append([]string{fmt.Sprint(len(all))}, quantiles(all)...), slowest, fmt.Sprint(w.refused), met, seconds(w.late))
}
