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

// TestContributing_walks checks that the files that an apply and a run pass through exist. A file without a directory is in the section's
// own, or in one of those that its step names.
func TestContributing_walks(t *testing.T) {
	t.Parallel()
	file := regexp.MustCompile("`([a-z0-9_/]+(?:\\.go|/[a-z]+))`")
	for title, own := range map[string]string{
		"One apply through the code": "internal/provider/deployment", "One run through the code": "internal/devserver/tracing/run",
	} {
		count := 0
		for step := range strings.SplitSeq(section(t, title), "\n\n") {
			for _, item := range regexp.MustCompile(`\n\d+\. `).Split(step, -1) {
				directories := []string{own, "."}
				names := file.FindAllStringSubmatch(item, -1)
				for _, name := range names {
					directories = append(directories, filepath.Dir(name[1]), name[1])
				}
				for _, name := range names {
					count++
					if !slices.ContainsFunc(directories, func(directory string) bool {
						_, err := os.Stat(filepath.Join("..", directory, name[1]))
						return err == nil
					}) {
						t.Errorf("%s: there is no %s", title, name[1])
					}
				}
			}
		}
		if count < 15 {
			t.Errorf("%s: %d files are named, want at least 15", title, count)
		}
	}
}
