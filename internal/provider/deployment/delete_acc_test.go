package deployment_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// deleteByOther deletes the only deployment as another user would.
func deleteByOther(plane *providertest.Plane) {
	plane.Call(http.MethodDelete, "/v2/deployments/"+only(plane).ID+"?delete_tracing_project=true", nil, nil)
}

// TestAccDelete_midCreate deletes a deployment while the provider waits for its first revision: nothing is stored, so nothing is tainted,
// and the next apply creates it.
func TestAccDelete_midCreate(t *testing.T) {
	t.Parallel()
	for name, happen := range map[string]func(*gate, func(*providertest.Plane)){
		"at the last moment": func(g *gate, gone func(*providertest.Plane)) { g.when(reading, 1, meanwhile(func() { gone(g.plane) })) },
		"purged between two polls": func(g *gate, gone func(*providertest.Plane)) {
			g.after(10, polling, 1, meanwhile(func() { gone(g.plane); g.plane.Clock.Advance(providertest.Rollout) }))
		},
	} {
		for _, keep := range []string{"taint", "keep"} {
			t.Run(name+", "+keep, func(t *testing.T) {
				t.Parallel()
				plane := providertest.NewDev(t)
				g := gateTo(t, plane)
				d := drive(t, plane)
				happen(g, deleteByOther)
				config := imageConfig(plane, map[string]any{"on_failed_create": keep})
				now, diags := d.apply(t.Context(), kept{}, config)
				if name == "at the last moment" { // The deletion has only begun.
					expectKept(t, now, diags, "is being deleted")
					return
				}
				if !hasError(diags) || !strings.Contains(told(diags), `Deployment "tf-acc-driven" was deleted`) || !now.state.IsNull() {
					t.Errorf("diagnostics = %s, state = %s; want an error and no state", told(diags), now.state)
				}
				plane.Clock.Advance(10 * time.Minute)
				d.settled(d.made(kept{}, config), config)
			})
		}
	}
}

// TestAccDelete_midUpdate deletes a deployment while the provider waits for a later revision: the next plan creates it again.
func TestAccDelete_midUpdate(t *testing.T) {
	t.Parallel()
	for name, arm := range map[string]func(*gate, func()){
		"before the change": func(g *gate, f func()) { g.when(changing, 1, meanwhile(f)) },
		"gone before the change": func(g *gate, f func()) {
			g.when(changing, 1, meanwhile(func() { f(); g.plane.Clock.Advance(providertest.Rollout) }))
		},
		"at the first poll":       func(g *gate, f func()) { g.when(polling, 1, meanwhile(f)) },
		"before it is read back":  func(g *gate, f func()) { g.after(1, reading, 1, meanwhile(f)) },
		"while it was superseded": func(g *gate, f func()) { g.after(3, polling, 1, meanwhile(func() { supersede(g.plane); f() })) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			g := gateTo(t, plane)
			d := drive(t, plane)
			before := d.refreshed(d.made(kept{}, imageConfig(plane, nil)))
			arm(g, func() { deleteByOther(plane) })
			config := imageConfig(plane, map[string]any{"source_revision_config": image("2.0.0")})
			now, diags := d.apply(t.Context(), before, config)
			if !hasError(diags) || now.state.IsNull() || !now.state.IsFullyKnown() {
				t.Errorf("diagnostics = %s, state = %s; want an error and a known state", told(diags), now.state)
			}
			if strings.Contains(name, "change") != strings.Contains(told(diags), "Cannot update") ||
				!strings.Contains(name, "change") && !strings.Contains(told(diags), `eployment "tf-acc-driven" was deleted`) && !strings.Contains(told(diags), "is being deleted") {
				t.Errorf("diagnostics = %s, want a failed update or a deletion during the rollout", told(diags))
			}
			now, diags = d.refresh(now)
			if hasError(diags) || len(diags) != 1 || !now.state.IsNull() {
				t.Errorf("diagnostics = %s, state = %s; want it removed with a warning", told(diags), now.state)
			}
			if created := d.made(kept{}, config); created.text("latest_revision_status") != "DEPLOYED" {
				t.Errorf("state after the next apply = %s, want it DEPLOYED", created.state)
			}
		})
	}
}

// supersede deploys a newer revision.
func supersede(plane *providertest.Plane) {
	plane.Call(http.MethodPatch, "/v2/deployments/"+only(plane).ID, map[string]any{"source_revision_config": image("3.0.0")}, nil)
}

// TestAccDelete_nameTaken creates another deployment with the name between plan and apply: the error says how to import it.
func TestAccDelete_nameTaken(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	g.when(creation, 1, meanwhile(func() {
		makeDeployment(plane, "tf-acc-driven", map[string]any{"resource_spec": map[string]any{"cpu": 3}}, []map[string]string{{"name": "OTHER", "value": "1"}})
	}))
	now, diags := d.apply(t.Context(), kept{}, imageConfig(plane, nil))
	block := fmt.Sprintf("\n    import {\n      to = ADDRESS\n      id = %q\n    }\n", only(plane).ID)
	for _, want := range []string{"A deployment named 'tf-acc-driven' already exists.", "Status: 409", block, "create_before_destroy"} {
		if !strings.Contains(told(diags), want) {
			t.Errorf("diagnostics = %[2]s, want %[1]q", want, told(diags))
		}
	}
	if !now.state.IsNull() || g.count(creation) > 20 {
		t.Errorf("state = %s after %d requests, want none after at most 20", now.state, g.count(creation))
	}
}
