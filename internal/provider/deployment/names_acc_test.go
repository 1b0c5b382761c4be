package deployment_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// planned plans as core does: if the deployment must be replaced, it plans the creation too, and shows only its errors.
func (d *driver) planned(prior kept, config map[string]any) ([]*tfprotov6.Diagnostic, bool) {
	d.t.Helper()
	if prior.state.Type() == nil {
		prior.state = d.null()
	}
	ask := func(prior kept) *tfprotov6.PlanResourceChangeResponse {
		wanted := d.decoded(d.document(config))
		resp, err := d.server.PlanResourceChange(d.t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: driven, PriorState: d.encoded(prior.state), PriorPrivate: prior.private, PriorIdentity: prior.identity,
			Config: d.encoded(wanted), ProposedNewState: d.encoded(proposed(d.schema.Block.Attributes, wanted, prior.state)),
		})
		if err != nil {
			d.t.Fatal(err)
		}
		return resp
	}
	first := ask(prior)
	if hasError(first.Diagnostics) || len(first.RequiresReplace) == 0 {
		return first.Diagnostics, false
	}
	second := ask(kept{state: d.null(), private: first.PlannedPrivate})
	if strings.Contains(string(second.PlannedPrivate), `"replaceable"`) {
		d.t.Errorf("the planned private data is %s, want nothing about the plan in it", second.PlannedPrivate)
	}
	return append(first.Diagnostics, slices.DeleteFunc(second.Diagnostics, func(diag *tfprotov6.Diagnostic) bool {
		return diag.Severity != tfprotov6.DiagnosticSeverityError
	})...), true
}

func called(plane *providertest.Plane, name string) map[string]any {
	return imageConfig(plane, map[string]any{"name": name})
}

// TestAccNames plans deployments in one process, in this order and in the opposite one: the outcome must be the same.
func TestAccNames(t *testing.T) {
	t.Parallel()
	type planning struct {
		from, to string // The names in the state, empty for a new deployment, and in the configuration.
	}
	for name, test := range map[string]struct {
		plans []planning
		// errors and warnings are the numbers of diagnostics about names; says are words of each.
		errors, warnings int
		says             []string
	}{
		"new":                              {[]planning{{"", "tf-acc-x"}}, 0, 0, nil},
		"renamed":                          {[]planning{{"tf-acc-a", "tf-acc-x"}}, 0, 0, nil},
		"new one with a taken name":        {[]planning{{"", "tf-acc-a"}}, 0, 1, []string{"tainted", "`moved` block", "import {"}},
		"beside the one that has it":       {[]planning{{"tf-acc-a", "tf-acc-a"}, {"", "tf-acc-a"}}, 0, 1, []string{"tainted", "`moved` block", "import {"}},
		"renamed to a taken name":          {[]planning{{"tf-acc-a", "tf-acc-b"}}, 1, 0, []string{"has that name", "two applies"}},
		"swapped":                          {[]planning{{"tf-acc-a", "tf-acc-b"}, {"tf-acc-b", "tf-acc-a"}}, 2, 0, []string{"has that name"}},
		"two renamed to one name":          {[]planning{{"tf-acc-a", "tf-acc-x"}, {"tf-acc-b", "tf-acc-x"}}, 1, 0, []string{`"tf-acc-x"`, "ID of tf-acc-a", "ID of tf-acc-b"}},
		"new one and renamed one":          {[]planning{{"", "tf-acc-x"}, {"tf-acc-a", "tf-acc-x"}}, 1, 0, []string{"a new deployment", "ID of tf-acc-a"}},
		"two new ones":                     {[]planning{{"", "tf-acc-x"}, {"", "tf-acc-x"}}, 1, 0, []string{"a new deployment and another new deployment"}},
		"renamed to the name of a renamed": {[]planning{{"tf-acc-a", "tf-acc-b"}, {"tf-acc-b", "tf-acc-x"}}, 1, 0, []string{"has that name"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			there, ids := map[string]kept{}, []string{}
			for _, has := range []string{"tf-acc-a", "tf-acc-b"} {
				there[has] = drive(t, plane).made(kept{}, called(plane, has))
				ids = append(ids, there[has].text("id"), "ID of "+has)
			}
			outcome := func(plans []planning) string {
				d := drive(t, plane)
				var texts []string
				errors, warnings := 0, 0
				for range 2 { // A name is claimed once, however often a replacement is planned.
					for _, p := range plans {
						prior := there[p.from]
						if p.from != "" {
							prior = d.refreshed(prior)
						}
						diags, _ := d.planned(prior, called(plane, p.to))
						for _, diag := range diags {
							if diag.Attribute.String() != `AttributeName("name")` || strings.HasPrefix(diag.Summary, "Replacement destroys") {
								continue
							}
							texts = append(texts, told([]*tfprotov6.Diagnostic{diag}))
							if diag.Severity == tfprotov6.DiagnosticSeverityError {
								errors++
							} else {
								warnings++
							}
						}
					}
					if slices.ContainsFunc(plans, func(p planning) bool { return p.from == "" }) {
						break
					}
					if errors+warnings > 0 {
						break
					}
				}
				if errors != test.errors || warnings != test.warnings {
					t.Errorf("%v: %d errors and %d warnings, want %d and %d: %s", plans, errors, warnings, test.errors, test.warnings, texts)
				}
				slices.Sort(texts)
				return strings.NewReplacer(ids...).Replace(strings.Join(texts, "\n"))
			}
			forwards := outcome(test.plans)
			slices.Reverse(test.plans)
			if backwards := outcome(test.plans); backwards != forwards {
				t.Errorf("the outcome depends on the order:\n%s\nbackwards:\n%s", forwards, backwards)
			}
			for _, part := range test.says {
				if !strings.Contains(forwards, part) {
					t.Errorf("the diagnostics don't contain %q:\n%s", part, forwards)
				}
			}
		})
	}
}

