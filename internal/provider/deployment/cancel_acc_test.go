package deployment_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// cancelled is a point in time at which the user presses Ctrl-C.
type cancelled struct {
	name string
	// pattern is the request during which it happens; empty for before the first one.
	pattern string
	skip    int
	do      func(happen func()) action
	// fails means that nothing was written, which is an error: a warning would need a new state.
	fails bool
	says  string
}

// TestAccCancel_create expects a warning and a complete state, so that the next apply only waits.
func TestAccCancel_create(t *testing.T) {
	t.Parallel()
	for _, moment := range []cancelled{
		{name: "before the request", fails: true, says: "interrupted"},
		{name: "on the wire", pattern: creation, do: meanwhile, says: "Stopped waiting"},
		{name: "on the wire, reply lost", pattern: creation, do: meanwhileLost, says: "Stopped waiting"},
		{name: "at the first poll", pattern: polling, do: meanwhileLost, says: "last status: not known"}, // A response could arrive before the cancellation.
		{name: "at a later poll", pattern: polling, skip: 20, do: meanwhile, says: "Stopped waiting"},
		{name: "at the final read", pattern: reading, do: meanwhileLost, says: "Deployment not read back"}, // As above.
	} {
		t.Run(moment.name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, unlagged)
			g := gateTo(t, plane)
			d := drive(t, plane)
			config := imageConfig(plane, nil)
			now, diags := moment.interrupt(t, g, func(ctx context.Context) (kept, []*tfprotov6.Diagnostic) {
				return d.apply(ctx, kept{}, config)
			})
			if moment.fails {
				if !hasError(diags) || !now.state.IsNull() || g.count(creation) > 0 {
					t.Errorf("diagnostics = %s, state = %s; want an error, no state and no request", told(diags), now.state)
				}
				return
			}
			expectKept(t, now, diags, moment.says)
			if id := only(plane).ID; now.text("id") != id {
				t.Errorf("id in state = %q, want %q", now.text("id"), id)
			}
			d.resumes(g, now, config, 1, 0)
		})
	}
}

// TestAccCancel_createUnknown loses the reply, and can't look up whether the request was processed: the error says so, with the next step.
func TestAccCancel_createUnknown(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	g := gateTo(t, plane)
	d := drive(t, plane)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g.when(creation, 1, meanwhileLost(func() {
		g.when(listing, -1, answered(418, `{"detail": "Odd."}`))
		cancel()
	}))
	now, diags := d.apply(ctx, kept{}, imageConfig(plane, nil))
	for _, want := range []string{`whether deployment "tf-acc-driven" was created is unknown`, "Odd.", "import the deployment that has it"} {
		if !strings.Contains(told(diags), want) {
			t.Errorf("diagnostics = %[2]s, want %[1]q", want, told(diags))
		}
	}
	if !hasError(diags) || !now.state.IsNull() || g.count(creation) != 1 {
		t.Errorf("state = %s after %d requests, want an error, no state and one request", now.state, g.count(creation))
	}
}

// TestAccCancel_update expects the same from an update. The old state is kept until the change is confirmed.
func TestAccCancel_update(t *testing.T) {
	t.Parallel()
	for _, moment := range []cancelled{
		{name: "before the request", fails: true, says: "interrupted"},
		{name: "on the wire", pattern: changing, do: meanwhile, says: "Stopped waiting"},
		{name: "on the wire, reply lost", pattern: changing, do: meanwhileLost, says: "Stopped waiting"},
		{name: "at the first poll", pattern: polling, do: meanwhileLost, says: "last status: QUEUED"}, // The proof of the change has shown it.
		{name: "at a later poll", pattern: polling, skip: 20, do: meanwhile, says: "Stopped waiting"},
		{name: "at the final read", pattern: reading, skip: 2, do: meanwhileLost, says: "Deployment not read back"}, // A response could arrive before the cancellation.
	} {
		t.Run(moment.name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, unlagged)
			g := gateTo(t, plane)
			d := drive(t, plane)
			before := d.refreshed(d.made(kept{}, imageConfig(plane, nil)))
			config := imageConfig(plane, map[string]any{
				"source_revision_config": image("2.0.0"), "environment": map[string]string{"LOG_LEVEL": "info"},
			})
			g.reset()
			now, diags := moment.interrupt(t, g, func(ctx context.Context) (kept, []*tfprotov6.Diagnostic) {
				return d.apply(ctx, before, config)
			})
			if moment.fails {
				if !hasError(diags) || !now.state.Equal(before.state) || !bytes.Equal(now.private, before.private) {
					t.Errorf("diagnostics = %s, state = %s; want an error and the old state", told(diags), now.state)
				}
			} else {
				expectKept(t, now, diags, moment.says)
			}
			d.resumes(g, now, config, 0, 1)
		})
	}
}

