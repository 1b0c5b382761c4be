package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run measures the packages that the arguments name, or all with a recorded score, and compares their scores with the
// recorded ones.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	file := flags.String("scores", "", "`file` with the recorded scores, which may only rise")
	record := flags.Bool("record", false, "record the scores in place of comparing them")
	patience := flags.Duration("patience", 3*time.Second, "how much longer than usual tests may take before they count as hanging")
	var how method
	how.add(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	isChosen := false
	flags.Visit(func(f *flag.Flag) { isChosen = isChosen || f.Name == "sample" || f.Name == "tests" })
	recorded, err := readScores(*file)
	if err != nil {
		return err
	}
	packages := flags.Args()
	if len(packages) == 0 {
		packages = slices.Sorted(maps.Keys(recorded))
	}
	var failures []error
	for _, pkg := range packages {
		before, isRecorded := recorded[pkg]
		if isRecorded && !isChosen {
			how = before.method
		}
		got, err := measure(ctx, pkg, how, *patience, stdout)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", pkg, err)
		case *record:
			recorded[pkg] = got
			if err := writeScores(*file, recorded); err != nil {
				return err
			}
		case isRecorded && got.method == before.method && got.percent() < before.percent():
			failures = append(failures, fmt.Errorf("%s: %s, and %s are recorded: test what the new survivors change", pkg, got, before))
		}
	}
	return errors.Join(failures...)
}

// measure lists the survivors of a package, and returns its score.
func measure(ctx context.Context, pkg string, how method, patience time.Duration, stdout io.Writer) (result score, err error) {
	temporary, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return score{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	s, err := build(ctx, pkg, how, temporary)
	if err != nil {
		return score{}, err
	}
	s.patience = patience
	if err := s.explore(ctx); err != nil {
		return score{}, err
	}
	result = score{mutants: len(s.mutants), method: how}
	hung := 0
	for m, is := range s.outcomes(ctx) {
		if ctx.Err() != nil {
			break
		}
		switch is {
		case survives:
			fmt.Fprintf(stdout, "%s/%s\n", pkg, m)
		case isUnreached:
			fmt.Fprintf(stdout, "%s/%s (no test has such a case)\n", pkg, m)
		case hangs:
			hung++
			result.killed++
		case fails:
			result.killed++
		}
	}
	if err := ctx.Err(); err != nil {
		return score{}, err
	}
	fmt.Fprintf(stdout, "%s: %s, %d of them by a time-out\n", pkg, result, hung)
	return result, nil
}

// outcomes yields each mutant with its outcome, in order, as soon as those before it are known.
func (s *suite) outcomes(ctx context.Context) iter.Seq2[mutant, outcome] {
	return func(yield func(mutant, outcome) bool) {
		known := make([]chan outcome, len(s.mutants))
		for i := range known {
			known[i] = make(chan outcome, 1)
		}
		go each(len(s.mutants), func(i int) { known[i] <- s.try(ctx, s.mutants[i].id) })
		for i, m := range s.mutants {
			if !yield(m, <-known[i]) {
				return
			}
		}
	}
}

// each calls a function with each number below n, on all cores.
func each(n int, call func(int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				call(i)
			}
		})
	}
	workers.Wait()
}
