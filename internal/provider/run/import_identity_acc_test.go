package run_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	runType = "agentplane_llm_run"
	// another is the ID of no run.
	another = "0d5a1c3e-2b7f-4f0a-9b1e-6c8d2e4f6a80"
	// locating matches the request that finds the project of a run.
	locating = "GET /api/v1/runs/{run_id}"
)

func importOf(rpc *providertest.RPC, identity map[string]any) *tfprotov6.ImportResourceStateRequest {
	return &tfprotov6.ImportResourceStateRequest{
		TypeName: runType, Identity: &tfprotov6.ResourceIdentityData{IdentityData: rpc.Value(identity)},
	}
}

// TestAccLLMRun_importIdentityRefused says what is wrong with an identity, or why its run can't be found.
func TestAccLLMRun_importIdentityRefused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	_, id := logSmoke(plane)
	for name, test := range map[string]struct {
		identity map[string]any
		want     string
		fault    devserver.Fault
	}{
		"no UUID":        {identity: map[string]any{"id": "smoke"}, want: `id is "smoke", which is not the ID of an object`},
		"empty":          {identity: map[string]any{"id": id, "workspace_id": ""}, want: `workspace_id is "", which is not a UUID`},
		"no such run":    {identity: map[string]any{"id": uuid.NewString()}, want: "Run not found"},
		"refused":        {identity: map[string]any{"id": id}, want: "No access", fault: devserver.Fault{Match: locating, Status: http.StatusForbidden, Detail: "No access"}},
		"of no project":  {identity: map[string]any{"id": id}, want: "no session_id", fault: devserver.Fault{Match: locating, Body: new(`{"id": "` + id + `"}`)}},
		"of another run": {identity: map[string]any{"id": id}, want: "about another run", fault: devserver.Fault{Match: locating, Body: new(`{"id": "` + another + `", "session_id": "` + another + `"}`)}},
		"broken":         {identity: map[string]any{"id": id}, want: "boom", fault: devserver.Fault{Match: locating, Status: http.StatusInternalServerError, Detail: "boom", Times: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			if test.fault.Match != "" {
				plane.Arm(test.fault)()
			}
			rpc := plane.RPC()
			answer, err := rpc.Server.ImportResourceState(t.Context(), importOf(rpc, test.identity))
			if err != nil {
				t.Fatal(err)
			}
			if told := providertest.Told(answer.Diagnostics); !strings.Contains(told, test.want) {
				t.Errorf("diagnostics = %s, want %q", told, test.want)
			}
		})
	}
}

// TestAccLLMRun_importIdentity_next imports by a block with an identity.
func TestAccLLMRun_importIdentity_next(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	projectID, id := logSmoke(plane)
	step := resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/imported_by_identity"),
		ConfigVariables: config.Variables{"project_id": config.StringVariable(projectID), "id": config.StringVariable(id)},
	}
	step.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{planned(plancheck.ResourceActionUpdate)}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_12_0)),
		Steps:                    []resource.TestStep{step},
	})
	if runs := runsOf(plane, "chat"); len(runs) != 1 {
		t.Errorf("%d runs were logged, want 1", len(runs))
	}
}
