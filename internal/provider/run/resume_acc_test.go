package run_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccLLMRun_interruptedBefore logs nothing, so that there is nothing to keep.
func TestAccLLMRun_interruptedBefore(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := plane.Drive(t, runType)
	planned, _ := d.Plan(smoke(nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if told := d.Interrupted(ctx, planned); !strings.HasPrefix(told, "ERROR: Cannot log the run") || !strings.Contains(told, "interrupted") {
		t.Errorf("want an error, got %s", told)
	}
	if d.State.Exists() {
		t.Errorf("the state is %v", d.State.Attributes())
	}
	if runs := runsOf(plane, "chat"); len(runs) > 0 {
		t.Errorf("%d runs were logged", len(runs))
	}
}

// TestAccLogLLMRun_interrupted expects a warning too: whether the run was stored is unknown.
func TestAccLogLLMRun_interrupted(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	plane.Arm(devserver.Fault{Match: "GET /api/v2/runs/{run_id}", LatencyMS: 60_000})() // Until the client gives up.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, diags := plane.RPC().Invoke(ctx, logAction, smoke(nil), func(message string) {
		if strings.Contains(message, "was logged") {
			cancel()
		}
	})
	if told := providertest.Told(diags); !strings.HasPrefix(told, "WARNING: Stopped waiting") || !strings.Contains(told, "Check the tracing project") {
		t.Errorf("diagnostics %s", told)
	}
}
