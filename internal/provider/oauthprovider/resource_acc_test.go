package oauthprovider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const otherWorkspace = "11111111-2222-4333-8444-555555555555"

func is(name string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), check)
}

func action(want plancheck.ResourceActionType) plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(address, want)
}

// TestAccOAuthProvider creates with as little as possible, and then changes everything that is changed in place.
func TestAccOAuthProvider(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	minimal := step(nil)
	minimal.ConfigStateChecks = []statecheck.StateCheck{
		is("provider_id", knownvalue.StringExact(slug)), is("uses_pkce", knownvalue.Bool(false)),
		is("code_challenge_method", knownvalue.StringExact("S256")), is("provider_type", knownvalue.Null()),
		is("token_endpoint_auth_method", knownvalue.StringExact("client_secret_post")),
		is("authorization_params", knownvalue.MapSizeExact(0)), is("allowed_redirect_uris", knownvalue.ListSizeExact(0)),
		is("workspace_id", knownvalue.StringExact(providertest.WorkspaceID)), is("id", knownvalue.NotNull()),
		is("organization_id", knownvalue.NotNull()), is("default_redirect_uri", knownvalue.NotNull()),
		is("is_dynamic_client", knownvalue.Bool(false)), is("created_at", knownvalue.NotNull()), is("updated_at", knownvalue.NotNull()),
	}
	minimal.Check = w.Expect(created(""))
	everything := planned(step(args{
		"name": text("Calendars"), "client_id": text("client-2"), "auth_url": text("https://other.example.com/authorize"),
		"token_url": text("https://other.example.com/token"), "uses_pkce": config.BoolVariable(true),
		"code_challenge_method": text("plain"),
		"authorization_params":  config.MapVariable(map[string]config.Variable{"prompt": text("consent"), "access_type": text("offline")}),
		"allowed_redirect_uris": config.ListVariable(text("https://b.example.com/back"), text("https://a.example.com/back")),
	}), action(plancheck.ResourceActionUpdate), plancheck.ExpectUnknownValue(address, tfjsonpath.New("updated_at")),
		plancheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.NotNull()))
	everything.Check = w.Expect(`PATCH {"name": "Calendars", "client_id": "client-2", "auth_url": "https://other.example.com/authorize",
		"token_url": "https://other.example.com/token", "uses_pkce": true, "code_challenge_method": "plain",
		"authorization_params": {"prompt": "consent", "access_type": "offline"},
		"allowed_redirect_uris": ["https://b.example.com/back", "https://a.example.com/back"]}`)
	one := planned(step(nil), action(plancheck.ResourceActionUpdate))
	one.ConfigVariables = config.Variables{"name": text("Once more")}
	one.Check = w.Expect(`PATCH {"name": "Once more", "client_id": "client-1", "auth_url": "https://login.example.com/authorize",
		"token_url": "https://login.example.com/token", "uses_pkce": false, "code_challenge_method": "S256",
		"authorization_params": {}, "allowed_redirect_uris": []}`)
	single := planned(step(args{"name": text("Single")}), action(plancheck.ResourceActionUpdate))
	single.Check = w.Expect(`PATCH {"name": "Single"}`)
	run(t, plane, minimal, everything, one, single)
	if err := w.Expect("DELETE")(nil); err != nil {
		t.Error(err)
	}
}

// twoWorkspaces lets the key open another workspace, too.
func twoWorkspaces(cfg *devserver.Config) {
	cfg.Keys = []devserver.Key{{Value: providertest.APIKey, Workspaces: []string{providertest.WorkspaceID, otherWorkspace}}}
}
