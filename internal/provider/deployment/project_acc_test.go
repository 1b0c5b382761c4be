package deployment_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestDialect_neverServed destroys a deployment whose first rollout failed, without delete_tracing_project. Its project is deleted
// with it, so that the name is available, unless the project contains anything, or the deployment has become active meanwhile.
func TestDialect_neverServed(t *testing.T) {
	traced := func(started string) func(*providertest.Plane) {
		return func(plane *providertest.Plane) {
			plane.Call(http.MethodPost, "/api/v1/runs", map[string]any{
				"id": "0192f0c1-7a3b-7000-8000-000000000001", "trace_id": "0192f0c1-7a3b-7000-8000-000000000001", "name": "chat",
				"dotted_order": started + "0192f0c1-7a3b-7000-8000-000000000001", "run_type": "chain", "session_name": "tf-acc-driven",
				"start_time": started[:4] + "-" + started[4:6] + "-" + started[6:11] + ":" + started[11:13] + ":" + started[13:15] + "Z", "inputs": map[string]any{},
			}, nil)
		}
	}
	for name, test := range map[string]struct {
		fault devserver.Fault
		// meanwhile happens between the failed creation and the destruction.
		meanwhile func(*providertest.Plane)
		stays     bool
		warns     string
	}{
		"nothing was logged": {fault: rolloutFault(api.RevisionDeploying, "out of memory")},
		"a run was logged":   {fault: rolloutFault(api.RevisionDeploying, "out of memory"), meanwhile: traced("20261122T100000000000Z"), stays: true},
		"long ago":           {fault: rolloutFault(api.RevisionDeploying, "out of memory"), meanwhile: traced("20200101T100000000000Z"), stays: true},
		"not known": {
			fault: rolloutFault(api.RevisionDeploying, "out of memory"),
			meanwhile: func(plane *providertest.Plane) {
				plane.Arm(devserver.Fault{Match: "POST /api/v2/runs/query", Status: http.StatusForbidden, Detail: "Not yours"})()
			},
			stays: true, warns: "Tracing project is kept",
		},
		"it has become active": {
			fault:     devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Status: api.RevisionDeploying, Stall: true}},
			meanwhile: func(plane *providertest.Plane) { activate(plane) },
			stays:     true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
				d := drive(t, plane)
				plane.Arm(test.fault)()
				config := imageConfig(plane, map[string]any{"delete_tracing_project": nil})
				now, diags := d.apply(t.Context(), kept{}, config)
				if !hasError(diags) {
					t.Fatalf("diagnostics of the creation = %s, want an error", told(diags))
				}
				if test.meanwhile != nil {
					test.meanwhile(plane)
				}
				now, diags = d.apply(t.Context(), now, nil)
				if warns := dialect.ProjectsBlockNames && test.warns != ""; hasError(diags) || !now.state.IsNull() || (len(diags) == 1) != warns ||
					warns && !strings.Contains(told(diags), test.warns) {
					t.Fatalf("destroying: diagnostics = %s, state = %s; want no state, and a warning: %t", told(diags), now.state, warns)
				}
				_, diags = d.apply(t.Context(), kept{}, config)
				if refused := strings.Contains(told(diags), `tracing project "tf-acc-driven" also reserves the name`); refused != (test.stays && dialect.ProjectsBlockNames) {
					t.Errorf("creating again: diagnostics = %s, want it refused because of the project: %t", told(diags), !refused)
				}
			})
		})
	}
}

// activate deploys a second revision, which becomes active.
func activate(plane *providertest.Plane) {
	supersede(plane)
	plane.Clock.Advance(providertest.Rollout)
}