// TestAccCancel_delete expects an error, because the deployment still exists, and that the next plan shows its status.
func TestAccCancel_delete(t *testing.T) {
	t.Parallel()
	for _, moment := range []cancelled{
		{name: "before the request", fails: true, says: "run destroy again"},
		{name: "on the wire", pattern: deletion, do: meanwhile, says: "run destroy again"},
		{name: "while it takes its time", pattern: reading, skip: 2, do: meanwhile, says: "The deletion was accepted and continues; run destroy again"},
	} {
		t.Run(moment.name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, unlagged)
			g := gateTo(t, plane)
			d := drive(t, plane)
			before := d.made(kept{}, imageConfig(plane, nil))
			g.reset()
			now, diags := moment.interrupt(t, g, func(ctx context.Context) (kept, []*tfprotov6.Diagnostic) {
				return d.apply(ctx, before, nil)
			})
			if !hasError(diags) || !now.state.Equal(before.state) || !strings.Contains(told(diags), "Cannot delete") || !strings.Contains(told(diags), moment.says) {
				t.Fatalf("diagnostics = %s, state = %s; want an error and the old state", told(diags), now.state)
			}
			now, diags = d.refresh(now)
			if gone := !moment.fails; now.state.IsNull() != gone || hasError(diags) {
				t.Errorf("want it removed: %t; diagnostics = %s, state = %s", gone, told(diags), now.state)
			}
		})
	}
}

// interrupt runs an operation and cancels it at the given point.
func (c cancelled) interrupt(t *testing.T, g *gate, run func(context.Context) (kept, []*tfprotov6.Diagnostic)) (kept, []*tfprotov6.Diagnostic) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if c.pattern == "" {
		cancel()
	} else {
		g.after(c.skip, c.pattern, 1, c.do(cancel))
	}
	now, diags := run(ctx)
	g.serving.Wait() // The provider left a request behind.
	if ctx.Err() == nil {
		t.Fatal("the request at which to cancel was never sent")
	}
	if !strings.Contains(told(diags), c.says) {
		t.Errorf("diagnostics = %[2]s, want %[1]q", c.says, told(diags))
	}
	return now, diags
}

// expectKept expects no error, at least one warning, and a complete state.
func expectKept(t *testing.T, now kept, diags []*tfprotov6.Diagnostic, says string) {
	t.Helper()
	if hasError(diags) || len(diags) == 0 || !strings.Contains(told(diags), says) {
		t.Errorf("diagnostics = %[2]s, want a warning with %[1]q", says, told(diags))
	}
	if now.state.IsNull() || !now.state.IsFullyKnown() {
		t.Errorf("state = %s, want no unknown values", now.state)
	}
	if now.identity == nil || len(now.private) == 0 {
		t.Errorf("identity = %v, private state = %q; want both", now.identity, now.private)
	}
	if now.text("environment", "LOG_LEVEL") == "" || now.text("source_revision_config", "image_uri") == "" {
		t.Errorf("arguments are missing from state: %s", now.state)
	}
}

// resumes refreshes, applies again, and expects a healthy deployment after these writes in total.
func (d *driver) resumes(g *gate, now kept, config map[string]any, posts, patches int) {
	d.t.Helper()
	now = d.made(d.refreshed(now), config)
	if status := now.text("latest_revision_status"); status != "DEPLOYED" {
		d.t.Errorf("latest_revision_status after the next apply = %s, want DEPLOYED", status)
	}
	if got := [2]int{g.count(creation), g.count(changing)}; got != [2]int{posts, patches} {
		d.t.Errorf("POSTs and PATCHes = %v, want [%d %d]", got, posts, patches)
	}
	d.settled(now, config)
}
