package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// printDevServer runs benchmarks of the dev server and shows their figures.
func printDevServer(ctx context.Context, b *bench) error {
	ingest, err := goBenchmarks(ctx, "Ingest$", "1x")
	if err != nil {
		return err
	}
	t := table{header: []string{"payload of a run", "operations/s", "MB/s", "p50 (ms)", "p99 (ms)"}}
	for _, f := range ingest {
		t.add(f.name, f.shown("ops/s", 0), f.shown("MB/s", 1), f.shown("p50-ms", 0), f.shown("p99-ms", 0))
	}
	b.printf("Dev server, ingest: from 8 connections, each request with a post and a patch of 50 runs\n\n%s\n", &t)

	queries, err := goBenchmarks(ctx, "QueryRuns$", "10x")
	if err != nil {
		return err
	}
	t = table{header: []string{"query", "ms"}}
	for _, f := range queries {
		t.add(f.name, decimals(f.values["ns/op"]/1e6, 1))
	}
	b.printf("Dev server, queries: a page of a project with 100,000 runs\n\n%s\n", &t)
	return nil
}

// printIngest shows how fast the dev server accepts runs in each form, and how much of a client's speed remains compared
// with a server that discards them.
func printIngest(ctx context.Context, b *bench) error {
	t := table{header: []string{"form", "payload of a run", "runs/s", "MB/s", "p50 (ms)", "p99 (ms)"}}
	for _, form := range []struct {
		name, benchmark, unit string
		each                  float64 // In the unit, for one run.
	}{{"multipart", "Ingest$", "ops/s", 2}, {"OpenTelemetry", "IngestSpans$", "spans/s", 1}} {
		ingest, err := goBenchmarks(ctx, form.benchmark, "3x")
		if err != nil {
			return err
		}
		for _, f := range ingest {
			t.add(form.name, f.name, decimals(f.values[form.unit]/form.each, 0), f.shown("MB/s", 1), f.shown("p50-ms", 0), f.shown("p99-ms", 0))
		}
	}
	b.printf("Dev server, ingest: from 8 connections, each request with a post and a patch of 50 runs, or with 100 spans\n\n%s\n", &t)

	clients, err := goBenchmarks(ctx, "NPMClient$", "3x")
	if err != nil {
		return err
	}
	t = table{header: []string{"payload of a run", "runs/s", "runs/s to a sink", "ratio"}}
	for _, f := range clients {
		t.add(f.name, f.shown("runs/s", 0), f.shown("sink-runs/s", 0), f.shown("ratio", 2))
	}
	b.printf("Dev server, npm client: compared with a server that discards runs\n\n%s\n", &t)
	return nil
}

// figures are the results of one benchmark, by unit.
type figures struct {
	name   string
	values map[string]float64
}

// shown formats a figure with the given number of decimals.
func (f figures) shown(unit string, digits int) string {
	value, ok := f.values[unit]
	if !ok {
		return nothing
	}
	return decimals(value, digits)
}

// goBenchmarks runs benchmarks of the dev server that match a pattern.
func goBenchmarks(ctx context.Context, pattern, times string) ([]figures, error) {
	command := exec.CommandContext(ctx, "go", "test", "-trimpath", "-run", "^$", "-bench", pattern, "-benchtime", times, "./internal/devserver/...") //nolint:gosec // Constants.
	printed, err := command.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", command, err, tail(string(printed), 3000))
	}
	found := parseBenchmarks(string(printed))
	if len(found) == 0 {
		return nil, fmt.Errorf("%s prints no figures: %s", command, tail(string(printed), 3000))
	}
	return found, nil
}

// parseBenchmarks reads lines such as "BenchmarkIngest/0KB-2  1  52 ns/op  12 ops/s".
func parseBenchmarks(printed string) []figures {
	var all []figures
	for line := range strings.Lines(printed) {
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		f := figures{name: benchmarkName(words[0]), values: map[string]float64{}}
		for pair := range slices.Chunk(words[2:], 2) {
			value, err := strconv.ParseFloat(pair[0], 64)
			if err != nil || len(pair) < 2 {
				break
			}
			f.values[pair[1]] = value
		}
		all = append(all, f)
	}
	return all
}

// benchmarkName returns the part after the first slash, without the number of processors.
func benchmarkName(full string) string {
	name := full
	if i := strings.LastIndex(full, "-"); i > 0 && strings.Trim(full[i+1:], "0123456789") == "" {
		name = full[:i]
	}
	if _, sub, ok := strings.Cut(name, "/"); ok {
		return sub
	}
	return strings.TrimPrefix(name, "Benchmark")
}
