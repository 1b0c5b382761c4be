package internal_test

import (
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

// section returns a section of CONTRIBUTING.md.
func section(t *testing.T, title string) string {
	t.Helper()
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## "+title+"\n")
	if !found {
		t.Fatalf("CONTRIBUTING.md has no section %q", title)
	}
	body, _, _ := strings.Cut(rest, "\n## ")
	return body
}

// TestContributing_tree compares the tree in CONTRIBUTING.md with the packages.
func TestContributing_tree(t *testing.T) {
	t.Parallel()
	_, tree, _ := strings.Cut(section(t, "Where things are"), "```\n")
	tree, _, _ = strings.Cut(tree, "```")
	var named, parents []string
	for line := range strings.Lines(tree) {
		name := strings.Fields(line)[0]
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		parents = append(parents[:min(depth, len(parents))], strings.TrimSuffix(name, "/"))
		if strings.HasSuffix(name, "/") && parents[0] == "internal" && len(parents) > 1 {
			if directory := filepath.Join(parents[1:]...); directory != "cmd" { // It only contains other packages.
				named = append(named, directory)
			}
		}
	}
	slices.Sort(named)
	if diff := cmp.Diff(packages(t), named); diff != "" {
		t.Errorf("packages in CONTRIBUTING.md (-want +got):\n%s", diff)
	}
}

// TestReadme_commands checks that .ci/newcomer runs the two commands in the README, and that their make targets exist.
func TestReadme_commands(t *testing.T) {
	t.Parallel()
	printed, err := exec.CommandContext(t.Context(), "../.ci/newcomer", "-print").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	makefile, err := os.ReadFile("../GNUmakefile")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for line := range strings.Lines(string(printed)) {
		command, _, _ := strings.Cut(line, " #")
		commands = append(commands, strings.TrimSpace(command))
		if target, is := strings.CutPrefix(commands[len(commands)-1], "make "); !is || !strings.Contains(string(makefile), "\n"+target+":") {
			t.Errorf("the makefile has no target for %q", command)
		}
	}
	if diff := cmp.Diff([]string{"make demo", "make test"}, commands); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// packages returns the directories of all packages below internal.
func packages(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "testdata" {
			return filepath.SkipDir
		}
		sources, err := filepath.Glob(filepath.Join(name, "*.go"))
		if entry.IsDir() && name != "." && len(sources) > 0 {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestContributing_apply checks that the files in CONTRIBUTING.md's description of an apply exist.
func TestContributing_apply(t *testing.T) {
	t.Parallel()
	names := regexp.MustCompile("`([a-z_/*]+(?:\\.go|/[a-z]+))`").FindAllStringSubmatch(section(t, "One apply through the code"), -1)
	if len(names) < 30 {
		t.Fatalf("CONTRIBUTING.md names %d files, want at least 30", len(names))
	}
	for _, name := range names {
		found := false
		for _, directory := range []string{"..", ".", "provider", "provider/deployment", "client", "devserver"} {
			matches, err := filepath.Glob(filepath.Join(directory, name[1]))
			found = found || err == nil && len(matches) > 0
		}
		if !found {
			t.Errorf("CONTRIBUTING.md names %s, which doesn't exist", name[1])
		}
	}
}
