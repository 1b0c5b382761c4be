package oauthprovider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// importing imports into the state that the steps after it go on with.
func importing(more args, id string) resource.TestStep {
	s := step(more)
	s.ResourceName, s.ImportState, s.ImportStatePersist, s.ImportStateId = address, true, true, id
	return s
}

// TestAccOAuthProvider_importSecret sends the secret of the configuration once: nobody knows which one the service has.
func TestAccOAuthProvider_importSecret(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	made(plane, slug, nil)
	_ = w.Expect()(nil)
	arguments := args{"client_secret": text("the-secret")}
	sends := planned(step(arguments), action(plancheck.ResourceActionUpdate))
	sends.Check = w.Expect(secretSent)
	run(t, plane, importing(arguments, slug), sends)
}
