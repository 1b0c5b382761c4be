package agentconnection_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

func TestAccAgentConnection_refused(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	id := imported(plane)
	var made object
	plane.Call("POST", "/v2/auth/agents/helper%2F1/connections", object{"oauth_token_id": id}, &made)
	const none = "99999999-2222-4333-8444-555555555555"
	unknown := step("connection", config.Variables{"token_id": text(none)})
	unknown.ExpectError = providertest.Words(`OAuth token ID ` + none + ` not found. Status: 404`)
	taken := step("connection", config.Variables{"token_id": text(id)})
	taken.ExpectError = providertest.Words(`is already connected to OAuth token ID ` + id + `. Status: 409`)
	named := taken
	named.ExpectError = providertest.Words(fmt.Sprintf("import { to = ADDRESS id = %q }", "helper/1/"+made["id"].(string)))
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{unknown, taken, named}})
}

// TestAccAgentProviderToken checks that tokens are sent with every change, including that of their version, and aren't stored.
func TestAccAgentProviderToken(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	sent := func(want int) resource.TestCheckFunc {
		return func(state *terraform.State) error {
			if got := len(plane.Requests("POST", "/v2/auth/agents/*/providers/*/tokens")); got != want {
				t.Errorf("the tokens were sent %d times, want %d", got, want)
			}
			return nil
		}
	}
	next := func(does plancheck.ResourceActionType, count int, variables config.Variables) resource.TestStep {
		s := step("token", variables, action(token, does))
		s.Check = sent(count)
		return s
	}
	scopes := config.SetVariable(text("write"), text("read"))
	drifted := next(plancheck.ResourceActionUpdate, 5, config.Variables{"label": text("bot"), "scopes": scopes, "access_token": text("b"), "tokens_version": config.IntegerVariable(2)})
	drifted.PreConfig = func() { // Another user stores another token.
		plane.Call("POST", "/v2/auth/agents/helper/providers/calendar/tokens", object{"access_token": "theirs", "scopes": []string{"read"}}, nil)
	}
	gone := next(plancheck.ResourceActionCreate, 6, drifted.ConfigVariables)
	gone.PreConfig = func() {
		id, _ := connections(plane, "helper")[0]["id"].(string)
		plane.Call("DELETE", "/v2/auth/agents/helper/connections/"+id, nil, nil)
	}
	elsewhere := next(plancheck.ResourceActionReplace, 7, config.Variables{"provider_id": text("mail"), "expires_in_seconds": config.IntegerVariable(3600), "refresh_token": text("r")})
	elsewhere.ConfigStateChecks = []statecheck.StateCheck{
		statecheck.ExpectKnownValue(token, tfjsonpath.New("expires_at"), knownvalue.NotNull()),
		statecheck.ExpectKnownValue(token, tfjsonpath.New("access_token_wo"), knownvalue.Null()),
		statecheck.ExpectKnownValue(token, tfjsonpath.New("refresh_token_wo"), knownvalue.Null()),
	}
	run(t, plane,
		next(plancheck.ResourceActionCreate, 1, nil),
		next(plancheck.ResourceActionNoop, 1, config.Variables{"access_token": text("unseen")}),
		next(plancheck.ResourceActionUpdate, 2, config.Variables{"access_token": text("b"), "tokens_version": config.IntegerVariable(2)}),
		next(plancheck.ResourceActionUpdate, 3, config.Variables{
			"access_token": text("b"), "tokens_version": config.IntegerVariable(2), "label": text("bot"), "scopes": scopes,
		}),
		drifted, gone, elsewhere,
	)
}

// TestAccAgentProviderToken_imported imports an existing token by its connection, and sends it only when its version changes.
func TestAccAgentProviderToken_imported(t *testing.T) {
	t.Parallel()
	d := follow(t, calendar(t))
	d.Followed = d.plane.Follow(t, tokenType)
	theirs := byHand(d.plane, "calendar", object{"scopes": []string{"read"}})
	if d.Import("helper") {
		t.Error("a token was imported by the ID of its agent")
	}
	contains(t, providertest.Told(d.Diags), `"helper" is not AGENT_ID/CONNECTION_ID`)
	if !d.Import("helper/"+theirs) || d.Attributes()["provider_id"] != "calendar" {
		t.Fatalf("the state has %v: %s", d.Attributes(), providertest.Told(d.Diags))
	}
	for _, version := range []int{1, 2} { // The first one is that of the other user's request.
		d.apply(true, tokenConfig(object{"scopes": []string{"read"}, "tokens_wo_version": version}))
		if sent := len(d.plane.Requests("POST", upserts)); sent != version || d.Attributes()["id"] != theirs {
			t.Errorf("version %d: the tokens of %v were sent %d times, want %d of %s", version, d.Attributes()["id"], sent, version, theirs)
		}
	}
}

func TestAccAgentProviderToken_refused(t *testing.T) {
	t.Parallel()
	d := drive(t, calendar(t))
	planned, _ := d.Plan(tokenConfig(object{"provider_id": "none"}))
	contains(t, d.Apply(planned), "OAuth provider 'none' not found. Status: 404")
}
