package provider_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// storedState is a resource as a CLI keeps it in its state.
type storedState struct {
	SchemaVersion int64                      `json:"schema_version"`
	Attributes    map[string]json.RawMessage `json:"attributes"`
}

// TestStoredStates reads what every release has written, with no attribute lost. The file of a release has a state of each
// resource that it offers.
func TestStoredStates(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/states/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no states: %v", err)
	}
	p := start(t, settings{})
	missing := map[string]bool{}
	for name := range p.schema.ResourceSchemas {
		missing[name] = true
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var states map[string]storedState
		if err := json.Unmarshal(content, &states); err != nil {
			t.Fatal(err)
		}
		for name, state := range states {
			delete(missing, name)
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				checkStoredState(t, p, name, state)
			})
		}
	}
	if len(missing) > 0 {
		t.Errorf("no release has a state of %v", missing)
	}
}

func checkStoredState(t *testing.T, p *plugin, name string, state storedState) {
	t.Helper()
	raw, err := json.Marshal(state.Attributes)
	if err != nil {
		t.Fatal(err)
	}
	upgraded, err := p.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: name, Version: state.SchemaVersion, RawState: &tfprotov6.RawState{JSON: raw},
	})
	if err != nil || len(upgraded.Diagnostics) > 0 {
		t.Fatalf("%v %s", err, providertest.Told(upgraded.Diagnostics))
	}
	schema := p.schema.ResourceSchemas[name]
	if state.SchemaVersion != schema.Version {
		return // The attributes are converted by the upgrade, which has tests of its own.
	}
	want, err := (&tfprotov6.RawState{JSON: raw}).Unmarshal(schema.ValueType())
	if err != nil {
		t.Fatalf("an attribute is gone, or has another type: give the schema a version, and upgrade the state: %v", err)
	}
	got, err := upgraded.UpgradedState.Unmarshal(schema.ValueType())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(attributesOf(t, want), attributesOf(t, got)); diff != "" {
		t.Errorf("state (-stored +upgraded):\n%s", diff)
	}
}

func attributesOf(t *testing.T, object tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	var attributes map[string]tftypes.Value
	if err := object.As(&attributes); err != nil {
		t.Fatal(err)
	}
	return attributes
}
