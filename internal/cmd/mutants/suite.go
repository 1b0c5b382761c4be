package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// suite is the tests of an instrumented package.
type suite struct {
	binaries []*binary
	mutants  []mutant // those that are measured
	tests    []test   // the fastest first
	// patience is the additional time that tests may take before they count as hanging.
	patience time.Duration
}

// binary is the compiled tests of a package, its own or one that imports it.
type binary struct {
	file   string
	dir    string // where the tests run
	starts time.Duration
}

// test is a test function with the mutants that it reaches.
type test struct {
	binary  *binary
	name    string
	takes   time.Duration
	reaches map[int]bool
}

// listed is what the go command says about a package.
type listed struct {
	Dir, ImportPath, Name string
	GoFiles               []string
}

func list(ctx context.Context, pkg string) (about listed, err error) {
	text, err := output(ctx, ".", "go", "list", "-json=Dir,ImportPath,Name,GoFiles", pkg)
	if err != nil {
		return listed{}, err
	}
	err = json.Unmarshal(text, &about)
	return about, err
}

// build compiles the tests of a package with its mutants in a temporary directory.
func build(ctx context.Context, pkg string, how method, temporary string) (*suite, error) {
	about, err := list(ctx, pkg)
	if err != nil {
		return nil, err
	}
	mutants, overlay, err := instrument(about, temporary)
	if err != nil {
		return nil, err
	}
	s := &suite{mutants: sample(mutants, max(how.sample, 1))}
	tested := []listed{about}
	for name := range strings.FieldsFuncSeq(how.tests, func(r rune) bool { return r == ',' }) {
		if about, err = list(ctx, name); err != nil {
			return nil, err
		}
		tested = append(tested, about)
	}
	for i, about := range tested {
		b := &binary{file: filepath.Join(temporary, fmt.Sprintf("tests-%d", i)), dir: about.Dir}
		if _, err := output(ctx, ".", "go", "test", "-c", "-ldflags=-w", "-overlay", overlay, "-o", b.file, about.ImportPath); err != nil {
			return nil, err
		}
		if _, err := os.Stat(b.file); errors.Is(err, fs.ErrNotExist) {
			continue // The package has no tests of its own.
		}
		s.binaries = append(s.binaries, b)
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
	if err := place(switchName, []byte(switchCode(about.Name, len(m.mutants)))); err != nil {
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
	for _, b := range s.binaries {
		began := time.Now()
		names, err := output(ctx, b.dir, b.file, "-test.list", "^(Test|Fuzz|Example)")
		if err != nil {
			return err
		}
		b.starts = time.Since(began)
		for name := range strings.FieldsSeq(string(names)) {
			s.tests = append(s.tests, test{binary: b, name: name})
		}
	}
	failures := make([]error, len(s.tests))
	each(len(s.tests), func(i int) { failures[i] = s.tests[i].explore(ctx) })
	slices.SortStableFunc(s.tests, func(a, b test) int { return cmp.Compare(a.takes, b.takes) })
	return errors.Join(failures...)
}

func (t *test) explore(ctx context.Context) error {
	reached := t.binary.file + "-" + t.name
	began := time.Now()
	if failure := t.binary.run(ctx, []string{t.name}, 0, 10*time.Minute, reachedVariable+"="+reached); failure != nil {
		return fmt.Errorf("%s fails without a mutant: %w", t.name, failure)
	}
	t.takes = max(time.Since(began)-t.binary.starts, time.Millisecond)
	text, err := os.ReadFile(reached)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	t.reaches = map[int]bool{}
	for line := range strings.FieldsSeq(string(text)) {
		id, err := strconv.Atoi(line)
		if err != nil {
			return err
		}
		t.reaches[id] = true
	}
	return nil
}

// outcome is the result of the tests with a mutant.
type outcome int

const (
	survives outcome = iota
	isUnreached
	fails
	hangs
)

// try runs the tests that reach a mutant until one fails, crashes or hangs. Most mutants fail nearly every test that
// reaches them, so the fastest tests come first.
func (s *suite) try(ctx context.Context, id int) outcome {
	tried := isUnreached
	for tests := range s.batches(id) {
		err := s.runBatch(ctx, tests, id)
		switch {
		case ctx.Err() != nil:
			return survives
		case errors.Is(err, errHangs):
			return hangs
		case err != nil:
			return fails
		}
		tried = survives
	}
	return tried
}

// runBatch runs tests of one binary with a mutant. Before they count as hanging, the same tests run without it: where they take
// longer than when they were explored, so may the mutant.
func (s *suite) runBatch(ctx context.Context, tests []test, id int) error {
	b := tests[0].binary
	var names []string
	usual := b.starts
	for _, t := range tests {
		names, usual = append(names, t.name), usual+t.takes
	}
	err := b.run(ctx, names, id, s.patience+5*usual)
	if !errors.Is(err, errHangs) {
		return err
	}
	began := time.Now()
	if failure := b.run(ctx, names, 0, 10*time.Minute); failure != nil {
		return errors.Join(err, failure)
	}
	if slower := float64(time.Since(began)) / float64(usual); slower > 2 {
		return b.run(ctx, names, id, time.Duration(slower*float64(s.patience+5*usual)))
	}
	return err
}

// batches are the tests that reach a mutant, in groups that run in one process. A group takes about as long as all before
// it, so that neither the processes cost much nor the tests that run beside the one that fails.
func (s *suite) batches(id int) iter.Seq[[]test] {
	return func(yield func([]test) bool) {
		for _, b := range s.binaries {
			var batch []test
			var takes time.Duration
			spent := b.starts
			for _, t := range s.tests {
				if t.binary != b || !t.reaches[id] {
					continue
				}
				if batch, takes = append(batch, t), takes+t.takes; takes < spent {
					continue
				}
				if !yield(batch) {
					return
				}
				spent += takes
				batch, takes = nil, 0
			}
			if len(batch) > 0 && !yield(batch) {
				return
			}
		}
	}
}

var errHangs = errors.New("takes too long")

// run runs some tests with a mutant, and returns how they failed.
func (b *binary) run(ctx context.Context, tests []string, mutant int, limit time.Duration, environ ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errHangs)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.file, "-test.failfast", "-test.run", "^("+strings.Join(tests, "|")+")$") //nolint:gosec // The binary that was just built.
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Dir(b.file), fmt.Sprintf("%s=%d", activeVariable, mutant))
	cmd.Env = append(cmd.Env, environ...)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\n%s", cmp.Or(context.Cause(ctx), err), out.Bytes())
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
