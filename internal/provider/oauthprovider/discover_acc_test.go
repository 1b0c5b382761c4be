package oauthprovider_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// newMCPServer starts an MCP server that is its own authorization server (RFC 8414), at which clients can register (RFC 7591).
func newMCPServer(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	answer := func(pattern string, status int, body map[string]any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			if err := json.NewEncoder(w).Encode(body); err != nil {
				t.Error(err)
			}
		})
	}
	answer("GET /.well-known/oauth-authorization-server", http.StatusOK, map[string]any{
		"issuer": server.URL, "authorization_endpoint": server.URL + "/authorize", "token_endpoint": server.URL + "/token",
		"registration_endpoint": server.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
	})
	answer("POST /register", http.StatusCreated, map[string]any{"client_id": "registered", "client_secret": "canary"})
	return server.URL
}

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
	w := &writes{plane: plane}
	first, second := newMCPServer(t)+"/mcp", newMCPServer(t)+"/mcp"
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
	created.Check = w.expect(`POST {"provider_id": "tf-acc-tools", "name": "Tools", "mcp_server_url": "` + first + `"}`)
	renamed := planned(discoveredStep(args{"mcp_server_url": text(first), "name": text("Renamed")}), action(plancheck.ResourceActionUpdate),
		plancheck.ExpectKnownValue(address, tfjsonpath.New("client_id"), knownvalue.StringExact("registered")))
	renamed.ConfigStateChecks = is(first)
	renamed.Check = w.expect(`PATCH {"name": "Renamed"}`)
	imported := renamed
	imported.ResourceName, imported.ImportState, imported.ImportStateId, imported.ImportStateVerify = address, true, "tf-acc-tools", true
	imported.ConfigPlanChecks, imported.ConfigStateChecks, imported.Check = resource.ConfigPlanChecks{}, nil, nil
	// The request that discovers takes no parameters, so a change brings them.
	replaced := planned(discoveredStep(args{
		"mcp_server_url": text(second), "authorization_params": config.MapVariable(map[string]config.Variable{"prompt": text("consent")}),
	}), action(plancheck.ResourceActionDestroyBeforeCreate))
	replaced.ConfigStateChecks = is(second)
	replaced.Check = w.expect("DELETE", `POST {"provider_id": "tf-acc-tools", "name": "Tools", "mcp_server_url": "`+second+`"}`,
		`PATCH {"authorization_params": {"prompt": "consent"}}`)
	run(t, plane, created, renamed, imported, replaced)
}

// TestAccOAuthProvider_discoveredNothing says what to do when a server has nothing to discover, and what an argument is missing.
func TestAccOAuthProvider_discoveredNothing(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	silent := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(silent.Close)
	nothing, missing := discoveredStep(args{"mcp_server_url": text(silent.URL)}), discoveredStep(nil)
	nothing.ExpectError = words("register a client there, and set client_id, auth_url and token_url")
	missing.ExpectError = words("At least one attribute out of [mcp_server_url,client_id] must be specified")
	run(t, plane, nothing, missing)
}

// TestAccOAuthProvider_discoveredLost loses the reply to the request that discovers: what it made is found, and no second client
// is registered.
func TestAccOAuthProvider_discoveredLost(t *testing.T) {
	t.Parallel()
	for name, loses := range providertest.LostReplies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane, server := providertest.NewDev(t), newMCPServer(t)
			w := &writes{plane: plane}
			arm := plane.Interrupt("POST /v2/auth/providers/mcp-discover", loses)
			create := discoveredStep(args{"mcp_server_url": text(server)})
			create.PreConfig = func() { arm(1) }
			create.Check = w.expect(`POST {"provider_id": "tf-acc-tools", "name": "Tools", "mcp_server_url": "` + server + `"}`)
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
