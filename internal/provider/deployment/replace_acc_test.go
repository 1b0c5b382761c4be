package deployment_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccReplace_unknown plans with unknown values of arguments that force a replacement. The same value changes nothing; with
// another one, the apply stops before anything is destroyed, and the next plan shows the replacement. Terraform calls that a bug of
// the provider, which can't know that an apply is in progress.
func TestAccReplace_unknown(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	var before, after string
	create := step(plane, "replace_unknown", nil)
	create.Check = remember(&before)
	same := step(plane, "replace_unknown", config.Variables{"generation": config.StringVariable("2")})
	same.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectUnknownValue(address, tfPath([]string{"name"})),
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
	}
	same.Check = all(remember(&after), expectRequests(plane, map[string]int{"POST": 1, "PATCH": 0, "DELETE": 0}), expectRevisions(plane, 1))
	another := config.Variables{"name": config.StringVariable("tf-acc-replace-2")}
	stopped := step(plane, "replace_unknown", another)
	stopped.ExpectError = words(`Provider produced inconsistent final plan`)
	replaced := step(plane, "replace_unknown", another)
	replaced.PreConfig = func() {
		if err := expectRequests(plane, map[string]int{"POST": 1, "PATCH": 0, "DELETE": 0})(nil); err != nil {
			t.Error(err)
		}
	}
	replaced.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace),
	}
	replaced.Check = expectRequests(plane, map[string]int{"POST": 2, "DELETE": 1})
	run(t, plane, create, same, stopped, replaced)
	if before != after {
		t.Errorf("the deployment %s was replaced by %s, want it kept", before, after)
	}
}

// TestAccReplace_undecided expects the plan in the test above to warn about a possible replacement.
func TestAccReplace_undecided(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	running := d.made(kept{}, container(plane, nil))
	unknown := func(v tftypes.Value) *tfprotov6.DynamicValue {
		changed, err := tftypes.Transform(v, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if at.Equal(tftypes.NewAttributePath().WithAttributeName("name")) {
				return tftypes.NewValue(tftypes.String, tftypes.UnknownValue), nil
			}
			return v, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return d.encoded(changed)
	}
	planned, err := d.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: d.encoded(running.state), PriorPrivate: running.private,
		Config: unknown(d.decoded(value(t, container(plane, nil)))), ProposedNewState: unknown(running.state),
	})
	if err != nil {
		t.Fatal(err)
	}
	diags := planned.Diagnostics
	if len(diags) != 1 || diags[0].Summary != "Replacement not decided" || diags[0].Attribute.String() != `AttributeName("name")` {
		t.Errorf("diagnostics = %s, want one that the replacement isn't decided", told(diags))
	}
	if len(planned.RequiresReplace) > 0 {
		t.Errorf("the plan replaces the deployment because of %s, want it undecided", planned.RequiresReplace)
	}
}

