package tracingproject_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	address = "data.agentplane_tracing_project.test"
	// nothing is the UUID of nothing in the workspace.
	nothing = "0d5a1c3e-2b7f-4f0a-9b1e-6c8d2e4f6a80"
)

// projectID is the id of the project with a name.
func projectID(t *testing.T, plane *providertest.Plane, name string) string {
	t.Helper()
	var projects []api.TracingProject
	plane.Call(http.MethodGet, "/api/v1/sessions?name="+name, nil, &projects)
	if len(projects) != 1 {
		t.Fatalf("%d projects are named %q", len(projects), name)
	}
	return projects[0].ID
}

func lookUp(attribute, value string) resource.TestStep {
	return resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/one"),
		ConfigVariables: config.Variables{attribute: config.StringVariable(value)},
	}
}

// TestAccTracingProjectDataSource looks the same project up in every way, and reads every attribute.
func TestAccTracingProjectDataSource(t *testing.T) {
	t.Parallel()
	for name, prefix := range map[string]string{"at the root": "", "behind a prefix": "/api-host"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			plane.Setenv("AGENTPLANE_BASE_URL", plane.URL+prefix)
			deploymentID := plane.Deploy("chat").ID
			plane.Deploy("chat-2")
			id := projectID(t, plane, "chat")
			var steps []resource.TestStep
			for attribute, value := range map[string]string{"id": id, "name": "chat", "deployment_id": deploymentID} {
				step := lookUp(attribute, value)
				var wantDeployment knownvalue.Check = knownvalue.Null()
				if attribute == "deployment_id" {
					wantDeployment = knownvalue.StringExact(deploymentID)
				}
				for attribute, want := range map[string]knownvalue.Check{
					"id": knownvalue.StringExact(id), "name": knownvalue.StringExact("chat"),
					"start_time":    knownvalue.StringRegexp(regexp.MustCompile(`^2026-01-02T03:04:05`)),
					"deployment_id": wantDeployment, "description": knownvalue.Null(), "end_time": knownvalue.Null(), "reference_dataset_id": knownvalue.Null(),
				} {
					step.ConfigStateChecks = append(step.ConfigStateChecks,
						statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), want))
				}
				steps = append(steps, step)
			}
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
		})
	}
}

// TestAccTracingProjectDataSource_refused expects a clear error for everything that leads to no project.
func TestAccTracingProjectDataSource_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	deploymentID := plane.Deploy("chat").ID
	tests := []struct {
		step  resource.TestStep
		want  string
		fault devserver.Fault
	}{
		{step: lookUp("name", "no-such"), want: `No tracing project of this workspace is named "no-such".`},
		{step: lookUp("name", "a&name=chat"), want: `No tracing project of this workspace is named "a&name=chat".`},
		{step: lookUp("name", "cha"), want: `No tracing project of this workspace is named "cha".`},
		{step: lookUp("id", nothing), want: `Session ID ` + nothing + ` not found. Status: 404`},
		{step: lookUp("deployment_id", nothing), want: `Cannot read the deployment of the tracing project`},
		{step: lookUp("deployment_id", nothing), want: `Deployment ID ` + nothing + ` not found.`},
		{
			step: lookUp("deployment_id", deploymentID), want: `No tracing project of this workspace is named "chat".`,
			fault: devserver.Fault{Match: "GET /api/v1/sessions", Status: 404, Detail: "Session not found"},
		},
		{step: lookUp("name", "chat"), want: `Status: 404`, fault: devserver.Fault{Match: "GET /api/v1/sessions", Status: 404, Detail: "Not Found"}},
	}
	steps := make([]resource.TestStep, len(tests))
	for i, test := range tests {
		steps[i] = test.step
		steps[i].ExpectError = providertest.Words(test.want)
		if test.fault.Match != "" {
			steps[i].PreConfig = plane.Arm(test.fault)
		}
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}
