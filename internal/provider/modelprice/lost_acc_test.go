package modelprice_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccModelPrice_everyLostReply loses the answer to each write in every way, after the work. A price is created once; a
// change says all that the entry says, so sending it again does no harm.
func TestAccModelPrice_everyLostReply(t *testing.T) {
	t.Parallel()
	for name, loses := range providertest.LostReplies {
		t.Run("create/"+name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			w := newWrites(plane)
			arm := plane.Interrupt("POST "+collection, loses)
			create := step(nil)
			create.PreConfig, create.Check = func() { arm(1) }, w.Expect(put("POST", nil))
			run(t, plane, create)
		})
		t.Run("change/"+name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			w := newWrites(plane)
			arm := plane.Interrupt("PUT "+collection+"/*", loses)
			renamed := put("PUT", map[string]string{"name": `"Large"`})
			change := step(args{"name": text("Large")})
			change.PreConfig, change.Check = func() { arm(1) }, w.Expect(put("POST", nil), renamed, renamed)
			if name == "page with status 200" { // It says nothing about a second attempt, and a read shows the change.
				change.Check = w.Expect(put("POST", nil), renamed)
			}
			run(t, plane, step(nil), change)
		})
	}
}
