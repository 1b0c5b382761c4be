package oauthprovider_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccOAuthProvider_everyLostReply loses the answer to each write in every way, after the work: nothing is done twice but
// the sending of a secret, which can't be seen.
func TestAccOAuthProvider_everyLostReply(t *testing.T) {
	t.Parallel()
	for name, loses := range providertest.LostReplies {
		t.Run("create/"+name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			w := newWrites(plane)
			arm := plane.Interrupt("POST /v2/auth/providers", loses)
			create := step(nil)
			create.PreConfig, create.Check = func() { arm(1) }, w.Expect(created(""))
			run(t, plane, create)
		})
		t.Run("change/"+name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			w := newWrites(plane)
			arm := plane.Interrupt("PATCH /v2/auth/providers/*", loses)
			change := step(args{"name": text("Mail")})
			change.PreConfig, change.Check = func() { arm(1) }, w.Expect(created(""), `PATCH {"name": "Mail"}`)
			secret := step(args{"name": text("Mail"), "client_secret": text("canary-1")})
			secret.PreConfig, secret.Check = func() { arm(1) }, w.Expect(secretSent, secretSent)
			run(t, plane, step(nil), change, secret)
		})
	}
}
