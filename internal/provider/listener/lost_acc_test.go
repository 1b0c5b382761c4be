package listener_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccListener_foreignChange loses an update before it is processed, while another user changes the listener: that change must not be mistaken for the lost one.
func TestAccListener_foreignChange(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	arm := plane.Interrupt("PATCH /v2/listeners/*", func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		plane.Call(http.MethodPatch, r.URL.Path, map[string]any{"version": "1.9.9"}, nil)
		providertest.HangUpBefore(w, r, pass)
	})
	update := step(plane, "resource", config.Variables{"listener_version": config.StringVariable("2.0.0")})
	update.PreConfig, update.Check = func() { arm(1) }, expectSent(plane, 1, 2, 0)
	update.ConfigStateChecks = []statecheck.StateCheck{is(text("2.0.0"), "version")}
	tryAll(t, plane, step(plane, "resource", nil), update)
}
