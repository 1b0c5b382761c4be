package deployment_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
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

// TestAccReplace plans another value of each argument that an update can't change.
func TestAccReplace(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	var listener, integration struct{ ID string }
	plane.Call("POST", "/dev/listeners", map[string]any{"compute_id": "another-cluster", "k8s_namespaces": []string{plane.K8sNamespace}}, &listener)
	plane.Call("POST", "/dev/integrations", map[string]any{"name": "another-org", "repositories": []map[string]any{
		{"name": "chat", "url": "https://git.example.com/example-org/chat"},
	}}, &integration)
	run, build := imageConfig(plane, map[string]any{"environment": nil}), repository(plane, "main", nil)
	running, built := plane.Drive(t, driven), plane.Drive(t, driven)
	running.Make(run)
	built.Make(build)
	elsewhere := specConfig(plane, map[string]any{"listener_id": listener.ID})
	for name, test := range map[string]struct {
		d  *providertest.Driven
		to map[string]any
	}{
		"name":              {running, with(run, map[string]any{"name": "tf-acc-renamed"})},
		"listener":          {running, with(run, map[string]any{"source_config": elsewhere})},
		"source":            {running, with(build, map[string]any{"name": run["name"]})},
		"source, back":      {built, with(run, map[string]any{"name": build["name"]})},
		"name of the build": {built, with(build, map[string]any{"name": "tf-acc-renamed"})},
		"integration":       {built, repository(plane, "main", map[string]any{"integration_id": integration.ID})},
		"repository":        {built, repository(plane, "main", map[string]any{"repo_url": "https://git.example.com/example-org/research-agent"})},
		"type":              {built, repository(plane, "main", map[string]any{"deployment_type": "dev"})},
	} {
		planned, told := test.d.Plan(test.to)
		if strings.Contains(told, "ERROR: ") || !strings.HasPrefix(planned.String(), "[delete create]") {
			t.Errorf("%s: the plan is %s, want a replacement: %s", name, planned, told)
		}
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
