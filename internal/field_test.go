package internal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fieldSteps are the files that get an optional string of a listener by the steps of "Adding a field" in CONTRIBUTING.md, in this order. What
// is written by hand is in testdata/field, in a patch for each step. If a file is left out, the check, which is a part of make check, fails and
// prints the text.
var fieldSteps = []struct{ step, file, check, prints string }{
	{"Contract", "internal/api/listener.go", "go vet ./internal/devserver/controlplane", "request.Region undefined"},
	{"Contract", "internal/api/fields_test.go", "go test ./internal/api", "region string?"},
	{"Contract", "internal/api/testdata/listeners.json", "go test ./internal/api", `"region"`},
	{"Contract", "internal/providertest/testdata/langsmith.openapi.json", "go test -run TestOperations ./internal/providertest", "additional properties 'region'"},
	{"Dev server", "internal/devserver/controlplane/listener.go", listenerInTable, "region = "},
	{"Dev server", "internal/devserver/store/listener.go", "go vet ./internal/devserver/controlplane", "unknown field Region"},
	{"Dev server", "internal/devserver/store/migrations/9999_listener_region.sql", "go test -run Listener ./internal/devserver/store", "no column named region"},
	{"Dev server", "internal/devserver/store/postgres/9999_listener_region.sql", "go test -run Schema ./internal/devserver/store", "listeners.region"},
	{"Provider", "internal/provider/listener/schema.go", listenerInTable, "region"},
	{"Provider", "internal/provider/listener/model.go", listenerInTable, `lacks the attribute "region"`},
	{"Promises", "internal/provider/testdata/schema.golden", "go test -run Schema ./internal/provider", "resource agentplane_listener.region"},
	{"Tests", "internal/providertest/table/row_test.go", listenerInTable, "the row has no region"},
	{"Documentation", "docs/resources/listener.md", ".ci/docs -check", "`region`"},
	{"Documentation", ".ci/changes/listener-region.md", "go test -run TestChanges ./internal", ""}, // Only a reader misses it.
}

const listenerInTable = "go test -run '^TestAccTable_(whole|change|page)$/^agentplane_listener$' ./internal/providertest/table"

// fieldPage returns the titles of the steps of the page, and the commands that they name, except for the last one.
func fieldPage(t *testing.T) (titles, commands []string) {
	t.Helper()
	text := section(t, "Adding a field")
	for _, step := range regexp.MustCompile(`(?m)^\d+\. ([A-Z][a-z ]+): `).FindAllStringSubmatch(text, -1) {
		titles = append(titles, step[1])
	}
	for _, command := range regexp.MustCompile("`((?:go test|make) [^`]+)`").FindAllStringSubmatch(text, -1) {
		if command[1] != "make check" {
			commands = append(commands, command[1])
		}
	}
	return titles, commands
}

// TestContributing_fieldPatches compares the steps with those of the page, and checks that the patches can be applied.
func TestContributing_fieldPatches(t *testing.T) {
	t.Parallel()
	titles, _ := fieldPage(t)
	var steps, want, got []string
	for _, s := range fieldSteps {
		steps = append(steps, s.step)
		if !strings.HasPrefix(s.file, "docs/") && !strings.HasSuffix(s.file, ".golden") { // Those are generated.
			want = append(want, s.file)
		}
	}
	// Nothing has to be done for lost replies: the client compares all fields of a listener.
	if diff := cmp.Diff(titles, slices.Insert(slices.Compact(steps), 3, "Lost replies")); diff != "" {
		t.Errorf("steps (-page +test):\n%s", diff)
	}
	for number, title := range titles {
		name := fmt.Sprintf("testdata/field/%d-%s.patch", number+1, strings.ReplaceAll(strings.ToLower(title), " ", "-"))
		patch, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for _, file := range regexp.MustCompile(`(?m)^\+\+\+ b/(.+)$`).FindAllStringSubmatch(string(patch), -1) {
			got = append(got, file[1])
		}
		if printed, err := run(t, "..", "git apply --check internal/"+name); err != nil {
			t.Errorf("%s has to be made anew, for what has changed: %s", name, printed)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-test +patches):\n%s", diff)
	}
	t.Logf("a field of a listener is written in %d files by hand", len(got))
}

// TestContributing_field adds the field in a copy of the repository, where all checks must pass, and then leaves out one file at a time.
func TestContributing_field(t *testing.T) {
	if os.Getenv("AGENTPLANE_TEST_CONTRIBUTING") == "" || testing.Short() {
		t.Skip("compiles most of the repository several times: set AGENTPLANE_TEST_CONTRIBUTING=all")
	}
	root := t.TempDir()
	succeed := func(directory, command string) {
		t.Helper()
		if printed, err := run(t, directory, command); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, printed)
		}
	}
	succeed("..", "git ls-files -coz --exclude-standard | tar --create --null --files-from=- | tar --extract --directory="+root)
	succeed(root, "git apply internal/testdata/field/*.patch")
	_, commands := fieldPage(t)
	for _, command := range commands {
		succeed(root, command)
	}
	passed := map[string]bool{}
	for _, s := range fieldSteps {
		if !passed[s.check] {
			succeed(root, s.check)
			passed[s.check] = true
		}
	}
	for _, s := range fieldSteps {
		if s.prints == "" {
			continue
		}
		t.Run(s.file, func(t *testing.T) {
			path := filepath.Join(root, s.file)
			with, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			without, err := os.ReadFile(filepath.Join("..", s.file))
			if errors.Is(err, fs.ErrNotExist) {
				err = os.Remove(path)
			} else if err == nil {
				err = os.WriteFile(path, without, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			if printed, err := run(t, root, s.check); err == nil || !strings.Contains(printed, s.prints) {
				t.Errorf("without it, %s ends with %v and doesn't print %q:\n%s", s.check, err, s.prints, printed)
			}
			if err := os.WriteFile(path, with, 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// run runs a command in a directory. Without paths, what was compiled in the repository is used again in its copy.
func run(t *testing.T, directory, command string) (printed string, err error) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-c", command)
	shell.Dir, shell.Env = directory, append(os.Environ(), "GOFLAGS=-trimpath -buildvcs=false")
	output, err := shell.CombinedOutput()
	return string(output), err
}
