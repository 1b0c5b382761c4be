package deployment

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
)

// variables returns a map from alternating names and values.
func variables(pairs ...string) map[string]types.String {
	all := map[string]types.String{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = text(pairs[i+1])
	}
	return all
}

// accepted returns the fingerprints after a write of names and values.
func accepted(pairs ...string) fingerprints {
	return fingerprints{}.sent(secretsOf(pairs...), variables(pairs...), secretsOf(pairs...))
}

// differ reports whether planned variables differ from an environment. The values of pinned ones have a version, which is the same.
func differ(prints fingerprints, planned map[string]types.String, ownership string, pinned ...string) bool {
	environment, writeOnly := map[string]attr.Value{}, map[string]attr.Value{}
	for name, value := range planned {
		to := environment
		if slices.Contains(pinned, name) {
			to = writeOnly
		}
		to[name] = value
	}
	m := imageModel(nil)
	m.Environment, m.SecretsWO = types.MapValueMust(types.StringType, environment), types.MapValueMust(types.StringType, writeOnly)
	m.EnvironmentOwnership, m.SecretsWOVersion = text(ownership), number64(1)
	return environmentChanges(m, m, prints)
}

func TestFingerprintsDiffer(t *testing.T) {
	t.Parallel()
	unknown := map[string]types.String{"A": types.StringUnknown()}
	for name, test := range map[string]struct {
		prints    fingerprints
		planned   map[string]types.String
		pinned    []string
		ownership string
		want      bool
	}{
		"nothing was ever read":             {fingerprints{}, variables(), nil, ownershipAll, true},
		"empty as it was":                   {accepted(), variables(), nil, ownershipAll, false},
		"the same":                          {accepted("A", "1", "B", "2"), variables("B", "2", "A", "1"), nil, ownershipAll, false},
		"the empty string is a value":       {accepted("A", ""), variables("A", ""), nil, ownershipAll, false},
		"emptied value":                     {accepted("A", "1"), variables("A", ""), nil, ownershipAll, true},
		"another value":                     {accepted("A", "1"), variables("A", "2"), nil, ownershipAll, true},
		"values swapped":                    {accepted("A", "1", "B", "2"), variables("A", "2", "B", "1"), nil, ownershipAll, true},
		"unknown value":                     {accepted("A", "1"), unknown, nil, ownershipAll, true},
		"pinned, another value":             {accepted("A", "1"), variables("A", "2"), []string{"A"}, ownershipAll, false},
		"pinned, unknown value":             {accepted("A", "1"), unknown, []string{"A"}, ownershipAll, false},
		"pinned, new name":                  {accepted("A", "1"), variables("A", "1", "B", "2"), []string{"A", "B"}, ownershipAll, true},
		"pinned, another one changed":       {accepted("A", "1", "B", "2"), variables("A", "9", "B", "3"), []string{"A"}, ownershipAll, true},
		"added":                             {accepted("A", "1"), variables("A", "1", "B", "2"), nil, ownershipAll, true},
		"removed":                           {accepted("A", "1", "B", "2"), variables("A", "1"), nil, ownershipAll, true},
		"removed, only declared owned":      {accepted("A", "1", "B", "2"), variables("A", "1"), nil, ownershipDeclared, true},
		"emptied":                           {accepted("A", "1"), variables(), nil, ownershipAll, true},
		"added remotely":                    {accepted("A", "1").holding(secretsOf("A", "1", "X", "9")), variables("A", "1"), nil, ownershipAll, true},
		"added remotely, only declared":     {accepted("A", "1").holding(secretsOf("A", "1", "X", "9")), variables("A", "1"), nil, ownershipDeclared, false},
		"removed remotely":                  {accepted("A", "1", "B", "2").holding(secretsOf("A", "1")), variables("A", "1", "B", "2"), nil, ownershipAll, true},
		"changed remotely":                  {accepted("A", "1").holding(secretsOf("A", "2")), variables("A", "1"), nil, ownershipAll, true},
		"changed remotely, pinned":          {accepted("A", "1").holding(secretsOf("A", "2")), variables("A", "1"), []string{"A"}, ownershipAll, false},
		"masked, as it was":                 {accepted("A", "1").holding(secretsOf("A", "********")), variables("A", "1"), nil, ownershipAll, false},
		"masked, another value":             {accepted("A", "1").holding(secretsOf("A", "********")), variables("A", "2"), nil, ownershipAll, true},
		"value omitted, as it was":          {accepted("A", "1").holding([]api.Secret{{Name: "A", ValueOmitted: true}}), variables("A", "1"), nil, ownershipAll, false},
		"value omitted, was empty":          {accepted("A", "").holding([]api.Secret{{Name: "A", ValueOmitted: true}}), variables("A", ""), nil, ownershipAll, false},
		"never readable":                    {fingerprints{}.holding(secretsOf("A", "********")), variables("A", "1"), nil, ownershipAll, true},
		"never readable, pinned":            {fingerprints{}.holding(secretsOf("A", "********")), variables("A", "1"), []string{"A"}, ownershipAll, false},
		"never readable, the mask itself":   {fingerprints{}.holding(secretsOf("A", "********")), variables("A", "********"), nil, ownershipAll, true},
		"imported in clear":                 {fingerprints{}.holding(secretsOf("A", "1")), variables("A", "1"), nil, ownershipAll, false},
		"imported, nothing is there":        {fingerprints{}.holding(nil), variables(), nil, ownershipAll, false},
		"an empty list after all was there": {accepted("A", "1").holding(nil), variables("A", "1"), nil, ownershipAll, true},
		"lists are never reported": {
			fingerprints{}.sent(secretsOf("A", "1"), variables("A", "1"), nil).holding(nil), variables("A", "1"), nil, ownershipAll, false,
		},
		"lists are never reported, another value": {
			fingerprints{}.sent(secretsOf("A", "1"), variables("A", "1"), nil).holding(nil), variables("A", "2"), nil, ownershipAll, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := differ(test.prints, test.planned, test.ownership, test.pinned...); got != test.want {
				t.Errorf("differ = %t, want %t", got, test.want)
			}
		})
	}
}

