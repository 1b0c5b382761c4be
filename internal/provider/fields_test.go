package provider_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// These lines in the guide enclose the table of changes.
const (
	changesBegin = "<!-- changes -->\n"
	changesEnd   = "<!-- end of changes -->\n"
)

// TestDeploymentFields compares the guide's table of what a change does with the descriptions in the schema. To update it,
// run go test ./internal/provider -run TestDeploymentFields -update.
func TestDeploymentFields(t *testing.T) {
	t.Parallel()
	names, effects := map[string][]string{}, map[string]string{}
	for _, a := range attributes("", schemas(t)["resource agentplane_deployment"].Block.Attributes) {
		name := strings.TrimPrefix(a.path, ".")
		if strings.ContainsAny(name, "[{") || !a.Optional && !a.Required {
			continue // Nested attributes are Kubernetes' own, or described by their parent; computed ones can't be changed.
		}
		parent := name[:max(0, strings.LastIndexByte(name, '.'))]
		effects[name] = effect(t, name, a, effects[parent])
		if effects[name] != "" && effects[name] != effects[parent] {
			names[effects[name]] = append(names[effects[name]], "`"+name+"`")
		}
	}
	var table strings.Builder
	table.WriteString("| A change of | Effect |\n| --- | --- |\n")
	for _, effect := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&table, "| %s | %s |\n", strings.Join(names[effect], ", "), effect)
	}
	guide := filepath.Join("..", "..", "templates", "guides", "revisions.md")
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), changesBegin)
	written, after, ended := strings.Cut(rest, changesEnd)
	if !found || !ended {
		t.Fatalf("%s has no lines %q and %q", guide, changesBegin, changesEnd)
	}
	want := "\n" + table.String() + "\n"
	if *update {
		if err := os.WriteFile(guide, []byte(before+changesBegin+want+changesEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(written, "\n")); diff != "" {
		t.Errorf("the table differs from the schema; run\n\tgo test ./internal/provider -run TestDeploymentFields -update\n%s", diff)
	}
}

// markers are the ends of descriptions that say what a change does, and the words of the table for each.
var markers = map[string]string{
	"**Forces replacement**.":                              "replaces the deployment",
	"**Forces replacement**, except after an import from":  "replaces the deployment",
	"**New revision**.":                                    "new revision",
	"**New revision**, except when":                        "new revision",
	"**New revision** if the environment changes with it.": "new revision, if the environment changes with it",
	"**No revision**.":                                     "no revision",
	"**No revision**, but one with LangSmith.":             "no revision, but one with `langsmith`",
	"**Not sent**.":                                        "nothing is sent",
}

var marker = regexp.MustCompile(`\*\*[^*]+\*\*[^*]*$`)

// effect returns the effect of a change according to the description, which says it once, at its end. Without it, an attribute has the
// effect of its parent.
func effect(t *testing.T, name string, a attribute, ofParent string) string {
	t.Helper()
	found := marker.FindString(a.Description)
	if strings.Count(a.Description, "**") > 2 {
		t.Errorf("%s: the description has several markers: %q", name, a.Description)
	}
	for words, means := range markers {
		if strings.HasPrefix(found, words) {
			return means
		}
	}
	if found == "" && (ofParent != "" || a.NestedType != nil) {
		return ofParent // If that is empty, its attributes say it.
	}
	t.Errorf("%s: the description doesn't end with what a change does: %q", name, a.Description)
	return ""
}

// TestDeploymentFields_markers expects the resource's description to explain each marker.
func TestDeploymentFields_markers(t *testing.T) {
	t.Parallel()
	description := strings.ToLower(schemas(t)["resource agentplane_deployment"].Block.Description)
	for words := range markers {
		if bold := strings.ToLower(strings.Trim(words[:strings.LastIndex(words, "**")], "*.")); !strings.Contains(description, "**"+bold+"**") {
			t.Errorf("the description of the resource doesn't explain %q", bold)
		}
	}
}
