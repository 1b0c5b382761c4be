package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// score is how many of a package's mutants its tests kill.
type score struct{ killed, mutants int }

func (s score) percent() float64 {
	if s.mutants == 0 {
		return 100
	}
	return 100 * float64(s.killed) / float64(s.mutants)
}

func (s score) String() string {
	return fmt.Sprintf("%d of %d mutants killed (%.1f %%)", s.killed, s.mutants, s.percent())
}

// readScores reads a file with a line "package killed mutants" for each package. Without a file there are none.
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
		var pkg string
		var s score
		if _, err := fmt.Sscan(lines.Text(), &pkg, &s.killed, &s.mutants); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, lines.Text(), err)
		}
		scores[pkg] = s
	}
	return scores, lines.Err()
}

func writeScores(name string, scores map[string]score) error {
	var text strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(scores)) {
		fmt.Fprintln(&text, pkg, scores[pkg].killed, scores[pkg].mutants)
	}
	return os.WriteFile(name, []byte(text.String()), 0o644) //nolint:gosec // A file of the repository.
}
