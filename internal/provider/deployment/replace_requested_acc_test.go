package deployment_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccReplace_requested asks for replacements that no attribute requires. Terraform then plans an update, and after it a creation without
// the state, which has to know that the deployment is protected, or that its tracing project stays and reserves the name.
func TestAccReplace_requested(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		d := plane.Drive(t, driven)
		with := func(protected, frees bool, tag string) map[string]any {
			config := imageConfig(plane, map[string]any{"deletion_protection": protected, "source_revision_config": image(tag), "delete_tracing_project": nil})
			if frees {
				config["delete_tracing_project"] = dialect.ProjectsBlockNames
			}
			return config
		}
		expect := func(config map[string]any, refusal string) {
			t.Helper()
			if _, said := d.Replace(config); strings.Contains(said, "ERROR: ") != (refusal != "") || !strings.Contains(said, refusal) {
				t.Errorf("the plan says %s, want the refusal %q", said, refusal)
			}
		}
		const protected = `Deployment "tf-acc-driven" would be replaced`
		d.Make(with(true, true, "1.0.0"))
		expect(with(true, true, "1.0.0"), protected)
		expect(with(true, true, "2.0.0"), protected)
		expect(with(false, true, "1.0.0"), protected) // Only once it is applied.
		healthy := d.State
		d.State = healthy.Taint()
		planned, _ := d.Plan(with(true, true, "1.0.0"))
		if said := d.Apply(planned); !strings.Contains(said, "ERROR: ") || !strings.Contains(said, "run `terraform untaint` with its address first") {
			t.Errorf("the apply says %s, want it to refuse the destruction of what is tainted", said)
		}
		d.State = healthy
		d.Make(with(false, true, "1.0.0"))
		expect(with(false, true, "1.0.0"), "")
		if dialect.ProjectsBlockNames {
			const reserved = "its tracing project is kept and reserves the name"
			d.Make(with(false, false, "1.0.0"))
			expect(with(false, false, "1.0.0"), reserved)
			expect(with(false, true, "1.0.0"), reserved) // Only once it is applied.
			d.Make(with(false, true, "1.0.0"))
		}
		planned, said := d.Replace(with(false, true, "1.0.0"))
		id := d.Text("id")
		if said += d.Apply(planned); strings.Contains(said, "ERROR: ") || d.Text("id") == id {
			t.Errorf("the deployment is still %s, want it replaced: %s", id, said)
		}
	})
}

// TestAccReplace_record expects refreshes of an unchanged deployment to leave the private data as they are: only then are they answered
// without the framework. A plan adds the record, which an update and a refresh remove.
func TestAccReplace_record(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := drive(t, plane)
	now := kept{}
	for _, protected := range []bool{true, false} {
		config := imageConfig(plane, map[string]any{"deletion_protection": protected})
		now = d.made(now, config)
		read := d.refreshed(now)
		planned, diags := d.plan(read, config)
		if !bytes.Equal(read.private, now.private) || bytes.Contains(now.private, []byte(`"replaceable"`)) ||
			!bytes.Contains(planned.private, []byte(`"replaceable"`)) || len(diags) > 0 {
			t.Errorf("private data = %s after the apply, %s after a refresh and %s after a plan, want a record only after the plan: %s", now.private,
				read.private, planned.private, told(diags))
		}
		read.private = planned.private // As in states of the versions before.
		if read = d.refreshed(read); !bytes.Equal(read.private, now.private) {
			t.Errorf("private data = %s after a refresh, want the record to be removed from %s", read.private, planned.private)
		}
		read.private = nil // As before the refresh of an import.
		now = d.refreshed(read)
	}
}

// TestAccReplace_triggered does the same with replace_triggered_by. With create_before_destroy, the name is still taken when the new
// deployment is created: the apply ends with the reason, and nothing is destroyed.
func TestAccReplace_triggered(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	variables := func(generation string, protected bool) config.Variables {
		v := config.Variables{"generation": config.StringVariable(generation), "deletion_protection": config.BoolVariable(protected)}
		if plane.Dialect().ProjectsBlockNames {
			v["delete_tracing_project"] = config.BoolVariable(true)
		}
		return v
	}
	protected := step(plane, "replace_lifecycle", variables("2", true))
	protected.ExpectError = words(`Deployment "tf-acc-lifecycle" would be replaced`)
	taken := step(plane, "replace_lifecycle", variables("2", false))
	taken.ExpectError = words(`Cannot create deployment "tf-acc-lifecycle".*remove create_before_destroy from a replacement`)
	var id string
	again := step(plane, "replace_lifecycle", variables("2", false))
	again.PlanOnly = true // The failed apply has used up the request.
	again.PreConfig = func() {
		if left := only(plane); left.ID != id || len(plane.Requests(http.MethodDelete, "/v2/deployments/*")) > 0 {
			t.Errorf("deployment %s is left after deletions, want %s and none", left.ID, id)
		}
	}
	create := step(plane, "replace_lifecycle", variables("1", true))
	create.Check = remember(&id)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
		Steps: []resource.TestStep{create, protected, step(plane, "replace_lifecycle", variables("1", false)), taken, again},
	})
}
