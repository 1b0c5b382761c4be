package deployment_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// Write-only arguments need Terraform 1.11.
var writeOnly = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)}

// variables returns a map for a configuration from pairs of name and value.
func variables(pairs ...string) config.Variable {
	values := map[string]config.Variable{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = config.StringVariable(pairs[i+1])
	}
	return config.MapVariable(values)
}

func names(wanted ...string) statecheck.StateCheck {
	checks := make([]knownvalue.Check, len(wanted))
	for i, name := range wanted {
		checks[i] = text(name)
	}
	return known(knownvalue.SetExact(checks), "environment_names")
}

// testCase runs steps that may set write-only arguments, and expects no deployments left.
func testCase(plane *providertest.Plane, steps ...resource.TestStep) resource.TestCase {
	return resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane), TerraformVersionChecks: writeOnly,
		Steps: steps,
	}
}

func run(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	providertest.Test(t, testCase(plane, steps...))
}

// runCLI runs steps that need a real CLI.
func runCLI(t *testing.T, plane *providertest.Plane, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, testCase(plane, steps...))
}

func envStep(plane *providertest.Plane, more config.Variables, check resource.TestCheckFunc, preApply ...plancheck.PlanCheck) resource.TestStep {
	s := step(plane, "env_maps", more)
	s.Check = check
	s.ConfigPlanChecks.PreApply = preApply
	return s
}

// TestAccEnvironment_unknown plans with a map and a value that aren't known until another resource is created.
func TestAccEnvironment_unknown(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	s := spyOn(t, plane, nil)
	create := step(plane, "env_unknown", nil)
	create.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectUnknownValue(address, tfjsonpath.New("environment")),
		plancheck.ExpectUnknownValue(address, tfjsonpath.New("environment_names")),
	}
	create.Check = s.expectSecrets("POST", map[string]string{"TAG": "1.0.0", "STATIC": "fixed-value", "TOKEN": "token-1.0.0"})
	create.ConfigStateChecks = []statecheck.StateCheck{names("STATIC", "TAG", "TOKEN")}
	update := step(plane, "env_unknown", config.Variables{"tag": config.StringVariable("2.0.0")})
	update.ConfigPlanChecks.PreApply = updates(true)
	update.Check = all(s.expectWrites(1, 1), expectRevisions(plane, 2),
		s.expectSecrets("PATCH", map[string]string{"TAG": "2.0.0", "STATIC": "fixed-value", "TOKEN": "token-2.0.0"}))
	// That a name is in two maps is only found when both are known. It is an error, because neither value may win.
	clash := step(plane, "env_unknown", config.Variables{"clash": variables("STATIC", "another-value")})
	clash.ExpectError = words(`STATIC is set in both environment and secrets`)
	healed := step(plane, "env_unknown", config.Variables{"tag": config.StringVariable("2.0.0")})
	healed.Check = all(s.expectWrites(1, 1), expectRevisions(plane, 2))
	run(t, plane, create, update, clash, healed)
}

// TestAccEnvironment_drift changes variables outside Terraform. One request repairs all of them.
func TestAccEnvironment_drift(t *testing.T) {
	t.Parallel()
	type secrets []map[string]string
	pair := func(name, value string) map[string]string { return map[string]string{"name": name, "value": value} }
	whole := map[string]string{"A": "a-value", "S": "s-value", "W": "w-value"}
	for name, test := range map[string]struct {
		current secrets
		server  []func(*devserver.Config)
		hidden  bool // The service doesn't return values.
	}{
		"several":                    {current: secrets{pair("A", "other"), pair("W", "other"), pair("X", "x")}},
		"value of secrets_wo":        {current: secrets{pair("A", "a-value"), pair("S", "s-value"), pair("W", "other")}},
		"removed where masked":       {current: secrets{pair("S", "s-value"), pair("W", "w-value")}, server: []func(*devserver.Config){masked}},
		"value where masked":         {current: secrets{pair("A", "other"), pair("S", "s-value"), pair("W", "w-value")}, server: []func(*devserver.Config){masked}, hidden: true},
		"everything where not shown": {current: secrets{pair("X", "x")}, server: []func(*devserver.Config){omitted}, hidden: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, test.server...)
			s := spyOn(t, plane, nil)
			wanted := config.Variables{
				"environment": variables("A", "a-value"), "secrets": variables("S", "s-value"), "secrets_wo": variables("W", "w-value"),
			}
			repaired := envStep(plane, wanted, all(s.expectWrites(1, 1), s.expectSecrets("PATCH", whole)), updates(true)...)
			if test.hidden {
				repaired = envStep(plane, wanted, s.expectWrites(1, 0), noop)
			}
			repaired.PreConfig = patchedByOther(plane, map[string]any{"secrets": test.current})
			repaired.ConfigStateChecks = []statecheck.StateCheck{
				names("A", "S", "W"), known(text("a-value"), "environment", "A"), known(text("s-value"), "secrets", "S"),
				known(knownvalue.Null(), "secrets_wo"),
			}
			run(t, plane, envStep(plane, wanted, nil), repaired)
		})
	}
}

