package oauthprovider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	reading  = "GET /v2/auth/providers/{provider_id}"
	listing  = "GET /v2/auth/providers"
	changing = "PATCH /v2/auth/providers/{provider_id}"
	deletion = "DELETE /v2/auth/providers/{provider_id}"
)

// TestAccOAuthProvider_oddNotFound isn't made believe by one answer that the provider is gone, neither by a refresh nor when
// it deletes.
func TestAccOAuthProvider_oddNotFound(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]devserver.Fault{
		"named": {Status: 404, Detail: "OAuth provider not found"}, "not named": {Status: 404}, "refused": {Status: 400, Detail: "Unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			odd.Match = reading
			same := planned(step(nil), action(plancheck.ResourceActionNoop))
			same.PreConfig = plane.Arm(odd, devserver.Fault{Match: deletion, Status: 404, Detail: "OAuth provider not found"})
			run(t, plane, step(nil), same)
		})
	}
}

// TestAccOAuthProvider_lostReplyOfSecret sends a secret again, because no read shows it.
func TestAccOAuthProvider_lostReplyOfSecret(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	const patch = `PATCH {"name": "Mail", "client_secret": "***"}`
	change := step(args{"name": text("Mail"), "client_secret": text("the-new-secret")})
	change.PreConfig, change.Check = plane.Arm(devserver.Fault{Match: changing, Drop: true}), w.Expect(created(""), patch, patch)
	run(t, plane, step(nil), change)
}

// TestAccOAuthProvider_disappears creates again what another user has deleted, however the service reports that it is gone.
func TestAccOAuthProvider_disappears(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]devserver.Fault{
		"named":     {},
		"not named": {Match: reading, Status: 404},
		"refused":   {Match: reading, Status: 400, Detail: "Unknown provider"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			again := planned(step(nil), action(plancheck.ResourceActionCreate))
			again.PreConfig = func() {
				plane.Call("DELETE", path, nil, nil)
				plane.Clock.Advance(providertest.Unseen)
				if fault.Match != "" {
					plane.Arm(fault)()
				}
			}
			run(t, plane, step(nil), again)
		})
	}
}

// TestAccOAuthProvider_conflict gives a change and a deletion advice of their own: nothing is to be imported or renamed.
func TestAccOAuthProvider_conflict(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	const says = "Another change of this OAuth provider is in progress, or it is still in use. Apply again"
	change, destroy := refused(args{"name": text("Mail")}, says), refused(nil, says)
	change.PreConfig = plane.Arm(devserver.Fault{Match: changing, Status: 409, Detail: "Busy"})
	destroy.PreConfig = plane.Arm(devserver.Fault{Match: deletion, Status: 409, Detail: "Busy"})
	destroy.Destroy = true
	run(t, plane, step(nil), change, destroy)
}
