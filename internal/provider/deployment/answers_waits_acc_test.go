package deployment_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const llmRun = "agentplane_llm_run"

func llmRunConfig(*providertest.Plane) map[string]any {
	return map[string]any{"project_name": "chat", "inputs_json": `{"prompt": "Hi"}`, "outputs_json": `{"text": "Hello"}`}
}

// waitOperations are requests during operations that continue after their write.
var waitOperations = map[string]operation{
	"poll revision once": once(resourceOperation(driven, "create once", "", polling, driverConfig, nil)),
	"poll revision":      resourceOperation(driven, "create waited", `eployment "tf-acc-driven"`, polling, driverConfig, nil),
	"poll newer revision": resourceOperation(driven, "update waited", `eployment "tf-acc-driven"`, polling, driverConfig,
		map[string]any{"source_revision_config": image("2.0.0")}),
	"read log of failed revision": failing(resourceOperation(driven, "create told waited", `Rollout of deployment "tf-acc-driven" failed`,
		polling+"/logs", driverConfig, nil)),
	"log run":                    resourceOperation(llmRun, "create once", "", "POST /api/v1/runs", llmRunConfig, nil),
	"find project of logged run": resourceOperation(llmRun, "create seen", "", "GET /api/v1/sessions", llmRunConfig, nil),
	"see logged run":             resourceOperation(llmRun, "create seen", "", "GET /api/v2/runs/*", llmRunConfig, nil),
	"link logged run":            resourceOperation(llmRun, "create linked", "", "GET /api/v2/runs/*/url", llmRunConfig, nil),
	"read logged run":            resourceOperation(llmRun, "read", "Cannot read the run", "GET /api/v2/runs/*", llmRunConfig, nil),
}

// once makes one response wrong, and those after it right.
func once(op operation) operation {
	op.times = 1
	return op
}

// failing makes the rollout fail.
func failing(op operation) operation {
	prepare := op.prepare
	op.prepare = func(t *testing.T, plane *providertest.Plane, g *gate) func(*testing.T, func()) observed {
		t.Helper()
		do := prepare(t, plane, g)
		plane.Arm(rolloutFault(api.RevisionDeploying, "It doesn't start."))()
		return do
	}
	return op
}
