package deployment_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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

// TestAccEnvironment_oneRevision changes several maps at once, and expects one request with the whole set; other
// changes don't send the environment.
func TestAccEnvironment_oneRevision(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	s := spyOn(t, plane, nil)
	before := config.Variables{
		"environment": variables("B", "b", "A", "a"), "secrets": variables("S", "s"), "secrets_wo": variables("W", "w"),
	}
	after := config.Variables{
		"environment": variables("A", "a", "B", "b2"), "secrets": variables("S", "s2"), "secrets_wo": variables("W", "w2", "EMPTY", ""),
	}
	another := config.Variables{"custom_url": config.StringVariable("https://chat.example.com")}
	moved := config.Variables{
		"environment": variables("A", "a"), "secrets": variables("S", "s2", "B", "b2"), "secrets_wo": variables("W", "w2", "EMPTY", ""),
	}
	movedAgain := config.Variables{
		"environment": variables("A", "a", "B", "b2", "EMPTY", ""), "secrets_wo": variables("W", "w2", "S", "s2"),
	}
	maps.Copy(another, after)
	run(t, plane,
		envStep(plane, before, all(s.expectWrites(1, 0), func(*terraform.State) error {
			// Sorted by name, whatever the order in the configuration.
			if body := s.sent("POST")[0].body; !strings.Contains(body, `"secrets":[{"name":"A","value":"a"},{"name":"B","value":"b"},{"name":"S","value":"s"},{"name":"W","value":"w"}]`) {
				return fmt.Errorf("the environment isn't sorted by name: %s", body)
			}
			return nil
		})),
		envStep(plane, after, all(s.expectWrites(1, 1), expectRevisions(plane, 2),
			s.expectSecrets("PATCH", map[string]string{"A": "a", "B": "b2", "S": "s2", "W": "w2", "EMPTY": ""})), updates(true)...),
		envStep(plane, another, all(s.expectWrites(1, 2), expectRevisions(plane, 2),
			expectBody(plane, "PATCH", `{"source_config": {"custom_url": "https://chat.example.com"}}`)), updates(false)...),
		// Moving a variable to another map doesn't change it.
		envStep(plane, moved, all(s.expectWrites(1, 2), expectRevisions(plane, 2)), updates(false)...),
		envStep(plane, movedAgain, all(s.expectWrites(1, 2), expectRevisions(plane, 2)), updates(false)...),
	)
}

// TestAccEnvironment_emptied removes all variables in both ways. Only an empty map means that there are none.
func TestAccEnvironment_emptied(t *testing.T) {
	t.Parallel()
	some := config.Variables{"environment": variables("A", "a"), "secrets": variables("S", "s")}
	t.Run("empty maps", func(t *testing.T) { // The further dialect refuses that: TestDialect_emptiedEnvironment.
		t.Parallel()
		plane := providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Dialect = api.Neutral })
		s := spyOn(t, plane, nil)
		emptied := envStep(plane, config.Variables{"environment": variables(), "secrets": variables()}, all(s.expectWrites(1, 1),
			s.expectSecrets("PATCH", map[string]string{}), expectBody(plane, "PATCH", `{"secrets": []}`)), updates(true)...)
		emptied.ConfigStateChecks = []statecheck.StateCheck{names(), known(knownvalue.MapSizeExact(0), "environment")}
		run(t, plane, envStep(plane, some, nil), emptied,
			envStep(plane, config.Variables{"environment": variables()}, s.expectWrites(1, 1), updates(false)...))
	})
	t.Run("maps removed", func(t *testing.T) {
		t.Parallel()
		plane := providertest.NewDev(t)
		s := spyOn(t, plane, nil)
		one := envStep(plane, config.Variables{"environment": variables("A", "a")},
			all(s.expectWrites(1, 1), s.expectSecrets("PATCH", map[string]string{"A": "a"})), updates(true)...)
		unmanaged := envStep(plane, nil, all(s.expectWrites(1, 1), expectRevisions(plane, 2)), updates(false)...)
		unmanaged.ConfigStateChecks = []statecheck.StateCheck{known(knownvalue.Null(), "environment"), names("A")}
		drifted := envStep(plane, nil, s.expectWrites(1, 1), plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop))
		drifted.PreConfig = patchedByOther(plane, map[string]any{"secrets": []map[string]string{{"name": "OTHER", "value": "o"}}})
		run(t, plane, envStep(plane, some, nil), one, unmanaged, drifted)
	})
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

// TestAccEnvironment_version sets a version of the write-only values: other values are sent only with another version.
func TestAccEnvironment_version(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	s := spyOn(t, plane, nil)
	at := func(version int, value string) config.Variables {
		return config.Variables{
			"environment": variables("A", "a"), "secrets_wo": variables("W", value), "secrets_wo_version": config.IntegerVariable(version),
		}
	}
	another := at(2, "w4")
	another["environment"] = variables("A", "a2")
	unversioned := config.Variables{"environment": variables("A", "a2"), "secrets_wo": variables("W", "w4")}
	run(t, plane,
		envStep(plane, at(1, "w1"), s.expectSecrets("POST", map[string]string{"A": "a", "W": "w1"})),
		envStep(plane, at(1, "w2"), s.expectWrites(1, 0), noop),
		envStep(plane, at(2, "w3"), all(s.expectWrites(1, 1), s.expectSecrets("PATCH", map[string]string{"A": "a", "W": "w3"})), updates(true)...),
		// A change of another variable sends the whole set, including the current write-only values.
		envStep(plane, another, all(s.expectWrites(1, 2), s.expectSecrets("PATCH", map[string]string{"A": "a2", "W": "w4"})), updates(true)...),
		// Removing or adding the version changes nothing while the value is the one that was sent.
		envStep(plane, unversioned, s.expectWrites(1, 2), updates(false)...),
		envStep(plane, another, s.expectWrites(1, 2), updates(false)...),
	)
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

// TestAccEnvironment_duplicates tests a service that returns a name twice.
func TestAccEnvironment_duplicates(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	//nolint:bodyclose // The proxy closes the body.
	s := spyOn(t, plane, rewriting(`"secrets":[{"name":"A","value":"a"}]`,
		`"secrets":[{"name":"A","value":"a"},{"name":"A","value":"a"}]`))
	wanted := config.Variables{"environment": variables("A", "a")}
	create := envStep(plane, wanted, s.expectWrites(1, 0))
	create.ConfigStateChecks = []statecheck.StateCheck{names("A")}
	run(t, plane, create, envStep(plane, config.Variables{"environment": variables("A", "b")},
		all(s.expectWrites(1, 1), s.expectSecrets("PATCH", map[string]string{"A": "b"})), updates(true)...))
}
