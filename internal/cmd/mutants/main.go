package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
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

// run measures the packages that the arguments name, and compares their scores with the recorded ones.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	file := flags.String("scores", "", "`file` with the recorded scores, which may only rise")
	record := flags.Bool("record", false, "record the scores in place of comparing them")
	patience := flags.Duration("patience", 10*time.Second, "how much longer than usual tests may take before they count as hanging")
	if err := flags.Parse(args); err != nil {
		return err
	}
	recorded, err := readScores(*file)
	if err != nil {
		return err
	}
	var failures []error
	for _, pkg := range flags.Args() {
		got, err := measure(ctx, pkg, *patience, stdout)
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		fmt.Fprintf(stdout, "%s: %s\n", pkg, got)
		if *record {
			recorded[pkg] = got
			continue
		}
		if before, ok := recorded[pkg]; ok && got.percent() < before.percent() {
			failures = append(failures, fmt.Errorf("%s: %s, and %s are recorded: test what the new survivors change", pkg, got, before))
		}
	}
	if *record {
		return writeScores(*file, recorded)
	}
	return errors.Join(failures...)
}

// measure lists the survivors of a package, and returns its score.
func measure(ctx context.Context, pkg string, patience time.Duration, stdout io.Writer) (result score, err error) {
	temporary, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return score{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	s, err := build(ctx, pkg, temporary)
	if err != nil {
		return score{}, err
	}
	s.patience = patience
	if err := s.explore(ctx); err != nil {
		return score{}, err
	}
	killed := s.killed(ctx)
	if err := ctx.Err(); err != nil {
		return score{}, err
	}
	result.mutants = len(s.mutants)
	for i, m := range s.mutants {
		switch {
		case killed[i]:
			result.killed++
		case len(s.reaching(m.id)) == 0:
			fmt.Fprintf(stdout, "%s/%s (no test reaches it)\n", pkg, m)
		default:
			fmt.Fprintf(stdout, "%s/%s\n", pkg, m)
		}
	}
	return result, nil
}

// killed tells for each mutant whether a test fails with it.
func (s *suite) killed(ctx context.Context) []bool {
	killed := make([]bool, len(s.mutants))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				killed[i] = s.kills(ctx, s.mutants[i].id)
			}
		})
	}
	for i := range s.mutants {
		next <- i
	}
	close(next)
	workers.Wait()
	return killed
}
