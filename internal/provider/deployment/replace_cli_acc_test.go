package deployment_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccReplace_cli asks for replacements that no attribute requires. Terraform then plans an update, and after it a creation without
// the state, which has to know that the deployment is protected.
func TestAccReplace_cli(t *testing.T) {
	t.Parallel()
	c := newCLI(t, buildProvider(t))
	if c.plane.Dialect().ProjectsBlockNames { // It would block the name.
		c.env = append(c.env, "TF_VAR_delete_tracing_project=true")
	}
	set := func(protection string) { c.env = append(c.env, "TF_VAR_deletion_protection="+protection) }
	const refused = `Deployment "tf-acc-fail-cli" would be replaced`
	plan, replacing := []string{"plan", "-detailed-exitcode"}, []string{"plan", "-replace=" + address}

	set("true")
	c.endAt(1, polling)
	c.expect(true, "1 added", nil, "apply", "-auto-approve")
	c.expect(true, "No changes.", nil, plan...)
	c.expect(false, refused, nil, replacing...)
	c.expect(false, refused, nil, append(replacing, "-var", "image_uri=registry.example.com/agents/chat:2.0.0")...)
	set("false")
	c.expect(false, refused, nil, replacing...) // Only once it is applied.
	set("true")

	// The private data in a state of the versions before say of another deployment that it isn't protected.
	c.recordBefore()
	c.expect(true, "No changes.", nil, plan...)
	c.expect(false, refused, nil, replacing...)
	c.expect(false, refused, nil, append(replacing, "-refresh=false")...)

	set("false")
	c.expect(true, "1 changed", nil, "apply", "-auto-approve")
	c.expect(true, "will be replaced, as requested", nil, replacing...)
	set("true")
	c.expect(true, "1 changed", nil, "apply", "-auto-approve")
	c.expect(false, refused, nil, append(replacing, "-refresh=false")...)
	set("false")
	c.expect(true, "1 changed", nil, "apply", "-auto-approve")
	if err := c.gate.counted(deletion, 0)(nil); err != nil {
		t.Error(err)
	}
	c.gate.when(deletion, 1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(w, r)
		c.plane.Clock.Advance(providertest.Rollout)
	})
	c.gate.after(0, polling, -1, meanwhile(func() { c.plane.Clock.Advance(providertest.Rollout) }))
	c.expect(true, "1 added, 0 changed, 1 destroyed", nil, "apply", "-auto-approve", "-replace="+address)
	c.expect(true, "No changes.", nil, plan...)
}

// recordBefore makes the state file one of the versions before, whose private data had the record of a plan.
func (c *cli) recordBefore() {
	c.t.Helper()
	file := filepath.Join(c.directory, "terraform.tfstate")
	_, content := c.instances()
	var state map[string]any
	if err := json.Unmarshal([]byte(content), &state); err != nil {
		c.t.Fatal(err)
	}
	for _, r := range state["resources"].([]any) {
		instance := r.(map[string]any)["instances"].([]any)[0].(map[string]any)
		var private map[string][]byte
		encoded, _ := json.Marshal(instance["private"])
		var decoded []byte
		if err := json.Unmarshal(encoded, &decoded); err != nil {
			c.t.Fatal(err)
		}
		if err := json.Unmarshal(decoded, &private); err != nil {
			c.t.Fatal(err)
		}
		if private["replaceable"] != nil {
			c.t.Fatalf("the private data have a record: %s", decoded)
		}
		private["replaceable"] = []byte(`{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","deletes_project":true}`)
		more, err := json.Marshal(private)
		if err != nil {
			c.t.Fatal(err)
		}
		instance["private"] = more
	}
	changed, err := json.Marshal(state)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(file, changed, 0o600); err != nil {
		c.t.Fatal(err)
	}
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

// TestAccReplace_blocked asks for the replacement of a deployment whose tracing project stays. It is refused only where that reserves
// the name.
func TestAccReplace_blocked(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		c := newCLI(t, buildProvider(t))
		c.endAt(1, polling)
		c.expect(true, "1 added", nil, "apply", "-auto-approve")
		const refused = "its tracing project is kept and reserves the name"
		replacing := []string{"plan", "-replace=" + address}
		if !c.plane.Dialect().ProjectsBlockNames {
			c.expect(true, "will be replaced, as requested", nil, replacing...)
			return
		}
		c.expect(false, refused, nil, replacing...)
		c.env = append(c.env, "TF_VAR_delete_tracing_project=true")
		c.expect(false, refused, nil, replacing...) // Only once it is applied.
		c.expect(true, "1 changed", nil, "apply", "-auto-approve")
		c.expect(true, "will be replaced, as requested", nil, replacing...)
	})
}
