package framework_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// private is private state in memory.
type private map[string][]byte

func (p private) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return p[key], nil }

func (p private) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	p[key] = value
	return nil
}

// TestLeave expects that nothing private stays when an object leaves the state: Terraform would pass it to the plan of the next one.
func TestLeave(t *testing.T) {
	t.Parallel()
	stored := private{}
	for key := range framework.ChoiceKey + 1 { // The last one.
		stored[key.String()] = []byte("true")
	}
	if diags := framework.Leave(t.Context(), &tfsdk.State{Schema: schema.Schema{}}, stored); diags.HasError() {
		t.Fatal(diags)
	}
	for key, value := range stored {
		if value != nil {
			t.Errorf("%s stays: %s", key, value)
		}
	}
}

// TestFingerprint checks that a fingerprint matches only the value accepted under a name, also after it was stored.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	kept := private{}
	f := framework.Fingerprint{}.With("token", "canary-1").With("password", "canary-2")
	if diags := f.Save(t.Context(), kept, framework.TokensKey); diags.HasError() {
		t.Fatal(diags)
	}
	loaded, diags := framework.LoadFingerprint(t.Context(), kept, framework.TokensKey)
	if diags.HasError() {
		t.Fatal(diags)
	}
	if strings.Contains(string(kept["tokens"]), "canary") {
		t.Errorf("the stored fingerprint contains a value: %s", kept["tokens"])
	}
	tests := map[string]struct {
		name, value    string
		holds, matches bool
	}{
		"accepted":           {"token", "canary-1", true, true},
		"another":            {"token", "canary", true, false},
		"of another name":    {"token", "canary-2", true, false},
		"empty":              {"token", "", true, false},
		"never accepted":     {"key", "canary-1", false, false},
		"nothing of nothing": {"key", "", false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, f := range []framework.Fingerprint{f, loaded} {
				if f.Holds(test.name) != test.holds || f.Matches(test.name, test.value) != test.matches {
					t.Errorf("Holds = %t, Matches = %t; want %t, %t", f.Holds(test.name), f.Matches(test.name, test.value), test.holds, test.matches)
				}
			}
		})
	}
}

// TestFingerprint_salt checks that equal values have different MACs, unless they belong to the same resource and name.
func TestFingerprint_salt(t *testing.T) {
	t.Parallel()
	one, other := framework.Fingerprint{}.With("token", "value"), framework.Fingerprint{}.With("token", "value")
	if one.MACs["token"] == other.MACs["token"] {
		t.Error("equal values of two resources have the same MAC")
	}
	both := one.With("password", "value")
	if both.MACs["token"] == both.MACs["password"] {
		t.Error("equal values of two names have the same MAC")
	}
	if split := one.With("AB", "C").With("A", "BC"); split.MACs["AB"] == split.MACs["A"] {
		t.Error("a MAC doesn't separate name and value")
	}
	if again := one.With("token", "value"); again.MACs["token"] != one.MACs["token"] {
		t.Error("With changed the salt: the same value has another MAC")
	}
	if changed := one.With("token", "new"); one.Matches("token", "new") || !changed.Matches("token", "new") {
		t.Error("With changed its receiver, or returned it unchanged")
	}
}

// TestLoadFingerprint loads missing private state as an empty fingerprint, and refuses invalid private state.
func TestLoadFingerprint(t *testing.T) {
	t.Parallel()
	f, diags := framework.LoadFingerprint(t.Context(), private{}, framework.TokensKey)
	if diags.HasError() || f.Holds("token") || f.Matches("token", "") {
		t.Errorf("fingerprint = %+v, %v; want an empty one", f, diags)
	}
	_, diags = framework.LoadFingerprint(t.Context(), private{"tokens": []byte("no JSON")}, framework.TokensKey)
	if got := read(diags); len(got) != 1 || !strings.Contains(got[0].Detail, "terraform state rm") {
		t.Errorf("diagnostics = %+v, want an error that suggests terraform state rm", got)
	}
}
