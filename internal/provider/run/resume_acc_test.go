package run_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

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
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	plane.Interrupt("GET /api/v2/runs/*", func(http.ResponseWriter, *http.Request, http.Handler) {
		cancel()
		panic(http.ErrAbortHandler)
	})(1)
	_, diags := plane.RPC().Invoke(ctx, logAction, smoke(nil), nil)
	if told := providertest.Told(diags); !strings.HasPrefix(told, "WARNING: Stopped waiting") || !strings.Contains(told, "Check the tracing project") {
		t.Errorf("diagnostics %s", told)
	}
}
