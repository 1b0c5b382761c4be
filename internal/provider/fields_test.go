package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// These lines in the guide enclose the table of fields.
const (
	fieldsBegin = "<!-- fields -->\n"
	fieldsEnd   = "<!-- end of fields -->\n"
)

// elsewhere has the attributes that aren't sent as a field of the same name. Empty: nothing is sent.
var elsewhere = map[string]string{
	"delete_tracing_project": "parameter `delete_tracing_project` of the deletion",
	"environment":            "`secrets`",
	"environment_names":      "names in `secrets`",
	"environment_ownership":  "",
	"dashboard_url":          "",
	"deletion_protection":    "",
	"latest_revision_status": "`status` of the revision",
	"on_failed_create":       "",
	"revision_reasons":       "",
	"secrets_wo":             "`secrets`",
	"secrets_wo_version":     "",
	"timeouts":               "",
	"tracing_project_id":     "`tracer_session_id`",
	"triggers":               "",
	"wait_for_deployed":      "",
	"workspace_id":           "header `X-Tenant-Id`",
}

// TestDeploymentFields compares the guide's table of fields with the schema and the dialect's words. To update it,
// run go test ./internal/provider -run TestDeploymentFields -update.
func TestDeploymentFields(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| attribute | on the wire | with `dialect = \"langsmith\"` | set by | a change |\n| --- | --- | --- | --- | --- |\n")
	for _, a := range attributes("", schemas(t)["resource agentplane_deployment"].Block.Attributes) {
		name := strings.TrimPrefix(a.path, ".")
		if strings.ContainsAny(name, "[{") {
			continue // Nested attributes are Kubernetes' own, or described by their parent.
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s |\n", name, wireName(t, api.Neutral, name), wireName(t, api.LangSmith, name),
			setBy(t, name, a), effect(t, name, a))
	}
	guide := filepath.Join("..", "..", "templates", "guides", "deployment-fields.md")
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), fieldsBegin)
	written, after, ended := strings.Cut(rest, fieldsEnd)
	if !found || !ended {
		t.Fatalf("%s has no lines %q and %q", guide, fieldsBegin, fieldsEnd)
	}
	want := "\n" + table.String() + "\n"
	if *update {
		if err := os.WriteFile(guide, []byte(before+fieldsBegin+want+fieldsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(written, "\n")); diff != "" {
		t.Errorf("the table differs from the schema; run\n\tgo test ./internal/provider -run TestDeploymentFields -update\n%s", diff)
	}
}

// wireName returns a dialect's name of an attribute, which is the last step of its path.
func wireName(t *testing.T, dialect *api.Dialect, name string) string {
	t.Helper()
	top, _, _ := strings.Cut(name, ".")
	if words, other := elsewhere[top]; other {
		if words == "" {
			return "–"
		}
		return words
	}
	steps := strings.Split(name, ".")
	body := "1"
	for i := range steps {
		body = fmt.Sprintf("{%q:%s}", steps[len(steps)-1-i], body)
	}
	var last string
	for at := dialect.Body([]byte(body)); ; {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(at, &object); err != nil {
			break // The end of the path.
		}
		for key, value := range object {
			last, at = key, value
		}
	}
	return "`" + last + "`"
}

func setBy(t *testing.T, name string, a attribute) string {
	t.Helper()
	switch {
	case a.Required:
		return "you, required"
	case a.Optional && a.Computed:
		return "you, or by default"
	case a.Optional:
		return "you"
	case wireName(t, api.Neutral, name) == "–":
		return "the provider"
	default:
		return "the service"
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

// effect returns the effect of a change according to the description, which says it once, at its end.
func effect(t *testing.T, name string, a attribute) string {
	t.Helper()
	if !a.Optional && !a.Required {
		return "–"
	}
	found := marker.FindString(a.Description)
	if strings.Count(a.Description, "**") > 2 {
		t.Errorf("%s: the description has several markers: %q", name, a.Description)
	}
	for words, means := range markers {
		if strings.HasPrefix(found, words) {
			return means
		}
	}
	if found == "" && a.NestedType != nil {
		return "see below"
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
