package oauthprovider_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

func arguments(more map[string]any) map[string]any {
	all := map[string]any{
		"provider_id": slug, "name": "Calendar", "client_id": "client-1",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}
	maps.Copy(all, more)
	return all
}

// TestAccOAuthProvider_stateBefore plans a state of the version before, which has no deletion_protection, without a refresh.
func TestAccOAuthProvider_stateBefore(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	d := plane.Follow(t, typeName)
	d.Apply(arguments(nil))
	before := d.Attributes()
	before["deletion_protection"] = nil
	plane.RPC().PlansEmpty(typeName, before, arguments(nil))
	d.Apply(nil)
}

// TestAccOAuthProvider_counts: the plan of a replacement says what it deletes, or that this couldn't be counted, and never fails.
func TestAccOAuthProvider_counts(t *testing.T) {
	t.Parallel()
	const all, tokens, events, connections = "", "GET /v2/auth/tokens", "GET /v2/auth/token-events", "GET /v2/auth/agents/{agent_id}/connections"
	for unread, want := range map[string]string{
		all:         `Replacement deletes 2 tokens of the user of the API key and 1 connection (agents "bot"), and the tokens of all other users`,
		tokens:      "Replacement deletes its tokens, which couldn't be counted: ",
		events:      "Replacement deletes 2 tokens of the user of the API key and connections that couldn't be counted (",
		connections: "Replacement deletes 2 tokens of the user of the API key and connections that couldn't be counted (",
	} {
		t.Run(unread, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			d := plane.Follow(t, typeName)
			d.Apply(arguments(nil))
			for range 2 {
				plane.Call("POST", "/v2/auth/tokens/import", map[string]any{"provider_id": slug, "access_token": "theirs"}, nil)
			}
			plane.Call("POST", "/v2/auth/agents/bot/providers/"+slug+"/tokens", map[string]any{"access_token": "its own"}, nil)
			if unread != all {
				plane.Arm(devserver.Fault{Match: unread, Status: 403, Times: 100})()
			}
			refused := d.Refused(arguments(map[string]any{"token_endpoint_auth_method": "none"}))
			told := providertest.Told(d.Diags)
			if refused || !strings.Contains(told, want) || strings.Count(told, "Replacement deletes tokens") != 1 ||
				!strings.Contains(told, "replace_triggered_by = [ADDRESS.id]") {
				t.Errorf("told %s\nwant %q once", told, want)
			}
		})
	}
}

// TestAccOAuthProvider_replacedWithConnections replaces a provider together with the connection to it, or without: then the next apply
// repairs that. A request to replace a protected one is refused.
func TestAccOAuthProvider_replacedWithConnections(t *testing.T) {
	t.Parallel()
	const connection = "agentplane_agent_connection.test"
	for name, directory := range map[string]string{"triggered": "triggered", "repaired": "repaired"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			next := func(generation, method string, protected bool, checks ...plancheck.PlanCheck) resource.TestStep {
				return resource.TestStep{
					ConfigDirectory: config.StaticDirectory("testdata/" + directory), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: checks},
					ConfigVariables: config.Variables{
						"generation": text(generation), "method": text(method), "deletion_protection": config.BoolVariable(protected),
					},
				}
			}
			login := func() {
				plane.Call("POST", "/v2/auth/tokens/import", map[string]any{"provider_id": slug, "access_token": "theirs"}, nil)
			}
			connected := next("1", "none", true, plancheck.ExpectResourceAction(connection, plancheck.ResourceActionUpdate))
			connected.PreConfig = login
			refused := next("2", "none", true)
			refused.ExpectError = providertest.Words(`OAuth provider "` + slug + `" would be replaced on request, by -replace or replace_triggered_by`)
			on := plancheck.ResourceActionReplace
			if directory == "repaired" {
				on = plancheck.ResourceActionNoop
			}
			replaced := next("2", "none", false, plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace), plancheck.ExpectResourceAction(connection, on))
			again := next("2", "client_secret_post", false, plancheck.ExpectResourceAction(address, plancheck.ResourceActionReplace))
			empty := next("2", "client_secret_post", false, plancheck.ExpectResourceAction(connection, plancheck.ResourceActionNoop))
			back := next("2", "client_secret_post", false, plancheck.ExpectResourceAction(connection, plancheck.ResourceActionUpdate))
			back.PreConfig = login
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: plane.Factories(), CheckDestroy: checkNoneLeft(plane),
				Steps: []resource.TestStep{next("1", "none", true), connected, refused, next("1", "none", false), replaced, again, empty, back},
			})
		})
	}
}
