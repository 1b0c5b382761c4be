package listener_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccListener_everyLostReply loses the response to each write in every way after it was processed: nothing may be done twice.
func TestAccListener_everyLostReply(t *testing.T) {
	t.Parallel()
	newer := config.Variables{"listener_version": config.StringVariable("2.0.0"), "k8s_namespaces": names("agents")}
	for name, loses := range providertest.LostReplies {
		t.Run("create/"+name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			arm := plane.Interrupt("POST /v2/listeners", loses)
			create := step(plane, "resource", newer)
			create.PreConfig, create.Check = func() { arm(1) }, expectSent(plane, 1, 0, 0)
			tryAll(t, plane, create)
		})
		t.Run("update/"+name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			arm := plane.Interrupt("PATCH /v2/listeners/*", loses)
			update := step(plane, "resource", newer)
			update.PreConfig, update.Check = func() { arm(1) }, expectSent(plane, 1, 1, 0)
			update.ConfigStateChecks = []statecheck.StateCheck{is(text("2.0.0"), "version"), is(texts("agents"), "compute_config", "k8s_namespaces")}
			tryAll(t, plane, step(plane, "resource", nil), update)
		})
	}
}

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
