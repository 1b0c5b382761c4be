package deployment_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccCancel presses Ctrl-C while the provider waits or reads the deployment back; the table of all resources has the moments of a write. It
// expects a warning and a complete state, so that the next apply only waits.
func TestAccCancel(t *testing.T) {
	t.Parallel()
	for name, moment := range map[string]struct {
		// pattern is the request during which it happens, after skip others.
		pattern string
		skip    int
		do      func(happen func()) action
		says    string
	}{
		"create, at a later poll":   {polling, 20, meanwhile, "Stopped waiting"},
		"create, at the final read": {reading, 0, meanwhileLost, "Deployment not read back"}, // A response could arrive before the cancellation.
		"update, at the first poll": {polling, 0, meanwhileLost, "last status: QUEUED"},      // The proof of the change has shown it.
		"update, at a later poll":   {polling, 20, meanwhile, "Stopped waiting"},
		"update, at the final read": {reading, 2, meanwhileLost, "Deployment not read back"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, unlagged)
			g := gateTo(t, plane)
			d := drive(t, plane)
			before, config, writes := kept{}, imageConfig(plane, nil), [2]int{1, 0}
			if strings.HasPrefix(name, "update") {
				before, writes = d.refreshed(d.made(before, config)), [2]int{0, 1}
				config["source_revision_config"] = image("2.0.0")
			}
			g.reset()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			g.after(moment.skip, moment.pattern, 1, moment.do(cancel))
			now, diags := d.apply(ctx, before, config)
			g.serving.Wait() // The provider left a request behind.
			if ctx.Err() == nil {
				t.Fatal("the request at which to cancel was never sent")
			}
			expectKept(t, now, diags, moment.says)
			now = d.made(d.refreshed(now), config)
			if got := [2]int{g.count(creation), g.count(changing)}; got != writes || now.text("latest_revision_status") != "DEPLOYED" {
				t.Errorf("POSTs and PATCHes = %v, want %v; state after the next apply = %s, want it DEPLOYED", got, writes, now.state)
			}
			d.settled(now, config)
		})
	}
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
