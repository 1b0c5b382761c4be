package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// printed is the output of the command.
func printed(t *testing.T) map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return schemasIn(t, out.Bytes())
}

func schemasIn(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var document struct {
		Schemas map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatalf("%s: %s", err, data)
	}
	schemas, ok := document.Schemas[address]
	if !ok {
		t.Fatalf("the output has no schemas of %s: %s", address, data)
	}
	return schemas
}

// TestAsTheCLIPrintsIt compares the output with that of a real Terraform or OpenTofu. Sections that only a newer CLI prints
// may be missing from the CLI's output.
func TestAsTheCLIPrintsIt(t *testing.T) {
	ours := printed(t)
	for section, theirs := range printedByCLI(t) {
		if diff := cmp.Diff(theirs, ours[section]); diff != "" {
			t.Errorf("%s (-CLI +ours):\n%s", section, diff)
		}
	}
}

// TestAsTheCLIPrintsIt_next compares with a CLI that supports everything, where nothing may be missing.
func TestAsTheCLIPrintsIt_next(t *testing.T) {
	if os.Getenv("AGENTPLANE_TEST_NEXT") == "" {
		t.Skip("needs the CLI that make testacc ONLY=next runs")
	}
	if diff := cmp.Diff(printedByCLI(t), printed(t)); diff != "" {
		t.Errorf("(-CLI +ours):\n%s", diff)
	}
}

// printedByCLI returns the output of the CLI's own command.
func printedByCLI(t *testing.T) map[string]any {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("needs a CLI: set TF_ACC")
	}
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if cli == "" {
		cli = "terraform"
	}
	work := t.TempDir()
	write(t, filepath.Join(work, "main.tf"), `terraform {
  required_providers {
    agentplane = { source = "`+address+`" }
  }
}
`)
	settings := filepath.Join(work, "cli.tfrc")
	write(t, settings, `provider_installation {
  dev_overrides {
    "`+address+`" = "`+providertest.Build(t, "../../..")+`"
  }
}
`)
	ask := exec.CommandContext(t.Context(), cli, "providers", "schema", "-json") //nolint:gosec // The CLI under test.
	ask.Dir = work
	ask.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+settings, "CHECKPOINT_DISABLE=1")
	out, err := ask.Output()
	if err != nil {
		t.Fatalf("%s: %s", err, out)
	}
	return schemasIn(t, out)
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	want := map[string]any{
		"version": 0.0,
		"attributes": map[string]any{
			"id": map[string]any{
				"type": "string", "description": "ID of the deployment, a UUID.", "required_for_import": true,
			},
			"workspace_id": map[string]any{
				"type": "string", "description": "Workspace of the deployment. Default: the provider's.", "optional_for_import": true,
			},
		},
	}
	identities, ok := printed(t)["resource_identity_schemas"].(map[string]any)
	if !ok {
		t.Fatal("the output has no identity schemas")
	}
	if diff := cmp.Diff(want, identities["agentplane_deployment"]); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
}
