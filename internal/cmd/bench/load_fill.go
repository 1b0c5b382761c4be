package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
)

// fill stores all data and reports its duration and size.
func (l *loaded) fill(ctx context.Context, b *bench) error {
	t := &table{header: []string{"stored", "seconds", "a second", "bytes each", "resident memory (MB)"}}
	empty := sizeOf(l.file)
	for _, step := range []struct {
		name   string
		amount int
		fill   func(ctx context.Context, amount int) error
	}{
		{"revisions", l.amounts.revisions, func(ctx context.Context, amount int) error {
			_, err := fillRevisions(ctx, l.plane, 0, amount)
			return err
		}},
		{"deployments", l.amounts.deployments, func(ctx context.Context, amount int) error {
			_, err := fillDeployments(ctx, l.plane, 0, amount)
			return err
		}},
		{"runs of a trace", l.amounts.trace, func(ctx context.Context, amount int) error { return logTrace(ctx, l, amount) }},
		{"runs", l.amounts.runs - l.amounts.trace, func(ctx context.Context, amount int) error { return logMonth(ctx, l, amount) }},
		{"runs, in the background", l.amounts.runs, func(ctx context.Context, _ int) error { return l.idle(ctx) }},
	} {
		fmt.Fprintf(b.progress, "%d %s\n", step.amount, step.name)
		began := time.Now()
		if err := step.fill(ctx, step.amount); err != nil {
			return err
		}
		took, size := time.Since(began), sizeOf(l.file)
		resident := kilobytes(readFile("/proc/self/status"), "VmRSS")
		t.add(fmt.Sprintf("%d %s", step.amount, step.name), seconds(took), decimals(float64(step.amount)/took.Seconds(), 0),
			strconv.FormatInt((size-empty)/int64(max(1, step.amount)), 10), megabytes(resident))
		empty = size
	}
	b.printf("Dev server, load: with a file\n\n%s\n", t)
	return nil
}

// month is the time in which the runs started.
const month = 30 * 24 * time.Hour

// fillers is the number of clients that fill the server: while one prepares a request, the server stores that of the other.
const fillers = 2

// logMonth logs traces of one run that started in the last 30 days, at the same distance from each other.
func logMonth(ctx context.Context, to caller, amount int) error {
	step := month / time.Duration(max(1, amount))
	begin := time.Now().Add(-month + time.Hour)
	var all sync.WaitGroup
	failed := make(chan error, fillers)
	for n := range fillers {
		from, until := amount*n/fillers, amount*(n+1)/fillers
		all.Go(func() { failed <- logRuns(ctx, to, "bench", begin, step, from, until) })
	}
	all.Wait()
	for range fillers {
		if err := <-failed; err != nil {
			return err
		}
	}
	return nil
}

// logTrace logs a trace: its root has a hundredth of the runs as children, which have called models.
func logTrace(ctx context.Context, to caller, amount int) error {
	at := time.Now().Add(-time.Hour)
	root := aRun(uuid.NewString(), at, "bench", "Say hello to everybody.")
	root["name"], root["run_type"] = "agent", "chain"
	posts, parent := []object{root}, root
	for n := 1; n < amount; n++ {
		child := aRun(uuid.NewString(), at.Add(time.Duration(n)*time.Millisecond), "bench", fmt.Sprintf("Say hello to person %d.", n))
		above := parent
		if n%100 == 1 {
			child["name"], child["run_type"] = "step", "chain"
			above, parent = root, child
		}
		child["trace_id"], child["parent_run_id"] = root["id"], above["id"]
		child["dotted_order"] = fmt.Sprint(above["dotted_order"], ".", child["dotted_order"])
		posts = append(posts, child)
	}
	for some := range slices.Chunk(posts, batch) {
		if err := to.call(ctx, http.MethodPost, "/runs/batch", object{"post": some}, nil); err != nil {
			return err
		}
	}
	return nil
}

// idle waits until this process is.
func (l *loaded) idle(ctx context.Context) error { return waitForCalm(ctx, l.amounts.calm, ownCPU) }

// waitForCalm waits until a CPU time has grown by less than a tenth of a core for some time: servers roll up and index in the background.
func waitForCalm(ctx context.Context, calm time.Duration, cpu func() time.Duration) error {
	for before, quiet := cpu(), 0; quiet < 3; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(calm):
		}
		now := cpu()
		if quiet++; now-before > calm/10 {
			quiet = 0
		}
		before = now
	}
	return nil
}

// ownCPU is the CPU time that this process has used, or zero if the system doesn't say it.
func ownCPU() time.Duration { return cpuTime(readFile("/proc/self/stat")) }

// sizeOf returns the size of a file and its log.
func sizeOf(file string) (all int64) {
	for _, name := range []string{file, file + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			all += info.Size()
		}
	}
	return all
}
