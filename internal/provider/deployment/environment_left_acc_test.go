package deployment_test

import (
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccEnvironment_left removes the maps that managed the environment: each plan warns about the variables that stay, until they are released.
func TestAccEnvironment_left(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		d := drive(t, plane)
		config := imageConfig(plane, map[string]any{
			"environment": map[string]string{"A": "value-of-A"}, "secrets_wo": map[string]string{"W": "value-of-W"},
		})
		running := d.refreshed(d.made(kept{}, config))
		config = imageConfig(plane, map[string]any{"environment": nil, "source_revision_config": image("2.0.0")})
		remedy := "environment = {}"
		if dialect.KeepsLastSecret {
			remedy = `environment = { UNUSED = "1" }`
		}
		for range 2 { // The second plan is as during an apply, or a repeated one.
			_, diags := drive(t, plane).plan(running, config)
			if len(diags) != 1 || hasError(diags) || diags[0].Summary != "Environment variables are kept" || strings.Contains(told(diags), "value-of") ||
				!strings.Contains(diags[0].Detail, "A, W") || !strings.Contains(diags[0].Detail, remedy) {
				t.Errorf("diagnostics = %s, want one warning about A and W, with the remedy %s", told(diags), remedy)
			}
		}
		now, diags := d.apply(t.Context(), running, config)
		if hasError(diags) {
			t.Fatal(told(diags))
		}
		d.settled(now, config)
	})
}

// TestAccEnvironment_adopted manages an environment for the first time: the plan names the variables that will be removed.
func TestAccEnvironment_adopted(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	var theirs []map[string]string
	for _, name := range []string{"A", "B", "C"} {
		theirs = append(theirs, map[string]string{"name": name, "value": "value-of-" + name})
	}
	d := drive(t, plane)
	imported := d.refreshed(d.imported(makeDeployment(plane, "tf-acc-driven", nil, theirs)))
	for name, test := range map[string]struct {
		more  map[string]any
		names string // The variables that will be removed.
	}{
		"two go":        {map[string]any{"environment": map[string]string{"A": "value-of-A"}}, "B, C."},
		"only declared": {map[string]any{"environment": map[string]string{"A": "value-of-A"}, "environment_ownership": "declared"}, ""},
		"not managed":   {map[string]any{"environment": nil}, ""},
	} {
		_, diags := d.plan(imported, imageConfig(plane, test.more))
		said := told(diags)
		if hasError(diags) || strings.Contains(said, "Environment variables will be removed") != (test.names != "") || !strings.Contains(said, test.names) ||
			strings.Contains(said, "value-of") {
			t.Errorf("%s: diagnostics = %s, want a warning about %q", name, said, test.names)
		}
	}
	config := imageConfig(plane, map[string]any{"environment": map[string]string{"A": "value-of-A"}})
	now, diags := d.apply(t.Context(), imported, config)
	if hasError(diags) {
		t.Fatal(told(diags))
	}
	d.settled(now, config)
}
