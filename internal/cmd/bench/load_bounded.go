package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Bounds of the 95th percentile: of a query to a server that was just started, of a repeated one, and of requests to the control plane beside
// it.
const (
	mostCold   = 200 * time.Millisecond
	mostWarm   = 50 * time.Millisecond
	mostBeside = 50 * time.Millisecond
)

// printBounded measures the queries that have bounds.
func (l *loaded) printBounded(ctx context.Context, b *bench) error {
	t := table{header: []string{
		"question", "cold p50 (s)", "cold p95 (s)", "≤ 0.2 s", "p50 (s)", "p95 (s)", "≤ 0.05 s", "CPU (s)", "deployment beside, p95 (s)", "change beside, p95 (s)", "≤ 0.05 s",
	}}
	for n := range l.bounded() {
		fmt.Fprintln(b.progress, l.bounded()[n].name)
		cold, err := l.cold(ctx, n)
		if err != nil {
			return err
		}
		q := l.bounded()[n]
		before := ownCPU()
		warm, err := l.times(ctx, q, l.amounts.asked)
		if err != nil {
			return err
		}
		cpu := (ownCPU() - before) / time.Duration(l.amounts.asked)
		reads, writes, err := l.beside(ctx, q)
		if err != nil {
			return err
		}
		beside := max(late(reads), late(writes))
		t.add(q.name, seconds(median(cold)), seconds(late(cold)), verdict(late(cold), mostCold), seconds(median(warm)), seconds(late(warm)),
			verdict(late(warm), mostWarm), seconds(cpu), seconds(late(reads)), seconds(late(writes)), verdict(beside, mostBeside))
	}
	b.printf("Dev server, load: beside %d runs; cold is the first query of a server that was just started, %d times, with nothing of its file in memory; "+
		"the others are %d times, and CPU is the mean\n\n%s\n", l.amounts.runs, l.coldStarts(), l.amounts.asked, &t)
	return nil
}

func verdict(measured, most time.Duration) string {
	if measured > most {
		return "MISSED"
	}
	return "met"
}

// coldStarts is how often the server is started again to measure a query.
func (l *loaded) coldStarts() int { return max(1, l.amounts.asked/4) }

// cold starts the server several times, and asks each one the query with a number.
func (l *loaded) cold(ctx context.Context, n int) ([]time.Duration, error) {
	var all []time.Duration
	for range l.coldStarts() {
		if err := l.close(); err != nil {
			return nil, err
		}
		if err := forgetFile(l.file); err != nil {
			return nil, err
		}
		var err error
		if l.plane, err = openPlane(ctx, l.config()); err != nil {
			return nil, err
		}
		took, err := l.times(ctx, l.bounded()[n], 1)
		if err != nil {
			return nil, err
		}
		all = append(all, took...)
	}
	return all, nil
}

// beside reads and changes a deployment repeatedly during a query: until it is answered, and then until there are enough
// measurements.
func (l *loaded) beside(ctx context.Context, other question) (reads, writes []time.Duration, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	answered, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := l.times(ctx, other, 1)
		close(answered)
		for err == nil && ctx.Err() == nil {
			_, err = l.times(ctx, other, 1)
		}
		if ctx.Err() != nil {
			err = nil // It was told to stop.
		}
		ended <- err
	}()
	first := answered
	for n := 0; err == nil && (n < l.amounts.asked || first != nil); n++ {
		var read, write []time.Duration
		read, err = l.times(ctx, question{method: http.MethodGet, path: "/v2/deployments/" + l.deployment}, 10)
		if err == nil {
			change := object{"source_revision_config": image(n)}
			write, err = l.times(ctx, question{method: http.MethodPatch, path: "/v2/deployments/" + l.deployment, body: change}, 1)
		}
		reads, writes = slices.Concat(reads, read), slices.Concat(writes, write)
		select {
		case <-first:
			first = nil
		default:
		}
	}
	stop()
	return reads, writes, errors.Join(err, <-ended)
}
