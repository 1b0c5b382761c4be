package providertest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// recordedWorkspaces are those of the recordings, by dialect.
var recordedWorkspaces = map[string]string{
	"neutral": "11111111-0000-4000-8000-000000000000", "langsmith": "22222222-0000-4000-8000-000000000000",
}

// TestAccRecorded_plansNothing plans the states that earlier commits have stored, against the data that belongs to them. Where the service
// masks secrets, only the private data of the states shows that they are the same.
func TestAccRecorded_plansNothing(t *testing.T) {
	t.Parallel()
	devservertest.EachRecording(t, func(t *testing.T, directory string) {
		t.Helper()
		for _, dialect := range []*api.Dialect{api.Neutral, api.LangSmith} {
			for name, masked := range map[string]bool{"readable": false, "masked": true} {
				t.Run(dialect.Name+"/"+name, func(t *testing.T) {
					t.Parallel()
					plansNothing(t, directory, dialect, masked)
				})
			}
		}
	})
}

// plansNothing plans the state of a dialect.
func plansNothing(t *testing.T, directory string, dialect *api.Dialect, masked bool) {
	t.Helper()
	data := t.TempDir()
	for name, content := range map[string][]byte{
		"data": devservertest.Unpacked(t, filepath.Join(directory, "sqlite.db.gz")), "key": readRecorded(t, directory, "sqlite.key"),
	} {
		if err := os.WriteFile(filepath.Join(data, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	recording := devservertest.ReadRecording(t, filepath.Join(directory, "sqlite.json.gz"))
	plane := providertest.NewFrom(t, dialect, recording.Start(t, dialect.Name, devserver.Config{
		Data: filepath.Join(data, "data"), SealKey: filepath.Join(data, "key"), MaskSecrets: masked,
	}))
	plane.Setenv("AGENTPLANE_API_KEY", recording.Keys[0].Value)
	plane.Setenv("AGENTPLANE_WORKSPACE_ID", recordedWorkspaces[dialect.Name])
	c := startCLI(t, plane)
	c.attach()
	c.installFrom("direct {}") // Without the overrides, of which each plan warns.
	for name, file := range map[string]string{
		"common.tf": "common.tf", "dialect.tf": dialect.Name + ".tf", "terraform.tfvars.json": dialect.Name + ".tfvars.json",
		"terraform.tfstate": dialect.Name + ".state.json",
	} {
		// The state has URLs of the service.
		c.write(name, strings.ReplaceAll(string(readRecorded(t, directory, file)), recording.URL, plane.URL))
	}
	output, err := c.command("plan", "-detailed-exitcode", "-json").CombinedOutput()
	if err != nil {
		t.Errorf("plan: %v, want no changes", err) // Exit code 2: there are some.
	}
	told := tell(t, output)
	told = slices.DeleteFunc(told, func(message string) bool { return movedByRefresh.MatchString(message) })
	for _, message := range told {
		t.Error(message)
	}
	output, _ = c.command("plan", "-refresh=false", "-json").CombinedOutput()
	for _, message := range tell(t, output) {
		if !movedByApply.MatchString(message) {
			t.Errorf("without a refresh: %s", message)
		}
	}
}

// A refresh moves what the service has resolved of a connection to an attribute of its own. Without one, an update in place does.
var (
	movedByRefresh = regexp.MustCompile(`^resource_drift: agentplane_agent_connection\.\w+: Drift detected \(update\)$`)
	movedByApply   = regexp.MustCompile(`^planned_change: agentplane_agent_connection\.\w+: Plan to update$`)
)

// tell returns the changes and the diagnostics of a plan.
func tell(t *testing.T, output []byte) []string {
	t.Helper()
	var told []string
	for line := range strings.Lines(string(output)) {
		var logged struct {
			Level      string `json:"@level"`
			Message    string `json:"@message"`
			Type       string `json:"type"`
			Diagnostic struct {
				Summary, Detail string
			} `json:"diagnostic"`
		}
		if err := json.Unmarshal([]byte(line), &logged); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch {
		case logged.Type == "resource_drift", logged.Type == "planned_change":
			told = append(told, logged.Type+": "+logged.Message)
		case logged.Level != "info" && logged.Diagnostic.Summary != "Attribute Deprecated": // Some configured attributes are.
			told = append(told, logged.Message+"\n"+logged.Diagnostic.Detail)
		}
	}
	return told
}

func readRecorded(t *testing.T, directory, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(directory, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
