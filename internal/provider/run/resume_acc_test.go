package run_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// interruption is what happens to a request while the user presses Ctrl-C.
type interruption func(w http.ResponseWriter, r *http.Request, pass http.Handler)

var (
	passes = func(w http.ResponseWriter, r *http.Request, pass http.Handler) { pass.ServeHTTP(w, r) }
	// losesReply does the work and hangs up, losesRequest only hangs up.
	losesReply = func(_ http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	// answersTooLate responds after the client has stopped waiting.
	answersTooLate = func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		<-r.Context().Done()
		pass.ServeHTTP(w, r)
	}
	losesRequest = func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }
	isAway       = func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
)

// applier applies the resource as Terraform does, without one: no CLI can be interrupted at a chosen moment.
type applier struct {
	t    *testing.T
	rpc  *providertest.RPC
	kind tftypes.Type
}

func newApplier(t *testing.T, plane *providertest.Plane) *applier {
	t.Helper()
	rpc := plane.RPC()
	return &applier{t, rpc, rpc.Schema.ResourceSchemas["agentplane_llm_run"].ValueType()}
}

func (a *applier) encoded(value tftypes.Value) *tfprotov6.DynamicValue {
	a.t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(a.kind, value)
	if err != nil {
		a.t.Fatal(err)
	}
	return &encoded
}

// apply plans the configuration and applies the plan under ctx. It changes nothing if the plan doesn't.
func (a *applier) apply(ctx context.Context, prior *tfprotov6.DynamicValue, config map[string]any) (*tfprotov6.DynamicValue, []*tfprotov6.Diagnostic) {
	a.t.Helper()
	proposed := prior // Of the same configuration.
	if prior == nil {
		prior, proposed = a.encoded(tftypes.NewValue(a.kind, nil)), a.rpc.Value(config)
	}
	planned, err := a.rpc.Server.PlanResourceChange(a.t.Context(), &tfprotov6.PlanResourceChangeRequest{ //nolint:contextcheck // Only the apply is interrupted.
		TypeName: "agentplane_llm_run", PriorState: prior, ProposedNewState: proposed, Config: a.rpc.Value(config),
	})
	a.rpc.OK(err, planned.Diagnostics)
	if len(planned.RequiresReplace) > 0 {
		a.t.Fatalf("the plan replaces the run for %s", planned.RequiresReplace)
	}
	applied, err := a.rpc.Server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "agentplane_llm_run", PriorState: prior, PlannedState: planned.PlannedState, Config: a.rpc.Value(config),
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return applied.NewState, applied.Diagnostics
}

func (a *applier) refresh(state *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	a.t.Helper()
	read, err := a.rpc.Server.ReadResource(a.t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "agentplane_llm_run", CurrentState: state})
	a.rpc.OK(err, read.Diagnostics)
	return read.NewState
}

// texts are attributes of a state that are texts; null is empty.
func (a *applier) texts(state *tfprotov6.DynamicValue) map[string]string {
	a.t.Helper()
	texts := map[string]string{}
	for name, value := range a.rpc.Attributes(state, a.kind) {
		var text string
		if value.Type().Is(tftypes.String) && value.IsFullyKnown() && !value.IsNull() && value.As(&text) == nil {
			texts[name] = text
		}
		if !value.IsFullyKnown() {
			a.t.Errorf("the state holds an unknown %s", name)
		}
	}
	return texts
}

// TestAccLLMRun_interrupted expects a warning, and of the next apply that it ends with the run logged once.
func TestAccLLMRun_interrupted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		at string
		do interruption
	}{
		"on the wire":               {"POST /api/v1/runs", passes},
		"on the wire, reply lost":   {"POST /api/v1/runs", losesReply},
		"on the wire, all lost":     {"POST /api/v1/runs", losesRequest},
		"at the first look":         {"GET /api/v2/runs/", answersTooLate},
		"while the service is away": {"GET /api/v2/runs/", isAway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if ctx.Err() == nil && strings.HasPrefix(r.Method+" "+r.URL.Path, test.at) {
					cancel()
					test.do(w, r, plane.Service)
					return
				}
				plane.Service.ServeHTTP(w, r)
			}))
			t.Cleanup(between.Close)
			plane.Setenv("AGENTPLANE_BASE_URL", between.URL)
			a := newApplier(t, plane)

			state, diags := a.apply(ctx, nil, smoke(nil))
			told := providertest.Told(diags)
			if len(diags) != 1 || !strings.HasPrefix(told, "WARNING: Stopped waiting for the logged run") || !strings.Contains(told, "The next apply resumes waiting") {
				t.Fatalf("want one warning, got %s", told)
			}
			before := a.texts(state)
			if before["id"] == "" || before["status"] != "" || before["start_time"] == "" {
				t.Errorf("the state is %v", before)
			}
			state, diags = a.apply(t.Context(), a.refresh(state), smoke(nil))
			after := a.texts(state)
			if len(diags) > 0 || after["status"] != "success" || after["total_cost"] != "0.5" || after["project_id"] == "" {
				t.Errorf("the next apply: %s %v", providertest.Told(diags), after)
			}
			if after["id"] != before["id"] || after["start_time"] != before["start_time"] {
				t.Errorf("from %v to %v", before, after)
			}
			if runs := runsOf(plane, "chat"); len(runs) != 1 || runs[0]["id"] != before["id"] {
				t.Errorf("%d runs were logged, want 1: %v", len(runs), runs)
			}
		})
	}
}

// TestAccLLMRun_interruptedBefore logs nothing, so that there is nothing to keep.
func TestAccLLMRun_interruptedBefore(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	a := newApplier(t, plane)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	state, diags := a.apply(ctx, nil, smoke(nil))
	if told := providertest.Told(diags); !strings.HasPrefix(told, "ERROR: Cannot log the run") || !strings.Contains(told, "interrupted") {
		t.Errorf("want an error, got %s", told)
	}
	if value, err := state.Unmarshal(a.kind); err != nil || !value.IsNull() {
		t.Errorf("the state is %v, %v", value, err)
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
