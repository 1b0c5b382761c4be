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
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func TestRun(t *testing.T) {
	enter(t, weak)
	var out strings.Builder
	if err := run(t.Context(), []string{"-patience", "2s", "."}, &out); err != nil {
		t.Fatal(err)
	}
	// The others are noticed; without its decrement the loop hangs.
	want := `./weak.go:5:5: n < least with <=
./weak.go:5:18: least <= most ignored
./weak.go:5:18: least <= most with <
./weak.go:14:37: a == 0 negated (no test reaches it)
.: 6 of 10 mutants killed (60.0 %)
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestRun_scores(t *testing.T) {
	files := maps.Clone(weak)
	files["weak.go"] = strings.Replace(weak["weak.go"], "\tfor n > most {\n\t\tn--\n\t}\n", "\tn = min(n, most)\n", 1)
	enter(t, files)
	file := filepath.Join(t.TempDir(), "scores")
	compare := func(recorded string) error {
		if err := os.WriteFile(file, []byte(recorded), 0o600); err != nil {
			t.Fatal(err)
		}
		return run(t.Context(), []string{"-scores", file, "."}, &strings.Builder{})
	}
	if err := compare(". 4 8\n"); err != nil {
		t.Errorf("the same score fails: %v", err)
	}
	if err := compare(". 1 2\n"); err != nil {
		t.Errorf("a better score fails: %v", err)
	}
	if err := compare(". 5 8\n"); err == nil || !strings.Contains(err.Error(), "4 of 8") {
		t.Errorf("a worse score ends with %v", err)
	}
	if err := compare("nonsense\n"); err == nil {
		t.Error("a file that is no list of scores is accepted")
	}
	if err := os.WriteFile(file, []byte("./other 1 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"-record", "-scores", file, "."}, &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(". 4 8\n./other 1 3\n", string(got)); diff != "" {
		t.Error(diff)
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
