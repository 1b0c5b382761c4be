package oauthprovider_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	reading  = "GET /v2/auth/providers/{provider_id}"
	listing  = "GET /v2/auth/providers"
	changing = "PATCH /v2/auth/providers/{provider_id}"
	deletion = "DELETE /v2/auth/providers/{provider_id}"
)

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
