package internal_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// changeHeadings are the headings of a version in the changelog.
var changeHeadings = []string{"BREAKING CHANGES:", "NOTES:", "FEATURES:", "ENHANCEMENTS:", "BUG FIXES:"}

// changed matches a line of the changelog: what has changed, and how.
var changed = regexp.MustCompile(`^\* (?:\*\*New ([A-Z][A-Za-z ]+):\*\* .+|([a-z][a-z0-9A-Z_/, -]+): .+[^.])$`)

// changedName matches a name that has a page in the documentation.
var changedName = regexp.MustCompile(`\b(action|data-source|ephemeral-resource|function|list-resource|resource)/(?:agentplane_)?([a-z_]+)`)

// brokenChange lists the problems of a changelog fragment. documented reports whether the documentation has a page of that name.
func brokenChange(text string, documented func(kind, name string) bool) []string {
	var broken []string
	first, rest, _ := strings.Cut(text, "\n")
	if !slices.Contains(changeHeadings, first) {
		broken = append(broken, fmt.Sprintf("the first line is %q: want one of %s", first, strings.Join(changeHeadings, " ")))
	}
	body, separated := strings.CutPrefix(rest, "\n")
	body, ended := strings.CutSuffix(body, "\n")
	if !separated || !ended {
		broken = append(broken, "want an empty line below the heading, and no other")
	}
	for line := range strings.SplitSeq(body, "\n") {
		if !changed.MatchString(line) {
			broken = append(broken, fmt.Sprintf(`%q: want "* what has changed: how", without a full stop`, line))
		}
		what, _, _ := strings.Cut(line, ": ")
		for _, name := range changedName.FindAllStringSubmatch(what, -1) {
			if !documented(name[1], name[2]) {
				broken = append(broken, fmt.Sprintf("%s has no page in the documentation", name[0]))
			}
		}
	}
	return broken
}

func TestChanges(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../.ci/changes/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(file) != ".md" {
			t.Errorf("file name %s, want one that ends with .md", file)
		}
		for _, broken := range brokenChange(string(text), func(kind, name string) bool {
			_, err := os.Stat(filepath.Join("..", "docs", kind+"s", name+".md"))
			return err == nil
		}) {
			t.Errorf("%s: %s", file, broken)
		}
	}
}

// TestChangelog_complete checks the lines of the changelog, and that it announces everything that has a page in the documentation.
func TestChangelog_complete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "*") && !changed.MatchString(line) {
			t.Errorf(`%q: want "* what has changed: how", without a full stop`, line)
		}
	}
	pages, err := filepath.Glob("../docs/*s/*.md")
	if err != nil || len(pages) < 50 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		directory, name := filepath.Base(filepath.Dir(page)), strings.TrimSuffix(filepath.Base(page), ".md")
		if directory == "guides" {
			continue
		}
		if directory != "functions" {
			name = "agentplane_" + name
		}
		kind := map[string]string{
			"actions": "Action", "data-sources": "Data Source", "ephemeral-resources": "Ephemeral Resource",
			"functions": "Function", "list-resources": "List Resource", "resources": "Resource",
		}[directory]
		announced := "* **New " + kind + ":** `" + name + "`"
		fragments, err := filepath.Glob("../.ci/changes/*.md")
		if err != nil {
			t.Fatal(err)
		}
		found := strings.Contains(string(text), announced)
		for _, fragment := range fragments {
			change, err := os.ReadFile(fragment)
			found = found || err == nil && strings.Contains(string(change), announced)
		}
		if !found {
			t.Errorf("neither the changelog nor .ci/changes announces %q", announced)
		}
	}
}

func TestBrokenChange(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"FEATURES:\n\n* resource/agentplane_run: it is there\n":            "",
		"BUG FIXES:\n\n* dev server: it starts\n* function/run: it ends\n": "",
		"FEATURES:\n\n* **New Resource:** `agentplane_run`\n":              "",
		"Features:\n\n* provider: it starts\n":                             "the first line",
		"FEATURES:\n* provider: it starts\n":                               "want an empty line",
		"FEATURES:\n\n* provider: it starts":                               "want an empty line",
		"FEATURES:\n\nprovider: it starts\n":                               `want "* what`,
		"FEATURES:\n\n* provider: it starts.\n":                            `want "* what`,
		"FEATURES:\n\n* provider: it starts\n\n* provider: ends\n":         `want "* what`,
		"FEATURES:\n\n* resource/agentplane_rum: it is there\n":            "has no page",
	} {
		broken := strings.Join(brokenChange(text, func(_, name string) bool { return name == "run" }), "\n")
		if (broken == "") != (want == "") || !strings.Contains(broken, want) {
			t.Errorf("brokenChange(%q) = %q, want %q", text, broken, want)
		}
	}
}

// TestChangelog assembles the changelogs of two releases. The first has only features, those with a name first.
func TestChangelog(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".ci/changelog", ".ci/gitlab/setup.yml", ".github/actions/setup/setup.sh"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, string(text))
	}
	assemble := func(version string) (string, error) {
		command := exec.CommandContext(t.Context(), "bash", filepath.Join(directory, ".ci", "changelog"), version, "2026-12-01")
		output, err := command.CombinedOutput()
		return string(output), err
	}
	write("CHANGELOG.md", "## 0.1.0 (Unreleased)\n\nFEATURES:\n\n* provider: one\n")
	write(".ci/changes/b.md", "FEATURES:\n\n* provider: two\n* **New Resource:** `agentplane_run`\n")
	write(".ci/changes/a.md", "BREAKING CHANGES:\n\n* provider: zero\n")
	write(".ci/changes/d.md", "ENHANCEMENTS:\n\n* provider: faster\n")
	write(".ci/changes/e.md", "BUG FIXES:\n\n* provider: fixed\n")
	if output, err := assemble("0.1.0"); err != nil || output != "Left out of the first release:\n* provider: faster\n" {
		t.Fatalf("%v: %s", err, output)
	}
	write(".ci/changes/c.md", "BUG FIXES:\n\n* provider: three\n* provider: four\n")
	write(".ci/changes/b.md", "FEATURES:\n\n* provider: five\n")
	if output, err := assemble("0.2.0"); err != nil || output != "" {
		t.Fatalf("%v: %s", err, output)
	}
	want := `## 0.2.0 (December 1, 2026)

FEATURES:

* provider: five

BUG FIXES:

* provider: three
* provider: four

## 0.1.0 (December 1, 2026)

FEATURES:

* **New Resource:** ` + "`agentplane_run`" + `
* provider: one
* provider: two
`
	got, err := os.ReadFile(filepath.Join(directory, "CHANGELOG.md"))
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if left, err := filepath.Glob(filepath.Join(directory, ".ci", "changes", "*")); err != nil || len(left) > 0 {
		t.Errorf("after assembling, .ci/changes has %q, %v; want no fragments", left, err)
	}
	// What users install by the tag is that version.
	for name, want := range map[string]string{
		".github/actions/setup/setup.sh": "\nversion=0.2.0\n",
		".ci/gitlab/setup.yml":           "default: https://github.com/agentplane/terraform-provider-agentplane/releases/download/v0.2.0\n",
	} {
		if text, err := os.ReadFile(filepath.Join(directory, name)); err != nil || strings.Count(string(text), want) != 1 {
			t.Errorf("%s: %v, want %q once in\n%s", name, err, want, text)
		}
	}
	if output, err := assemble("0.2.0"); err == nil || !strings.Contains(output, "has version 0.2.0 already") {
		t.Errorf("assembling the same version again: error = %v, want one that says so: %s", err, output)
	}
}
