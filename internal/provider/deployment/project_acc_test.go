package deployment_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

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
				if refused := strings.Contains(told(diags), `tracing project "tf-acc-driven" also reserves the name, even if left by a deleted deployment`); refused != (test.stays && dialect.ProjectsBlockNames) {
					t.Errorf("creating again: diagnostics = %s, want it refused because of the project: %t", told(diags), !refused)
				}
			})
		})
	}
}

// TestDialect_nameReserved plans deployments whose name the tracing project of a deleted deployment has.
func TestDialect_nameReserved(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		const left = "tf-acc-left"
		named := func(name string) map[string]any {
			return imageConfig(plane, map[string]any{"name": name, "delete_tracing_project": nil})
		}
		d := drive(t, plane)
		old := d.made(kept{}, named(left))
		running := d.made(kept{}, named("tf-acc-running"))
		if old, diags := d.apply(t.Context(), old, nil); hasError(diags) || !old.state.IsNull() {
			t.Fatalf("destroying: diagnostics = %s", told(diags))
		}
		plane.Clock.Advance(providertest.Rollout)
		for name, test := range map[string]struct {
			prior   kept
			name    string
			fault   int64 // The status of the look-up.
			fails   bool
			summary string
			says    []string
		}{
			"new":                {kept{}, left, 0, false, "Name is reserved", []string{`tracing project "tf-acc-left"`, "delete it in the service", "choose another name"}},
			"new, free":          {kept{}, "tf-acc-free", 0, false, "", nil},
			"new, not known":     {kept{}, left, http.StatusForbidden, false, "Not checked against the service", nil},
			"renamed":            {running, left, 0, true, "Name is reserved", []string{`"tf-acc-running" would be renamed to "tf-acc-left"`, "delete it in the service"}},
			"renamed, free":      {running, "tf-acc-free", 0, false, "", nil},
			"renamed, not known": {running, left, http.StatusForbidden, true, "Replacement can't be checked", nil},
			"unchanged":          {running, "tf-acc-running", 0, false, "", nil},
			"unchanged, no look": {running, "tf-acc-running", http.StatusForbidden, false, "", nil},
		} {
			d := drive(t, plane)
			if test.fault != 0 {
				plane.Arm(devserver.Fault{Match: "GET /api/v1/sessions", Status: test.fault, Detail: "Not yours", Times: 9})()
			}
			_, diags := d.plan(test.prior, named(test.name))
			plane.Call(http.MethodDelete, "/dev/faults", nil, nil)
			diags = slices.DeleteFunc(diags, func(d *tfprotov6.Diagnostic) bool {
				return d.Attribute.String() != `AttributeName("name")` ||
					strings.HasPrefix(d.Summary, "Replacement ") && d.Severity == tfprotov6.DiagnosticSeverityWarning
			})
			if !dialect.ProjectsBlockNames || test.summary == "" {
				if len(diags) > 0 {
					t.Errorf("%s: diagnostics = %s, want none", name, told(diags))
				}
				continue
			}
			if len(diags) != 1 || diags[0].Summary != test.summary || hasError(diags) != test.fails {
				t.Errorf("%s: diagnostics = %s, want %q, an error: %t", name, told(diags), test.summary, test.fails)
				continue
			}
			for _, text := range test.says {
				if !strings.Contains(diags[0].Detail, text) {
					t.Errorf("%s: %s, want %q", name, diags[0].Detail, text)
				}
			}
		}
		keeping := named("tf-acc-running")
		keeping["source_config"] = map[string]any{"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.OtherK8sNamespace}}
		_, diags := drive(t, plane).plan(running, keeping)
		if blocked := strings.Contains(told(diags), "Replacement is not possible"); blocked != dialect.ProjectsBlockNames {
			t.Errorf("replacing under the same name: diagnostics = %s, want it refused: %t", told(diags), dialect.ProjectsBlockNames)
		}
		plane.Arm(devserver.Fault{Match: "GET /api/v1/sessions", Status: http.StatusForbidden, Detail: "Not yours", Times: 9})()
		d = drive(t, plane)
		if gone, diags := d.apply(t.Context(), running, nil); hasError(diags) || !gone.state.IsNull() {
			t.Errorf("destroying without a look-up: diagnostics = %s", told(diags))
		}
	})
}

// TestDialect_manyNames plans more new deployments than a plan looks up tracing projects for. That of a deployment that the refresh of the
// plan has removed is looked up all the same.
func TestDialect_manyNames(t *testing.T) {
	forEachDialect(t, func(t *testing.T, plane *providertest.Plane, dialect *api.Dialect) {
		const left = "tf-acc-left"
		named := func(name string) map[string]any {
			return imageConfig(plane, map[string]any{"name": name, "delete_tracing_project": nil})
		}
		s := spyOn(t, plane, nil)
		d := drive(t, plane)
		gone := d.made(kept{}, named(left))
		plane.Call(http.MethodDelete, "/v2/deployments/"+gone.text("id"), nil, nil)
		plane.Clock.Advance(providertest.Rollout)
		gone, diags := d.refresh(gone)
		if hasError(diags) || !gone.state.IsNull() {
			t.Fatalf("refreshing: diagnostics = %s, state = %s; want no state", told(diags), gone.state)
		}
		s.forget()
		const many = 100
		for i := range many {
			d.plan(kept{}, named(fmt.Sprintf("tf-acc-new-%d", i)))
			d.used = false // All belong to one plan.
		}
		if got := len(s.carrying("/api/v1/sessions")); (got > 0) != dialect.ProjectsBlockNames || got > 10 {
			t.Errorf("%d tracing projects were looked up for %d new names, want at most 10, and only where they reserve names", got, many)
		}
		_, diags = d.plan(gone, named(left))
		if said := strings.Contains(told(diags), `tracing project "tf-acc-left"`); said != dialect.ProjectsBlockNames {
			t.Errorf("creating what is gone: diagnostics = %s, want a warning of its tracing project: %t", told(diags), dialect.ProjectsBlockNames)
		}
	})
}

// activate deploys a second revision, which becomes active.
func activate(plane *providertest.Plane) {
	supersede(plane)
	plane.Clock.Advance(providertest.Rollout)
}