// TestAccNames_applied plans the creation of a replacement within its apply, where core passes neither the state nor private
// data, after the old deployment was destroyed, but while another one has the name.
func TestAccNames_applied(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	old := d.made(kept{}, called(plane, "tf-acc-old"))
	makeDeployment(plane, "tf-acc-new", nil, nil)
	if diags, _ := drive(t, plane).planned(kept{}, called(plane, "tf-acc-new")); len(diags) != 1 {
		t.Errorf("before the apply: diagnostics = %s, want that the name is taken", told(diags))
	}
	d = drive(t, plane)
	if _, diags := d.apply(t.Context(), old, nil); len(diags) > 0 {
		t.Fatal(told(diags))
	}
	if diags, _ := d.planned(kept{}, called(plane, "tf-acc-new")); len(diags) > 0 {
		t.Errorf("within the apply: diagnostics = %s, want none", told(diags))
	}
}

// TestAccReplacement_possible replaces deployments by ones that can't be created, or of which that isn't known. The plan must
// say so on the attribute, and nothing may be destroyed.
func TestAccReplacement_possible(t *testing.T) {
	t.Parallel()
	const missing = "99999999-2222-4333-8444-555555555555"
	renamed := func(more map[string]any) func(*providertest.Plane) map[string]any {
		return func(plane *providertest.Plane) map[string]any {
			config := container(plane, more)
			config["name"] = "tf-acc-other"
			return config
		}
	}
	spec := func(more map[string]any) func(*providertest.Plane) map[string]any {
		return renamed(map[string]any{"resource_spec": more})
	}
	for name, test := range map[string]struct {
		config func(*providertest.Plane) map[string]any
		faults []devserver.Fault
		at     string
		says   []string
	}{
		"integer beyond 32 bits": {spec(map[string]any{"memory_mb": 2147483648}), nil, "source_config.resource_spec.memory_mb",
			[]string{"2147483648", "the maximum is 2147483647"}},
		"more than a derived limit": {spec(map[string]any{"cpu": 4, "queue_cpu_limit": 2}), nil, "source_config.resource_spec.queue_cpu_limit",
			[]string{"is 2, but queue_cpu defaults to 4"}},
		"no namespace": {renamed(map[string]any{"listener_config": nil}), nil, "source_config.listener_config", []string{"requires a namespace"}},
		"unknown listener": {renamed(map[string]any{"listener_id": missing}), nil, "source_config.listener_id",
			[]string{"no listener of this workspace"}},
		"listeners are refused": {renamed(nil), []devserver.Fault{{Match: "GET /v2/listeners", Status: 403, Times: 100}}, "source_config.listener_id",
			[]string{"403", "key that may read", "two applies"}},
		"deployments are refused": {renamed(nil), []devserver.Fault{{Match: "GET /v2/deployments", Status: 403, Times: 100}}, "name",
			[]string{"403", "key that may read", "two applies"}},
		"dash": {func(plane *providertest.Plane) map[string]any {
			config := container(plane, nil)
			config["name"] = "tf-acc-"
			return config
		}, nil, "name", []string{"ends with a dash"}},
		"too large": {func(plane *providertest.Plane) map[string]any {
			config := container(plane, nil)
			config["name"], config["environment"] = "tf-acc-other", map[string]any{"A": strings.Repeat("a", api.MaxBody)}
			return config
		}, nil, "environment", []string{"10485760", "The largest attribute is environment"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			running := drive(t, plane).made(kept{}, container(plane, nil))
			d := drive(t, plane)
			running = d.refreshed(running)
			for _, fault := range test.faults {
				plane.Arm(fault)()
			}
			diags, _ := d.planned(running, test.config(plane))
			failed := slices.DeleteFunc(slices.Clone(diags), func(d *tfprotov6.Diagnostic) bool { return d.Severity != tfprotov6.DiagnosticSeverityError })
			if len(failed) != 1 || dotted(failed[0]) != test.at {
				t.Fatalf("diagnostics = %s, want one error on %s", told(diags), test.at)
			}
			refused(t, failed, "", test.says...)
		})
	}
}

// dotted is the path of a diagnostic, as users write it.
func dotted(d *tfprotov6.Diagnostic) string {
	return strings.NewReplacer(`AttributeName("`, "", `")`, "").Replace(d.Attribute.String())
}

// TestAccReplacement_unknown replaces a deployment by one whose listener is not known yet: a warning says that it isn't looked up.
func TestAccReplacement_unknown(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		var listener struct {
			ID string `json:"id"`
		}
		names := func(more config.Variables) resource.TestStep { return step(plane, "listener_of", more) }
		plane.Call(http.MethodPost, "/dev/listeners", map[string]any{"compute_id": "spare", "k8s_namespaces": []string{"agents"}}, &listener)
		moved := names(config.Variables{"compute_id": config.StringVariable("two")})
		if plane.Dialect().ProjectsBlockNames {
			kept := names(config.Variables{"delete_tracing_project": config.BoolVariable(false)})
			moved.ConfigVariables["delete_tracing_project"] = config.BoolVariable(false)
			moved.ExpectError = words(`Replacement is not possible .* tracing project .* delete_tracing_project to true and apply that first`)
			cleaning := names(nil)
			again := names(config.Variables{"compute_id": config.StringVariable("two")})
			run(t, plane, kept, moved, cleaning, again)
			return
		}
		moved.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace),
			plancheck.ExpectResourceAction("agentplane_listener.test", plancheck.ResourceActionReplace),
		}
		run(t, plane, names(nil), moved)
	})
}
