package deployment_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// said returns the warnings about variables as "attribute: summary", and their joined details.
func said(t *testing.T, diags []*tfprotov6.Diagnostic) (summaries []string, details string) {
	t.Helper()
	if hasError(diags) {
		t.Fatal(told(diags))
	}
	var all []string
	for _, d := range diags {
		if d.Summary == stay || d.Summary == remove {
			summaries = append(summaries, plainPath(d)+": "+d.Summary)
			all = append(all, d.Detail)
		}
	}
	return summaries, strings.Join(all, "\n")
}

// plainPath returns the root attribute of a diagnostic's path.
func plainPath(d *tfprotov6.Diagnostic) string {
	return strings.TrimSuffix(strings.TrimPrefix(d.Attribute.String(), `AttributeName("`), `")`)
}

const (
	stay   = "Environment variables are kept"
	remove = "Environment variables will be removed"
)

type maps3 struct{ environment, secrets, secretsWO map[string]string }

func (m maps3) config(plane *providertest.Plane, more map[string]any) map[string]any {
	config := imageConfig(plane, more)
	delete(config, "environment")
	for attribute, part := range map[string]map[string]string{"environment": m.environment, "secrets": m.secrets, "secrets_wo": m.secretsWO} {
		if part != nil {
			config[attribute] = part
		}
	}
	return config
}

// TestAccEnvironment_left removes the maps that managed the environment: the plan warns once about the variables that stay.
func TestAccEnvironment_left(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		one := func(name string) map[string]string { return map[string]string{name: "value-of-" + name} }
		for name, test := range map[string]struct {
			before, after maps3
			more          map[string]any
			warned        []string // The attribute, and the names that stay.
		}{
			"environment and secrets": {before: maps3{one("A"), one("S"), nil}, warned: []string{"environment", "A, S"}},
			"secrets only":            {before: maps3{secrets: one("S")}, warned: []string{"secrets", "S"}},
			"secrets_wo only":         {before: maps3{secretsWO: one("W")}, warned: []string{"secrets_wo", "W"}},
			"secrets_wo that is not all": {
				before: maps3{secretsWO: one("W")}, more: map[string]any{"environment_ownership": "declared"}, warned: []string{"secrets_wo", "W"},
			},
			"with a new revision": {
				before: maps3{environment: one("A")}, more: map[string]any{"source_revision_config": image("2.0.0")}, warned: []string{"environment", "A"},
			},
			"one of two":      {before: maps3{one("A"), one("S"), nil}, after: maps3{environment: one("A")}},
			"moved":           {before: maps3{environment: one("A")}, after: maps3{secrets: one("A")}},
			"another value":   {before: maps3{environment: one("A")}, after: maps3{environment: map[string]string{"A": "other"}}},
			"nothing managed": {more: map[string]any{"source_revision_config": image("2.0.0")}},
			"replaced":        {before: maps3{environment: one("A")}, more: map[string]any{"name": "tf-acc-another"}},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				d := drive(t, plane)
				running := d.refreshed(d.made(kept{}, test.before.config(plane, nil)))
				config := test.after.config(plane, test.more)
				_, diags := d.plan(running, config)
				summaries, details := said(t, diags)
				var want []string
				if test.warned != nil {
					want = []string{test.warned[0] + ": " + stay}
				}
				if diff := cmp.Diff(want, summaries); diff != "" {
					t.Fatalf("warnings (-want +got):\n%s", diff)
				}
				remedy := "environment = {}"
				if plane.Dialect().KeepsLastSecret {
					remedy = `environment = { UNUSED = "1" }`
				}
				if want != nil && (!strings.Contains(details, test.warned[1]) || !strings.Contains(details, remedy) || strings.Contains(details, "value-of")) {
					t.Error(details)
				}
				if name == "replaced" {
					return // The driver doesn't replace.
				}
				_, again := drive(t, plane).plan(running, config) // As during an apply, or in the next plan.
				if repeated, _ := said(t, again); !slices.Equal(repeated, want) {
					t.Errorf("the next plan says %s, want the same", told(again))
				}
				now, diags := d.apply(t.Context(), running, config)
				if hasError(diags) {
					t.Fatal(told(diags))
				}
				d.settled(now, config)
				now = d.refreshed(now)
				_, diags = d.apply(t.Context(), now, nil)
				if len(diags) > 0 {
					t.Errorf("diagnostics of destroying = %s, want none", told(diags))
				}
			})
		}
	})
}

// TestAccEnvironment_adopted manages an environment for the first time: the plan names the variables that will be removed.
func TestAccEnvironment_adopted(t *testing.T) {
	t.Parallel()
	pair := func(name string) map[string]string {
		return map[string]string{"name": name, "value": "value-of-" + name}
	}
	keepA := map[string]string{"A": "value-of-A"}
	for name, test := range map[string]struct {
		maps  maps3
		more  map[string]any
		names string // The variables that will be removed.
	}{
		"two go":          {maps: maps3{environment: keepA}, names: "B, C"},
		"none is left":    {maps: maps3{environment: map[string]string{"D": "d"}}, names: "A, B, C"},
		"write-only":      {maps: maps3{secretsWO: keepA}, names: "B, C"},
		"all declared":    {maps: maps3{environment: keepA, secrets: map[string]string{"B": "b", "C": "c"}}},
		"only declared":   {maps: maps3{environment: keepA}, more: map[string]any{"environment_ownership": "declared"}},
		"not managed":     {},
		"new, not edited": {maps: maps3{environment: map[string]string{"A": "value-of-A", "B": "value-of-B", "C": "value-of-C"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			id := makeDeployment(plane, "tf-acc-driven", nil, []map[string]string{pair("A"), pair("B"), pair("C")})
			d := drive(t, plane)
			imported := d.refreshed(d.imported(id))
			config := test.maps.config(plane, test.more)
			_, diags := d.plan(imported, config)
			summaries, details := said(t, diags)
			var want []string
			if test.names != "" {
				want = []string{"environment_ownership: " + remove}
			}
			if diff := cmp.Diff(want, summaries); diff != "" {
				t.Fatalf("warnings (-want +got):\n%s", diff)
			}
			if want != nil && (!strings.Contains(details, test.names+".") || !strings.Contains(details, `"declared"`) || strings.Contains(details, "value-of")) {
				t.Error(details)
			}
			now, diags := d.apply(t.Context(), imported, config)
			if hasError(diags) {
				t.Fatal(told(diags))
			}
			d.settled(now, config)
		})
	}
}
