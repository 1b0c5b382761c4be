package oauthprovider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccOAuthProvider_life creates, imports, updates, repairs, replaces and destroys a provider, with a CLI and without.
func TestAccOAuthProvider_life(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		providertest.Both(t, func(plane *providertest.Plane) resource.TestCase {
			secret := step(args{"client_secret": text("the-clients-secret")})
			imported := secret
			imported.ResourceName, imported.ImportState, imported.ImportStateId = address, true, slug
			drifted := planned(secret, action(plancheck.ResourceActionUpdate))
			drifted.PreConfig = func() { plane.Call("PATCH", path, map[string]any{"name": "Mine"}, nil) }
			replaced := step(args{"provider_id": text("tf-acc-mail")})
			destroyed := planned(replaced, action(plancheck.ResourceActionDestroy))
			destroyed.Destroy = true
			return resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), TerraformVersionChecks: writeOnly, Steps: []resource.TestStep{
				planned(step(nil), action(plancheck.ResourceActionCreate)), imported, planned(secret, action(plancheck.ResourceActionUpdate)), drifted,
				planned(replaced, action(plancheck.ResourceActionReplace)), destroyed,
			}}
		})
	})
}
