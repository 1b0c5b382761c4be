package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// method is how a package is measured. Scores of different methods don't compare.
type method struct {
	sample uint64 // one in this many mutants is measured
	tests  string // comma-separated packages whose tests count in addition to its own
}

func (m *method) add(flags *flag.FlagSet) {
	flags.Uint64Var(&m.sample, "sample", 1, "measure one mutant in `so many`, always the same ones")
	flags.StringVar(&m.tests, "tests", "", "`packages` whose tests count beside its own, with commas between them")
}

// String is the flags that choose the method, each after a space.
func (m method) String() string {
	var text string
	if m.sample > 1 {
		text += fmt.Sprintf(" -sample=%d", m.sample)
	}
	if m.tests != "" {
		text += " -tests=" + m.tests
	}
	return text
}

// score is how many of a package's mutants its tests kill.
type score struct {
	killed, mutants int
	method          method
}

func (s score) percent() float64 {
	if s.mutants == 0 {
		return 100
	}
	return 100 * float64(s.killed) / float64(s.mutants)
}

func (s score) String() string {
	return fmt.Sprintf("%d of %d mutants killed (%.1f %%)%s", s.killed, s.mutants, s.percent(), s.method)
}

// readScores reads a file with a line for each package: its path, the number of mutants killed and of those measured, and
// the flags that they were measured with. Without a file there are none.
func readScores(name string) (map[string]score, error) {
	scores := map[string]score{}
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return scores, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		pkg, s, err := readScore(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, lines.Text(), err)
		}
		scores[pkg] = s
	}
	return scores, lines.Err()
}

func readScore(line string) (pkg string, s score, err error) {
	if _, err := fmt.Sscan(line, &pkg, &s.killed, &s.mutants); err != nil {
		return "", score{}, err
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	s.method.add(flags)
	return pkg, s, flags.Parse(strings.Fields(line)[3:])
}

func writeScores(name string, scores map[string]score) error {
	var text strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(scores)) {
		s := scores[pkg]
		fmt.Fprintf(&text, "%s %d %d%s\n", pkg, s.killed, s.mutants, s.method)
	}
	return os.WriteFile(name, []byte(text.String()), 0o644) //nolint:gosec // A file of the repository.
}
