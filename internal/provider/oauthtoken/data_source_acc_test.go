package oauthtoken_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccOAuthTokens reads what is known of tokens, before there are any and afterwards.
func TestAccOAuthTokens(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	expect := func(at, attribute string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.agentplane_oauth_"+at, tfjsonpath.New(attribute), want)
	}
	connected := func(calendar bool) knownvalue.Check {
		return knownvalue.MapExact(map[string]knownvalue.Check{"calendar": knownvalue.Bool(calendar), "mail": knownvalue.Bool(false)})
	}
	first := resource.TestStep{ConfigDirectory: config.StaticDirectory("testdata/tokens"), ConfigStateChecks: []statecheck.StateCheck{
		expect("tokens.all", "tokens", knownvalue.ListSizeExact(0)), expect("token_status.test", "has_token", connected(false)),
	}}
	second := first
	second.PreConfig = func() {
		id := imported(plane, secret, 3600, "read", "write")
		plane.Call("PATCH", "/v2/auth/tokens/"+id+"/metadata", object{"provider_account_label": "work"}, nil)
	}
	second.ConfigStateChecks = []statecheck.StateCheck{
		expect("token_status.test", "has_token", connected(true)),
		expect("tokens.calendar", "tokens", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
			"id": knownvalue.NotNull(), "provider_id": knownvalue.StringExact("calendar"), "provider_account_label": knownvalue.StringExact("work"),
			"scopes":     knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("read"), knownvalue.StringExact("write")}),
			"expires_at": knownvalue.NotNull(), "is_default": knownvalue.Bool(true), "created_at": knownvalue.NotNull(), "updated_at": knownvalue.NotNull(),
		})})),
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{first, second}})
}