func TestFingerprintsSent(t *testing.T) {
	t.Parallel()
	f := fingerprints{}.sent(secretsOf("A", "1", "X", "9"), variables("A", "1"), secretsOf("A", "1", "X", "9"))
	if diff := cmp.Diff([]string{"A"}, f.Declared); diff != "" {
		t.Errorf("declared (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"A", "X"}, slices.Sorted(maps.Keys(f.MACs))); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if f.Unreported {
		t.Error("Unreported = true although the service returned names")
	}
	if !f.sent(secretsOf("A", "1"), variables("A", "1"), nil).Unreported {
		t.Error("Unreported = false although the service returned nothing after a write")
	}
	if f.sent(nil, variables(), nil).Unreported {
		t.Error("Unreported = true although there was nothing to return")
	}
	again := f.sent(secretsOf("A", "1"), variables("A", "1"), secretsOf("A", "1"))
	if !slices.Equal(f.Salt, again.Salt) || f.MACs["A"] != again.MACs["A"] {
		t.Error("a second write changed the salt")
	}
}

func TestFingerprintsHolding(t *testing.T) {
	t.Parallel()
	f := accepted("A", "1", "B", "2")
	next := f.holding([]api.Secret{{Name: "A", Value: "••••••"}, {Name: "X", ValueOmitted: true}})
	if diff := cmp.Diff(map[string]string{"A": f.MACs["A"], "X": ""}, next.MACs); diff != "" {
		t.Errorf("MACs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"A", "B"}, next.Declared); diff != "" {
		t.Errorf("declared (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"X"}, next.unreadable(variables("A", "1"))); diff != "" {
		t.Errorf("unreadable (-want +got):\n%s", diff)
	}
	if got := next.unreadable(variables("A", "1", "X", "now declared")); got != nil {
		t.Errorf("unreadable = %v, want none", got)
	}
	// Once the service returns a value, it is used.
	silent := fingerprints{}.sent(secretsOf("A", "1"), variables("A", "1"), nil)
	if got := silent.holding(secretsOf("A", "1")); got.Unreported {
		t.Error("Unreported = true although the service returns values")
	}
}

func TestFingerprintsAccepted(t *testing.T) {
	t.Parallel()
	unmanaged := imageModel(nil)
	if f := (fingerprints{}).accepted(unmanaged, nil, secretsOf("X", "9")); f.Declared != nil || f.MACs["X"] == "" {
		t.Errorf("fingerprints of an unmanaged environment = %+v, want a MAC of X and nothing declared", f)
	}
	managed := imageModel(nil)
	managed.Environment = frameworktest.StringMap("A", "1")
	if f := (fingerprints{}).accepted(managed, secretsOf("A", "1"), nil); !f.Unreported || !slices.Equal(f.Declared, []string{"A"}) {
		t.Errorf("fingerprints of a managed environment = %+v, want A declared and unreported", f)
	}
}

// TestFingerprintsTellNothing checks that stored fingerprints don't reveal equal values, equal deployments or any value.
func TestFingerprintsTellNothing(t *testing.T) {
	t.Parallel()
	const canary = "canary-4711"
	f, other := accepted("A", canary, "B", canary), accepted("A", canary)
	if f.MACs["A"] == f.MACs["B"] {
		t.Error("two variables with the same value have the same MAC")
	}
	if f.MACs["A"] == other.MACs["A"] || slices.Equal(f.Salt, other.Salt) {
		t.Error("two deployments have the same salt or MAC")
	}
	for name, f := range map[string]fingerprints{
		"sent": f, "read": f.holding(secretsOf("A", canary, "X", canary)), "masked": f.holding(secretsOf("A", "*****")),
		"not reported": fingerprints{}.sent(secretsOf("A", canary), variables("A", canary), nil),
	} {
		if stored := jsonOf(t, f); strings.Contains(stored, canary) {
			t.Errorf("%s: the stored fingerprints contain the value: %s", name, stored)
		}
	}
}

// private is private state in memory.
type private map[string][]byte

func (p private) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return p[key], nil }

func (p private) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	if !json.Valid(value) {
		return diag.Diagnostics{diag.NewErrorDiagnostic("not JSON", string(value))}
	}
	p[key] = value
	return nil
}

func TestFingerprintsStored(t *testing.T) {
	t.Parallel()
	stored := private{}
	none, diags := loadFingerprints(t.Context(), stored)
	frameworktest.NoDiags(t, diags)
	if !differ(none, variables(), ownershipAll) {
		t.Error("missing fingerprints equal those of an empty environment, want them to differ")
	}
	f := accepted("A", "1").holding(secretsOf("A", "1", "X", "***"))
	frameworktest.NoDiags(t, f.Save(t.Context(), stored))
	if len(stored) != 1 {
		t.Errorf("stored = %s, want no record of resource_spec", stored)
	}
	f.Spec = resourcespec.Record{"cpu", "labels"}
	frameworktest.NoDiags(t, f.Save(t.Context(), stored))
	loaded, diags := loadFingerprints(t.Context(), stored)
	frameworktest.NoDiags(t, diags)
	if diff := cmp.Diff(f, loaded); diff != "" {
		t.Errorf("(-saved +loaded):\n%s", diff)
	}
	for key, data := range map[framework.PrivateKey]string{framework.EnvironmentKey: `{"macs":1}`, framework.ResourceSpecKey: `{"cpu":1}`} {
		_, diags = loadFingerprints(t.Context(), private{key.String(): []byte(data)})
		if diff := cmp.Diff([]string{"error: Unreadable private state"}, frameworktest.Lines(diags)); diff != "" {
			t.Error(diff)
		}
		wantText(t, detail(t, diags, 0), "record of "+key.String(), "terraform state rm", "import it again")
	}
}
