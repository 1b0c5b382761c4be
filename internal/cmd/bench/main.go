package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sections are the parts of the output, in order. Most take a minute or less, scale several.
var sections = []section{
	{name: "scale", print: printScale},
	{name: "load", print: printLoad, extra: true},
	{name: "engines", print: printEngines, extra: true},
}

type section struct {
	name  string
	print func(context.Context, *bench) error
	// extra sections are left out by default.
	extra bool
}

// wanted says whether to print a section, given the selected ones.
func (s section) wanted(only []string) bool {
	if len(only) == 0 {
		return !s.extra
	}
	return slices.Contains(only, s.name)
}

// bench is the environment in which sections measure and print.
type bench struct {
	out      io.Writer
	progress io.Writer
	sizes    []int
	runs     int
	data     string
	tools    tools
}

// printf prints a part of a section.
func (b *bench) printf(format string, args ...any) { fmt.Fprintf(b.out, format, args...) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run prints the selected sections.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	began := time.Now()
	dir, err := os.MkdirTemp("", "agentplane-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t, err := newTools(ctx, dir)
	if err != nil {
		return err
	}
	b := &bench{out: stdout, progress: stderr, sizes: o.sizes, runs: o.runs, data: o.data, tools: t}
	b.printf("%s\n", describeMachine(ctx, t.cli))
	for _, s := range sections {
		if !s.wanted(o.only) {
			continue
		}
		if err := s.print(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	b.printf("Took %s.\n", time.Since(began).Round(time.Second))
	return nil
}

// options are the command-line options.
type options struct {
	sizes []int
	runs  int // Zero: the default of the section.
	data  string
	only  []string
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	sizes := flags.String("n", "1 100 500", "how many resources to manage, one number for each run of the section scale")
	only := flags.String("only", "", "`sections` to print, of "+strings.Join(sectionNames(), " ")+"; by default, all but load and engines")
	flags.Func("runs", fmt.Sprintf("how many `runs` to store in the sections load, by default %d, and engines, by default %d",
		loadRuns, enginesRuns), o.setRuns)
	flags.StringVar(&o.data, "data", "", "`path` of the file that the section load fills, or, if it exists, uses; -runs must say how many it has")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: all options are flags, see -help", flags.Arg(0))
	}
	for _, word := range words(*sizes) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return o, fmt.Errorf("-n has %q: use positive whole numbers such as 1 100 500", word)
		}
		o.sizes = append(o.sizes, n)
	}
	slices.Sort(o.sizes)
	o.sizes = slices.Compact(o.sizes)
	if len(o.sizes) == 0 {
		return o, errors.New("-n is empty: name at least one number of resources")
	}
	o.only = words(*only)
	for _, name := range o.only {
		if !slices.Contains(sectionNames(), name) {
			return o, fmt.Errorf("-only has %q: the sections are %s", name, strings.Join(sectionNames(), ", "))
		}
	}
	return o, nil
}

func (o *options) setRuns(text string) (err error) {
	if o.runs, err = strconv.Atoi(text); err != nil || o.runs < 1 {
		return errors.New("use a positive whole number")
	}
	return nil
}

// words splits a list whose separators are spaces or commas.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' })
}

// sectionNames are the values of -only.
func sectionNames() []string {
	names := make([]string, len(sections))
	for i, s := range sections {
		names[i] = s.name
	}
	return names
}
