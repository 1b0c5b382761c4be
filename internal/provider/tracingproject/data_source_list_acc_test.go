package tracingproject_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// projects is a step that lists those whose name contains a text; all, if it is empty.
func projects(nameContains string, want knownvalue.Check) resource.TestStep {
	step := resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/all"),
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue("data.agentplane_tracing_projects.test", tfjsonpath.New("tracing_projects"), want),
		},
	}
	if nameContains != "" {
		step.ConfigVariables = config.Variables{"name_contains": config.StringVariable(nameContains)}
	}
	return step
}

// TestAccTracingProjectsDataSource reads every attribute of the projects that match.
func TestAccTracingProjectsDataSource(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	plane.Deploy("chat")
	plane.Call(http.MethodPost, "/api/v1/sessions", map[string]any{
		"name": "cats & dogs", "description": "Pets", "reference_dataset_id": nothing, "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-02T00:00:00Z",
	}, nil)
	project := func(name string, start, end, description, dataset knownvalue.Check) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"id": knownvalue.StringExact(projectID(t, plane, url.QueryEscape(name))), "name": knownvalue.StringExact(name), "start_time": start,
			"end_time": end, "description": description, "reference_dataset_id": dataset,
		})
	}
	null, exact := knownvalue.Null(), knownvalue.StringExact
	chat := project("chat", knownvalue.NotNull(), null, null, null)
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		projects("chat", knownvalue.ListExact([]knownvalue.Check{chat})),
		projects("& d", knownvalue.ListExact([]knownvalue.Check{
			project("cats & dogs", exact("2026-01-01T00:00:00.000000Z"), exact("2026-01-02T00:00:00.000000Z"), exact("Pets"), exact(nothing)),
		})),
		projects("no such", knownvalue.ListExact(nil)),
	}})
}
