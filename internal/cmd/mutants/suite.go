package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// suite is the test binary of an instrumented package.
type suite struct {
	binary  string
	dir     string // where the package's tests run
	mutants []mutant
	tests   []test
	// patience is how much longer than usual tests may take before they count as hanging.
	patience time.Duration
}

// test is a test function with the mutants that it reaches.
type test struct {
	name    string
	took    time.Duration
	reaches map[int]bool
}

// listed is what the go command says about a package.
type listed struct {
	Dir, ImportPath, Name string
	GoFiles               []string
}

// build compiles the tests of a package with its mutants in a temporary directory.
func build(ctx context.Context, pkg, temporary string) (*suite, error) {
	text, err := output(ctx, ".", "go", "list", "-json=Dir,ImportPath,Name,GoFiles", pkg)
	if err != nil {
		return nil, err
	}
	var about listed
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, err
	}
	mutants, overlay, err := instrument(about, temporary)
	if err != nil {
		return nil, err
	}
	s := &suite{binary: filepath.Join(temporary, "tests"), dir: about.Dir, mutants: mutants}
	if _, err := output(ctx, ".", "go", "test", "-c", "-ldflags=-w", "-overlay", overlay, "-o", s.binary, about.ImportPath); err != nil {
		return nil, err
	}
	return s, nil
}

// instrument writes the instrumented files, and the file that puts them in place of the package's own.
func instrument(about listed, temporary string) (mutants []mutant, overlay string, err error) {
	m := newMutator()
	replaced := map[string]string{}
	place := func(name string, code []byte) error {
		file := filepath.Join(temporary, name)
		replaced[filepath.Join(about.Dir, name)] = file
		return os.WriteFile(file, code, 0o600) //nolint:gosec // A file name that the go command listed.
	}
	for _, name := range about.GoFiles {
		code, err := os.ReadFile(filepath.Join(about.Dir, name))
		if err != nil {
			return nil, "", err
		}
		if code, err = m.instrument(name, code); err != nil {
			return nil, "", err
		}
		if err := place(name, code); err != nil {
			return nil, "", err
		}
	}
	if err := place(switchName, []byte(switchCode(about.Name))); err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, "", err
	}
	overlay = filepath.Join(temporary, "overlay.json")
	return m.mutants, overlay, os.WriteFile(overlay, text, 0o600)
}

// explore runs each test alone, to see how long it takes and which mutants it reaches.
func (s *suite) explore(ctx context.Context) error {
	names, err := output(ctx, s.dir, s.binary, "-test.list", "^Test")
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(string(names)) {
		reached := filepath.Join(filepath.Dir(s.binary), "reached-"+name)
		began := time.Now()
		if failure := s.run(ctx, []string{name}, 0, 10*time.Minute, reachedVariable+"="+reached); failure != nil {
			return fmt.Errorf("%s fails without a mutant: %w", name, failure)
		}
		t := test{name: name, took: time.Since(began), reaches: map[int]bool{}}
		text, err := os.ReadFile(reached)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for line := range strings.FieldsSeq(string(text)) {
			id, err := strconv.Atoi(line)
			if err != nil {
				return err
			}
			t.reaches[id] = true
		}
		s.tests = append(s.tests, t)
	}
	slices.SortStableFunc(s.tests, func(a, b test) int { return int(a.took - b.took) })
	return nil
}

// reaching are the tests that reach a mutant, the fastest first.
func (s *suite) reaching(id int) []test {
	var tests []test
	for _, t := range s.tests {
		if t.reaches[id] {
			tests = append(tests, t)
		}
	}
	return tests
}

// kills tells whether a test fails, crashes or hangs with the mutant. The fastest tests come first, a few at a time,
// because most mutants fail nearly every test that reaches them.
func (s *suite) kills(ctx context.Context, id int) bool {
	const atATime = 8
	for tests := range slices.Chunk(s.reaching(id), atATime) {
		var names []string
		var usual time.Duration
		for _, t := range tests {
			names, usual = append(names, t.name), usual+t.took
		}
		if s.run(ctx, names, id, s.patience+5*usual) != nil && ctx.Err() == nil {
			return true
		}
	}
	return false
}

// run runs some tests with a mutant, and returns how they failed.
func (s *suite) run(ctx context.Context, tests []string, mutant int, limit time.Duration, environ ...string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, "-test.failfast", "-test.run", "^("+strings.Join(tests, "|")+")$") //nolint:gosec // The binary that was just built.
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), append(environ, fmt.Sprintf("%s=%d", activeVariable, mutant))...)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, out.Bytes())
	}
	return nil
}

// output runs a command to its end, and returns what it prints.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // The go command, or the binary that it built.
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}
