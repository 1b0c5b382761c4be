package oauthprovider_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

func discoveredStep(more args) resource.TestStep {
	s := step(more)
	s.ConfigDirectory = config.StaticDirectory("testdata/discovered")
	return s
}

// TestAccOAuthProvider_discovered creates the provider of an MCP server, changes it in place, imports it, and replaces it by that
// of another one.
func TestAccOAuthProvider_discovered(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	first, second := providertest.NewMCPServer(t)+"/mcp", providertest.NewMCPServer(t)+"/mcp"
	is := func(server string) []statecheck.StateCheck {
		base := server[:len(server)-len("/mcp")]
		return []statecheck.StateCheck{
			is("mcp_server_url", knownvalue.StringExact(server)), is("client_id", knownvalue.StringExact("registered")),
			is("auth_url", knownvalue.StringExact(base+"/authorize")), is("token_url", knownvalue.StringExact(base+"/token")),
			is("uses_pkce", knownvalue.Bool(true)), is("code_challenge_method", knownvalue.StringExact("S256")),
			is("token_endpoint_auth_method", knownvalue.StringExact("client_secret_basic")), is("is_dynamic_client", knownvalue.Bool(true)),
			is("client_secret", knownvalue.Null()),
		}
	}
	created := planned(discoveredStep(args{"mcp_server_url": text(first)}), action(plancheck.ResourceActionCreate),
		plancheck.ExpectUnknownValue(address, tfjsonpath.New("client_id")), plancheck.ExpectUnknownValue(address, tfjsonpath.New("uses_pkce")))
	created.ConfigStateChecks = is(first)
	created.Check = w.Expect(`POST {"provider_id": "tf-acc-tools", "name": "Tools", "mcp_server_url": "` + first + `"}`)
	renamed := planned(discoveredStep(args{"mcp_server_url": text(first), "name": text("Renamed")}), action(plancheck.ResourceActionUpdate),
		plancheck.ExpectKnownValue(address, tfjsonpath.New("client_id"), knownvalue.StringExact("registered")))
	renamed.ConfigStateChecks = is(first)
	renamed.Check = w.Expect(`PATCH {"name": "Renamed"}`)
	imported := renamed
	imported.ResourceName, imported.ImportState, imported.ImportStateId, imported.ImportStateVerify = address, true, "tf-acc-tools", true
	imported.ConfigPlanChecks, imported.ConfigStateChecks, imported.Check = resource.ConfigPlanChecks{}, nil, nil
	// The request that discovers takes no parameters, so a change brings them.
	replaced := planned(discoveredStep(args{
		"mcp_server_url": text(second), "authorization_params": config.MapVariable(map[string]config.Variable{"prompt": text("consent")}),
	}), action(plancheck.ResourceActionDestroyBeforeCreate))
	replaced.ConfigStateChecks = is(second)
	replaced.Check = w.Expect("DELETE", `POST {"provider_id": "tf-acc-tools", "name": "Tools", "mcp_server_url": "`+second+`"}`,
		`PATCH {"authorization_params": {"prompt": "consent"}}`)
	run(t, plane, created, renamed, imported, replaced)
}

// TestAccOAuthProvider_discoveredQuietly creates and changes a discovered provider without a warning: nobody else has made it.
func TestAccOAuthProvider_discoveredQuietly(t *testing.T) {
	t.Parallel()
	plane, server := providertest.NewDev(t), providertest.NewMCPServer(t)
	d := plane.Follow(t, "agentplane_oauth_provider")
	for _, name := range []string{"Tools", "Renamed"} {
		d.Apply(map[string]any{"provider_id": slug, "name": name, "mcp_server_url": server})
		if told := providertest.Told(d.Diags); told != "" {
			t.Errorf("name %q: told %s", name, told)
		}
	}
}

// TestAccOAuthProvider_discoveredNothing says what to do when a server has nothing to discover, and what an argument is missing.
func TestAccOAuthProvider_discoveredNothing(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	silent := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(silent.Close)
	nothing, missing := discoveredStep(args{"mcp_server_url": text(silent.URL)}), discoveredStep(nil)
	nothing.ExpectError = providertest.Words("register a client there, and set client_id, auth_url and token_url")
	missing.ExpectError = providertest.Words("At least one attribute out of [mcp_server_url,client_id] must be specified")
	run(t, plane, nothing, missing)
}