// TestAccEnvironment_declared manages the declared names only.
func TestAccEnvironment_declared(t *testing.T) {
	t.Parallel()
	own := func(pairs ...string) config.Variables {
		return config.Variables{"environment": variables(pairs...), "environment_ownership": config.StringVariable("declared")}
	}
	others := func(plane *providertest.Plane) func() {
		return patchedByOther(plane, map[string]any{"secrets": []map[string]string{
			{"name": "A", "value": "a"}, {"name": "B", "value": "b"}, {"name": "OTHER", "value": "o-value"},
		}})
	}
	t.Run("readable", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		s := spyOn(t, plane, nil)
		untouched := envStep(plane, own("A", "a", "B", "b"), s.expectWrites(1, 0), noop)
		untouched.PreConfig = others(plane)
		untouched.ConfigStateChecks = []statecheck.StateCheck{names("A", "B")}
		taken := config.Variables{"environment": variables("A", "a2"), "environment_ownership": config.StringVariable("all")}
		run(t, plane, envStep(plane, own("A", "a", "B", "b"), nil), untouched,
			// B was declared before, so it is removed; OTHER never was, so it stays.
			envStep(plane, own("A", "a2"), all(s.expectWrites(1, 1),
				s.expectSecrets("PATCH", map[string]string{"A": "a2", "OTHER": "o-value"})), updates(true)...),
			envStep(plane, taken, all(s.expectWrites(1, 2), s.expectSecrets("PATCH", map[string]string{"A": "a2"})), updates(true)...),
		)
	})
	for name, hiding := range map[string]struct {
		hide    func(*devserver.Config)
		refusal string
	}{
		"masked":  {masked, `Variables can't be preserved .* hides the values of OTHER`},
		"omitted": {omitted, `Variables can't be preserved .* reports no variables`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, hiding.hide)
			s := spyOn(t, plane, nil)
			untouched := envStep(plane, own("A", "a", "B", "b"), s.expectWrites(1, 0), noop)
			untouched.PreConfig = others(plane)
			refused := envStep(plane, own("A", "a2", "B", "b"), nil)
			refused.PlanOnly = true
			refused.ExpectError = words(hiding.refusal)
			taken := config.Variables{"environment": variables("A", "a2"), "environment_ownership": config.StringVariable("all")}
			run(t, plane, envStep(plane, own("A", "a", "B", "b"), nil), untouched, refused,
				envStep(plane, taken, all(s.expectWrites(1, 1), s.expectSecrets("PATCH", map[string]string{"A": "a2"})), updates(true)...))
		})
	}
}

// TestAccEnvironment_importThenDeclare imports an existing environment: only declared values are stored in state,
// and nothing is sent.
func TestAccEnvironment_importThenDeclare(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	id := makeDeployment(plane, "tf-acc-driven", nil, []map[string]string{
		{"name": "A", "value": "a-value"}, {"name": "S", "value": "s-value"}, {"name": "W", "value": "w-value"},
	})
	d := drive(t, plane)
	now := d.refreshed(d.imported(id))
	if strings.Contains(now.state.String(), "-value") {
		t.Errorf("the import stored a value in state: %s", now.state)
	}
	config := imageConfig(plane, map[string]any{
		"environment": map[string]string{"A": "a-value"}, "secrets": map[string]string{"S": "s-value"}, "secrets_wo": map[string]string{"W": "w-value"},
	})
	now, diags := d.apply(t.Context(), now, config)
	if hasError(diags) || now.text("environment", "A") != "a-value" || now.text("secrets", "S") != "s-value" {
		t.Errorf("state = %s, want the declared values: %s", now.state, told(diags))
	}
	if sent := len(plane.Requests(http.MethodPatch, "/v2/deployments/*")); sent != 0 {
		t.Errorf("sent %d PATCHes, want none", sent)
	}
}
