package oauthprovider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// listed is a step that reads the providers of the platform in a workspace.
func listed(workspace string, providers ...knownvalue.Check) resource.TestStep {
	return resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/platform"),
		ConfigVariables: config.Variables{"workspace_id": text(workspace)},
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(
			"data.agentplane_platform_oauth_providers.test", tfjsonpath.New("oauth_providers"), knownvalue.ListExact(providers))},
	}
}

// TestAccPlatformOAuthProviders reads what comes with the platform, and nothing of what was registered.
func TestAccPlatformOAuthProviders(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t, twoWorkspaces, func(cfg *devserver.Config) { cfg.Address = "http://127.0.0.1:8787" })
		made(plane, "calendar", nil)
		providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
			listed(providertest.WorkspaceID, knownvalue.ObjectExact(map[string]knownvalue.Check{
				"provider_id": knownvalue.StringExact("toy-login"), "name": knownvalue.StringExact("Toy login"), "provider_type": knownvalue.Null(),
				"auth_url": knownvalue.StringExact("http://127.0.0.1:8787/toy-login/authorize"), "token_url": knownvalue.StringExact("http://127.0.0.1:8787/toy-login/token"),
				"uses_pkce": knownvalue.Bool(true),
			})),
			listed(otherWorkspace),
		}})
	})
}

// TestAccPlatformOAuthProviders_refused asks with a key that opens another workspace only.
func TestAccPlatformOAuthProviders_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	refused := listed(otherWorkspace)
	refused.ConfigStateChecks, refused.ExpectError = nil, providertest.Words("Cannot list the platform's OAuth providers")
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{refused}})
}