// TestAccOAuthProvider_discoveredLost loses the reply to the request that discovers: what it made is found, and no second client
// is registered.
func TestAccOAuthProvider_discoveredLost(t *testing.T) {
	t.Parallel()
	for name, loses := range providertest.LostReplies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane, server := providertest.NewDev(t), providertest.NewMCPServer(t)
			w := newWrites(plane)
			arm := plane.Interrupt("POST /v2/auth/providers/mcp-discover", loses)
			create := discoveredStep(args{"mcp_server_url": text(server)})
			create.PreConfig = func() { arm(1) }
			create.Check = w.Expect(`POST {"provider_id": "tf-acc-tools", "name": "Tools", "mcp_server_url": "` + server + `"}`)
			run(t, plane, create)
		})
	}
}

// TestAccOAuthProvider_defaultReplaces goes back to the default of what can't be changed in place.
func TestAccOAuthProvider_defaultReplaces(t *testing.T) {
	t.Parallel()
	back := planned(step(nil), action(plancheck.ResourceActionDestroyBeforeCreate))
	back.ConfigStateChecks = []statecheck.StateCheck{is("token_endpoint_auth_method", knownvalue.StringExact("client_secret_post"))}
	run(t, providertest.NewDev(t), step(args{"token_endpoint_auth_method": text("none")}), back)
}

// TestAccOAuthProvider_discoveredThenRefused: a change that fails after a discovery neither taints the provider nor registers
// another client.
func TestAccOAuthProvider_discoveredThenRefused(t *testing.T) {
	t.Parallel()
	plane, server := providertest.NewDev(t), providertest.NewMCPServer(t)
	w := newWrites(plane)
	config := args{"mcp_server_url": text(server), "authorization_params": config.MapVariable(map[string]config.Variable{"prompt": text("consent")})}
	patch := `PATCH {"authorization_params": {"prompt": "consent"}}`
	refused := planned(discoveredStep(config), action(plancheck.ResourceActionCreate))
	refused.PreConfig = plane.Arm(devserver.Fault{Match: "PATCH /v2/auth/providers/{provider_id}", Status: http.StatusBadRequest, Detail: "Not now."})
	refused.ExpectNonEmptyPlan = true
	refused.Check = w.Expect(`POST {"provider_id": "tf-acc-tools", "name": "Tools", "mcp_server_url": "`+server+`"}`, patch)
	completed := planned(discoveredStep(config), action(plancheck.ResourceActionUpdate))
	completed.Check = w.Expect(patch)
	run(t, plane, refused, completed)
}

// TestAccOAuthProvider_discoveredElsewhere: a provider that was discovered, and whose configuration names no MCP server, as after an
// import, is not replaced. Its other arguments are changed in place.
func TestAccOAuthProvider_discoveredElsewhere(t *testing.T) {
	t.Parallel()
	plane, server := providertest.NewDev(t), providertest.NewMCPServer(t)
	w := newWrites(plane)
	explicit := func(authURL string) args {
		return args{"client_id": text("registered"), "auth_url": text(authURL), "token_url": text(server + "/token")}
	}
	created := discoveredStep(args{"mcp_server_url": text(server)})
	created.Check = w.Expect(`POST {"provider_id": "tf-acc-tools", "name": "Tools", "mcp_server_url": "` + server + `"}`)
	unnamed := planned(discoveredStep(explicit(server+"/authorize")), action(plancheck.ResourceActionNoop))
	unnamed.ConfigStateChecks = []statecheck.StateCheck{is("mcp_server_url", knownvalue.StringExact(server)), is("uses_pkce", knownvalue.Bool(true))}
	changed := planned(discoveredStep(explicit("https://login.example.com/authorize")), action(plancheck.ResourceActionUpdate))
	changed.Check = w.Expect(`PATCH {"auth_url": "https://login.example.com/authorize"}`)
	run(t, plane, created, unnamed, changed)
}
