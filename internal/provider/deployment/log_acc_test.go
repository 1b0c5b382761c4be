package deployment_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// loggedModule finds the module that wrote a log line, in the CLI's text format and in JSON.
var loggedModule = regexp.MustCompile(`@module(?:=|":")(sdk[.a-z]*|agentplane)\b`)

// testCLILogs creates deployments with several log settings. It reads what the CLI shows and, because the CLI drops
// lines below its level, also what the provider writes to standard error.
func testCLILogs(t *testing.T, provider string) {
	t.Helper()
	t.Run("TF_LOG=json shows", func(t *testing.T) {
		t.Parallel()
		expectLogged(t, newCLI(t, provider).applyWith("TF_LOG=json"), "agentplane", "sdk.framework", "sdk.proto")
	})
	t.Run("TF_LOG=INFO writes", func(t *testing.T) {
		t.Parallel()
		directory := t.TempDir()
		written := filepath.Join(directory, "stderr")
		script := fmt.Sprintf("#!/bin/sh\nexec '%s/terraform-provider-agentplane' \"$@\" 2>>'%s'\n", provider, written)
		if err := os.WriteFile(filepath.Join(directory, "terraform-provider-agentplane"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		newCLI(t, directory).applyWith("TF_LOG=INFO")
		content, err := os.ReadFile(written)
		if err != nil {
			t.Fatal(err)
		}
		expectLogged(t, string(content), "agentplane")
	})
}

// applyWith creates the deployment with an additional environment variable, and returns the output of the CLI.
func (c *cli) applyWith(variable string) string {
	c.t.Helper()
	c.env = append(c.env, variable)
	c.endAt(1, polling)
	output, ok := c.run(nil, "apply", "-auto-approve")
	if !ok {
		c.t.Fatal(output)
	}
	return output
}

// expectLogged expects log lines of exactly these modules from the provider's process, and no credential.
func expectLogged(t *testing.T, log string, want ...string) {
	t.Helper()
	var modules []string
	for _, match := range loggedModule.FindAllStringSubmatch(log, -1) {
		modules = append(modules, match[1])
	}
	slices.Sort(modules)
	if diff := cmp.Diff(want, slices.Compact(modules)); diff != "" {
		t.Error(diff)
	}
	if got := strings.Contains(log, "revision status changed"); got != slices.Contains(want, "agentplane") {
		t.Errorf("status changes are logged: %t, want %t", got, !got)
	}
	if strings.Contains(log, providertest.APIKey) {
		t.Error("the log contains the API key")
	}
}
