package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// weak is a package whose test notices some changes.
var weak = map[string]string{
	"go.mod": "module example.com/weak\n\ngo 1.26\n",
	"weak.go": `package weak

// Clamp bounds n.
func Clamp(n, least, most int) int {
	if n < least && least <= most {
		return least
	}
	for n > most {
		n--
	}
	return n
}

func forgotten(a int) bool { return a == 0 }
`,
	"weak_test.go": `package weak

import "testing"

func TestClamp(t *testing.T) {
	for n, want := range map[int]int{0: 1, 2: 2, 5: 3} {
		if got := Clamp(n, 1, 3); got != want {
			t.Errorf("%d becomes %d", n, got)
		}
	}
}
`,
}

// enter makes a module of files, and the directory of the test.
func enter(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func TestRun(t *testing.T) {
	enter(t, weak)
	var out strings.Builder
	if err := run(t.Context(), []string{"-patience", "500ms", "."}, &out); err != nil {
		t.Fatal(err)
	}
	// The others are noticed; without its decrement the loop hangs.
	want := `./weak.go:5:5: n < least with <= (no test has such a case)
./weak.go:5:18: least <= most ignored (no test has such a case)
./weak.go:5:18: least <= most with < (no test has such a case)
./weak.go:14:37: a == 0 negated (no test has such a case)
.: 6 of 10 mutants killed (60.0 %), 2 of them by a time-out
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// quick is the package without a loop, of which 4 of 8 mutants are killed.
func quick() map[string]string {
	files := maps.Clone(weak)
	files["weak.go"] = strings.Replace(weak["weak.go"], "\tfor n > most {\n\t\tn--\n\t}\n", "\tn = min(n, most)\n", 1)
	return files
}

func TestRun_scores(t *testing.T) {
	enter(t, quick())
	file := filepath.Join(t.TempDir(), "scores")
	compare := func(recorded string, args ...string) error {
		if err := os.WriteFile(file, []byte(recorded), 0o600); err != nil {
			t.Fatal(err)
		}
		return run(t.Context(), append([]string{"-scores", file}, args...), &strings.Builder{})
	}
	if err := compare(". 4 8\n"); err != nil {
		t.Errorf("the same score fails: %v", err)
	}
	if err := compare(". 1 2\n", "."); err != nil {
		t.Errorf("a better score fails: %v", err)
	}
	if err := compare(". 5 8\n", "."); err == nil || !strings.Contains(err.Error(), "4 of 8") {
		t.Errorf("a worse score ends with %v", err)
	}
	if err := compare(". 8 8 -sample=2\n", "-sample=1", "."); err != nil {
		t.Errorf("a score is compared with that of a sample: %v", err)
	}
	if err := compare("nonsense\n", "."); err == nil {
		t.Error("a file that is not a list of scores is accepted")
	}
}

// The tests of another package count, where it is named, and the recorded score says so.
func TestRun_tests(t *testing.T) {
	files := quick()
	files["strong/strong_test.go"] = `package strong

import (
	"testing"

	"example.com/weak"
)

func TestClamp(t *testing.T) {
	if got := weak.Clamp(0, 2, 1); got != 0 {
		t.Error(got)
	}
	if got := weak.Clamp(0, 2, 2); got != 2 {
		t.Error(got)
	}
}
`
	enter(t, files)
	file := filepath.Join(t.TempDir(), "scores")
	if err := os.WriteFile(file, []byte(". 4 8\n./other 1 3 -sample=20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"-record", "-scores", file, "-tests", "./strong", "."}, &out); err != nil {
		t.Fatal(err)
	}
	want := `./weak.go:5:5: n < least with <= (no test has such a case)
./weak.go:12:37: a == 0 negated (no test has such a case)
.: 6 of 8 mutants killed (75.0 %) -tests=./strong, 0 of them by a time-out
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(". 6 8 -tests=./strong\n./other 1 3 -sample=20\n", string(got)); diff != "" {
		t.Error(diff)
	}
}

// A package without tests is measured by those of another one.
func TestRun_testless(t *testing.T) {
	files := quick()
	delete(files, "weak_test.go")
	files["strong/strong_test.go"] = "package strong\n\nimport (\n\t\"testing\"\n\n\t\"example.com/weak\"\n)\n\n" +
		"func TestClamp(t *testing.T) {\n\tif weak.Clamp(0, 2, 1) != 0 {\n\t\tt.Fail()\n\t}\n}\n"
	enter(t, files)
	var out strings.Builder
	if err := run(t.Context(), []string{"-tests", "./strong", "."}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "of 8 mutants killed") {
		t.Errorf("output = %s, want a score", out.String())
	}
}

func TestRun_failures(t *testing.T) {
	files := maps.Clone(weak)
	files["weak_test.go"] = "package weak\n\nimport \"testing\"\n\nfunc TestClamp(t *testing.T) { t.Fatal(\"broken\") }\n"
	enter(t, files)
	err := run(t.Context(), []string{"."}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "TestClamp fails without a mutant") {
		t.Errorf("got %v", err)
	}
	if err := run(t.Context(), []string{"./nowhere"}, &strings.Builder{}); err == nil {
		t.Error("a package that doesn't exist has a score")
	}
}
