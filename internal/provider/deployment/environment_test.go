package deployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// environmentOf returns a deployment with the three maps; nil means null.
func environmentOf(environment, secrets, writeOnly []string) model {
	m := imageModel(nil)
	for to, pairs := range map[*types.Map][]string{&m.Environment: environment, &m.Secrets: secrets, &m.SecretsWO: writeOnly} {
		if pairs != nil {
			*to = frameworktest.StringMap(pairs...)
		}
	}
	return m
}

func TestToSecrets(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		m       model
		carried []api.Secret
		want    []api.Secret
	}{
		"nothing":    {environmentOf(nil, nil, nil), nil, []api.Secret{}},
		"empty maps": {environmentOf([]string{}, []string{}, nil), nil, []api.Secret{}},
		"three maps in one order": {
			environmentOf([]string{"B", "2"}, []string{"C", "3"}, []string{"A", ""}), nil, secretsOf("A", "", "B", "2", "C", "3"),
		},
		"carried along": {environmentOf([]string{"B", "2"}, nil, nil), secretsOf("X", "9", "A", "1"), secretsOf("A", "1", "B", "2", "X", "9")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.m.toSecrets(test.carried...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariableNames(t *testing.T) {
	t.Parallel()
	m := environmentOf([]string{"B", "2"}, []string{"A", "1"}, nil)
	want := types.SetValueMust(types.StringType, []attr.Value{text("A"), text("B")})
	if got := m.variableNames(); !got.Equal(want) {
		t.Errorf("variableNames = %s, want %s", got, want)
	}
	m.Secrets = types.MapValueMust(types.StringType, map[string]attr.Value{"A": types.StringUnknown()})
	if got := m.variableNames(); !got.Equal(want) {
		t.Errorf("with an unknown value, variableNames = %s, want %s", got, want)
	}
	m.SecretsWO = types.MapUnknown(types.StringType)
	if got := m.variableNames(); !got.IsUnknown() {
		t.Errorf("with an unknown map, variableNames = %s, want unknown", got)
	}
	if merged, known := m.variables(); known || len(merged) != 2 {
		t.Errorf("variables = %v, known = %t; want two, not known", merged, known)
	}
	if (model{Environment: types.MapNull(types.StringType)}).managesEnvironment() || !m.managesEnvironment() {
		t.Error("managesEnvironment is wrong: want true only if a map is configured")
	}
}

func TestHidden(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"": false, "*": false, "**": false, "***": true, "********": true, "••••": true, "•*•": true, "*a*": false, "•": false, "••": false,
		"secret": false, "   ": false, "* * *": false,
	} {
		if got := hidden(api.Secret{Name: "A", Value: value}); got != want {
			t.Errorf("hidden(%q) = %t, want %t", value, got, want)
		}
	}
	if !hidden(api.Secret{Name: "A", ValueOmitted: true}) {
		t.Error("hidden of an omitted value = false, want true")
	}
}

func TestNewVariables(t *testing.T) {
	t.Parallel()
	null, unknown := types.MapNull(types.StringType), types.MapUnknown(types.StringType)
	for name, test := range map[string]struct {
		prior   types.Map
		current []api.Secret
		want    types.Map
	}{
		"not managed":            {null, secretsOf("A", "1"), null},
		"unknown":                {unknown, secretsOf("A", "1"), unknown},
		"as it was":              {frameworktest.StringMap("A", "1"), secretsOf("A", "1"), frameworktest.StringMap("A", "1")},
		"changed":                {frameworktest.StringMap("A", "1"), secretsOf("A", "2"), frameworktest.StringMap("A", "2")},
		"emptied":                {frameworktest.StringMap("A", "1"), secretsOf("A", ""), frameworktest.StringMap("A", "")},
		"masked":                 {frameworktest.StringMap("A", "1"), secretsOf("A", "*****"), frameworktest.StringMap("A", "1")},
		"value omitted":          {frameworktest.StringMap("A", "1"), []api.Secret{{Name: "A", ValueOmitted: true}}, frameworktest.StringMap("A", "1")},
		"removed":                {frameworktest.StringMap("A", "1", "B", "2"), secretsOf("B", "2"), frameworktest.StringMap("B", "2")},
		"all removed":            {frameworktest.StringMap("A", "1"), nil, frameworktest.StringMap()},
		"somebody else's":        {frameworktest.StringMap("A", "1"), secretsOf("A", "1", "X", "9"), frameworktest.StringMap("A", "1")},
		"of another of the maps": {frameworktest.StringMap(), secretsOf("A", "1"), frameworktest.StringMap()},
		"the last of one name":   {frameworktest.StringMap("A", "1"), secretsOf("A", "2", "A", "3"), frameworktest.StringMap("A", "3")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := newVariables(test.prior, test.current); !got.Equal(test.want) {
				t.Errorf("newVariables = %s, want %s", got, test.want)
			}
		})
	}
}

func TestNewEnvironmentNames(t *testing.T) {
	t.Parallel()
	set := func(names ...string) types.Set {
		elements := []attr.Value{}
		for _, name := range names {
			elements = append(elements, text(name))
		}
		return types.SetValueMust(types.StringType, elements)
	}
	current := secretsOf("B", "2", "A", "1", "B", "3")
	for name, test := range map[string]struct {
		ownership string
		declared  []string
		want      types.Set
	}{
		"all":                         {ownershipAll, []string{"A"}, set("A", "B")},
		"declared":                    {ownershipDeclared, []string{"A", "GONE"}, set("A")},
		"declared, nothing is so far": {ownershipDeclared, nil, set("A", "B")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := imageModel(nil)
			m.EnvironmentOwnership = text(test.ownership)
			if got := m.newEnvironmentNames(current, fingerprints{Declared: test.declared}); !got.Equal(test.want) {
				t.Errorf("newEnvironmentNames = %s, want %s", got, test.want)
			}
		})
	}
}

func TestCarried(t *testing.T) {
	t.Parallel()
	current := []api.Secret{{Name: "A", Value: "1"}, {Name: "OLD", Value: "2"}, {Name: "X", Value: "9"}}
	prints := fingerprints{Declared: []string{"A", "OLD"}}
	m := environmentOf([]string{"A", "2"}, nil, nil)
	if carried, diags := m.carried(current, prints); carried != nil || diags != nil {
		t.Errorf("with ownership all, carried = %v, %v; want none", carried, diags)
	}
	m.EnvironmentOwnership = text(ownershipDeclared)
	carried, diags := m.carried(current, prints)
	frameworktest.NoDiags(t, diags)
	if diff := cmp.Diff(secretsOf("X", "9"), carried); diff != "" {
		t.Errorf("carried (-want +got):\n%s", diff)
	}
	for name, secret := range map[string]api.Secret{"masked": {Name: "X", Value: "****"}, "omitted": {Name: "X", ValueOmitted: true}} {
		_, diags := m.carried([]api.Secret{secret, {Name: "B", Value: "****"}}, prints)
		if diff := cmp.Diff([]string{"error environment_ownership: Variables can't be preserved"}, frameworktest.Lines(diags)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", name, diff)
		}
		wantText(t, diags[0].Detail(), "B, X", `"all"`)
	}
	// Declared variables aren't lost by being hidden.
	_, diags = m.carried([]api.Secret{{Name: "A", Value: "****"}, {Name: "OLD", ValueOmitted: true}}, prints)
	frameworktest.NoDiags(t, diags)
}

func environmentChanges(planned, state model, prints fingerprints) bool {
	environment, values := environmentReasons(planned, state, prints)
	return environment.any() || values.any()
}