// TestAccReplace_warning expects a plan that destroys a running deployment to warn, with the attribute that forces it.
func TestAccReplace_warning(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	running := d.made(kept{}, container(plane, nil))
	renamed := container(plane, nil)
	renamed["name"] = "tf-acc-renamed"
	for name, test := range map[string]struct {
		config map[string]any
		at     string
	}{
		"name":              {renamed, `AttributeName("name")`},
		"namespace":         {container(plane, map[string]any{"listener_config": map[string]any{"k8s_namespace": plane.OtherK8sNamespace}}), `AttributeName("source_config").AttributeName("listener_config").AttributeName("k8s_namespace")`},
		"nothing":           {container(plane, nil), ""},
		"a change in place": {container(plane, map[string]any{"custom_url": "https://chat.example.com"}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := d.plan(d.refreshed(running), test.config)
			var at []string
			for _, diag := range diags {
				if diag.Severity != tfprotov6.DiagnosticSeverityWarning || diag.Summary != "Replacement destroys a running deployment" ||
					!strings.Contains(diag.Detail, running.text("active_revision_id")) {
					t.Errorf("diagnostic = %s: %s, want a warning with the running revision", diag.Summary, diag.Detail)
				}
				at = append(at, diag.Attribute.String())
			}
			if diff := cmp.Diff(test.at, strings.Join(at, " ")); diff != "" {
				t.Errorf("paths of the warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAccLookUp_refused expects a plan that the service will refuse to fail, with the next step.
func TestAccLookUp_refused(t *testing.T) {
	t.Parallel()
	const missing = "99999999-2222-4333-8444-555555555555"
	for name, test := range map[string]struct {
		directory string
		variables config.Variables
		want      func(plane *providertest.Plane) string
	}{
		"listener": {"external_container", config.Variables{"listener_id": config.StringVariable(missing)},
			func(plane *providertest.Plane) string {
				return `Unknown listener .* source_config.listener_id is "` + missing + `", but no listener .* Available: ` + plane.ListenerID
			}},
		"namespace": {"external_container", config.Variables{"k8s_namespace": config.StringVariable("kube-system")},
			func(plane *providertest.Plane) string {
				return `doesn't deploy to namespace "kube-system", only to: ` + plane.K8sNamespace
			}},
		"integration": {"git_host", config.Variables{"integration_id": config.StringVariable(missing)},
			func(plane *providertest.Plane) string {
				return `Unknown integration .* source_config.integration_id is "` + missing + `", .* Available: ` + plane.IntegrationID
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			s := spyOn(t, plane, nil)
			refused := step(plane, test.directory, test.variables)
			refused.PlanOnly = true
			refused.ExpectError = words(test.want(plane))
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{refused}})
			if err := s.expectWrites(0, 0)(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAccLookUp_tainted replaces a tainted deployment, which doesn't conflict with its own name.
func TestAccLookUp_tainted(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	s := spyOn(t, plane, nil)
	again := settingsStep(plane, nil, s.expectWrites(2, 0), plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace))
	again.Taint = []string{address}
	run(t, plane, settingsStep(plane, nil, s.expectWrites(1, 0)), again)
}

// TestAccLookUp_failing plans while lookups fail: the plan succeeds, with a warning for each.
func TestAccLookUp_failing(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	failing := func() {
		for _, match := range []string{"GET /v2/listeners", "GET /v2/deployments"} {
			plane.Arm(faultOf(match))()
		}
	}
	d := drive(t, plane)
	failing()
	_, diags := d.plan(kept{}, container(plane, nil))
	var at []string
	for _, diag := range diags {
		if diag.Severity != tfprotov6.DiagnosticSeverityWarning || diag.Summary != "Not checked against the service" {
			t.Errorf("diagnostic = %s: %s, want a warning that it wasn't checked", diag.Summary, diag.Detail)
		}
		at = append(at, diag.Attribute.String())
	}
	want := []string{`AttributeName("source_config").AttributeName("listener_id")`, `AttributeName("name")`}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Errorf("paths of the warnings (-want +got):\n%s", diff)
	}
	plane.Call(http.MethodDelete, "/dev/faults", nil, nil)
	create := settingsStep(plane, nil, func(state *terraform.State) error {
		plane.Call(http.MethodDelete, "/dev/faults", nil, nil)
		return expectRequests(plane, map[string]int{"POST": 1})(state)
	})
	create.PreConfig = failing
	run(t, plane, create)
}

// TestAccLookUp_once plans twenty deployments: the listeners are read once, and the names from the list of all deployments once two
// lookups are in flight at the same time, or ten have been sent. Where tracing projects reserve names, some names are looked up among them.
func TestAccLookUp_once(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		const many = 20
		plane := providertest.NewDev(t)
		s := spyOn(t, plane, nil)
		plan := step(plane, "many", config.Variables{"amount": config.IntegerVariable(many)})
		plan.PlanOnly, plan.ExpectNonEmptyPlan = true, true
		runCLI(t, plane, plan)
		plans, pages, names, projects := 0, 0, 0, 0
		for _, r := range s.sent(http.MethodGet) {
			switch {
			case strings.HasPrefix(r.path, "/v2/listeners"):
				plans++
			case strings.HasPrefix(r.path, "/api/v1/sessions"):
				projects++
			case strings.Contains(r.path, "name="):
				names++
			default:
				pages++
			}
		}
		// The test framework plans more than once, each time in several orders.
		if plans < 1 || plans > 9 || pages != plans || names < plans || names > 10*plans {
			t.Errorf("%d plans (want 1 to 9) looked up %d names (want 1 to 10 per plan) and %d pages of deployments (want 1 per plan)", plans, names, pages)
		}
		if want := 10 * plans; projects != 0 && !plane.Dialect().ProjectsBlockNames || projects > want {
			t.Errorf("%d tracing projects were looked up in %d plans, want at most 10 per plan, and only where they reserve names", projects, plans)
		}
	})
}

// TestAccLookUp_existing checks that an update doesn't look up what it can't change.
func TestAccLookUp_existing(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	s := spyOn(t, plane, nil)
	changed := settingsStep(plane, config.Variables{"image_uri": config.StringVariable("registry.example.com/agents/chat:2.0.0")},
		nil, updates(true)...)
	changed.PreConfig = s.forget
	changed.Check = func(*terraform.State) error {
		if asked := s.carrying("/v2/listeners"); len(asked) > 0 {
			t.Errorf("an update looked up the listener %d times, want 0, because it can't change", len(asked))
		}
		return nil
	}
	run(t, plane, settingsStep(plane, nil, nil), changed)
}
