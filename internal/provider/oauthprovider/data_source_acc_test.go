package oauthprovider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// whole is everything but a secret.
var whole = map[string]any{
	"uses_pkce": true, "provider_type": "slack", "token_endpoint_auth_method": "client_secret_basic",
	"authorization_params": map[string]any{"prompt": "consent"}, "allowed_redirect_uris": []any{"app://back"},
}

// looked is a step that reads one provider, and lists all.
func looked(providerID string) resource.TestStep {
	return resource.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/data"), ConfigVariables: config.Variables{"provider_id": text(providerID)},
	}
}

// TestAccOAuthProviderDataSources reads every attribute, of one provider and in the list of all, and no secret.
func TestAccOAuthProviderDataSources(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made(plane, "plain", map[string]any{"client_secret": "canary-of-the-data-source"})
	made(plane, "whole", whole)
	var plain struct {
		ID             string `json:"id"`
		OrganizationID string `json:"organization_id"`
		Redirect       string `json:"default_redirect_uri"`
		CreatedAt      string `json:"created_at"`
	}
	plane.Call("GET", "/v2/auth/providers/plain", nil, &plain)
	attributes := func(id string, uses bool, kind, method knownvalue.Check, params map[string]knownvalue.Check, uris ...knownvalue.Check) map[string]knownvalue.Check {
		return map[string]knownvalue.Check{
			"provider_id": knownvalue.StringExact(id), "name": knownvalue.StringExact("Calendar"), "mcp_server_url": knownvalue.Null(),
			"client_id": knownvalue.StringExact("client-1"), "auth_url": knownvalue.StringExact("https://login.example.com/authorize"),
			"token_url": knownvalue.StringExact("https://login.example.com/token"), "uses_pkce": knownvalue.Bool(uses),
			"code_challenge_method": knownvalue.StringExact("S256"), "provider_type": kind, "token_endpoint_auth_method": method,
			"authorization_params": knownvalue.MapExact(params), "allowed_redirect_uris": knownvalue.ListExact(uris),
			"organization_id": knownvalue.StringExact(plain.OrganizationID), "is_dynamic_client": knownvalue.Bool(false),
			"id": knownvalue.NotNull(), "default_redirect_uri": knownvalue.NotNull(), "created_at": knownvalue.NotNull(), "updated_at": knownvalue.NotNull(),
		}
	}
	first := attributes("plain", false, knownvalue.Null(), knownvalue.StringExact("client_secret_post"), nil)
	first["id"], first["default_redirect_uri"] = knownvalue.StringExact(plain.ID), knownvalue.StringExact(plain.Redirect)
	first["created_at"], first["updated_at"] = knownvalue.StringExact(plain.CreatedAt), knownvalue.StringExact(plain.CreatedAt)
	second := attributes("whole", true, knownvalue.StringExact("slack"), knownvalue.StringExact("client_secret_basic"),
		map[string]knownvalue.Check{"prompt": knownvalue.StringExact("consent")}, knownvalue.StringExact("app://back"))
	s := looked("plain")
	for name, want := range first {
		s.ConfigStateChecks = append(s.ConfigStateChecks, statecheck.ExpectKnownValue("data.agentplane_oauth_provider.test", tfjsonpath.New(name), want))
	}
	s.ConfigStateChecks = append(s.ConfigStateChecks, statecheck.ExpectKnownValue("data.agentplane_oauth_providers.test",
		tfjsonpath.New("oauth_providers"), knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(first), knownvalue.ObjectExact(second)})))
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{s}})
	for _, name := range []string{"agentplane_oauth_provider", "agentplane_oauth_providers"} {
		schema, _ := json.Marshal(plane.RPC().Schema.DataSourceSchemas[name].Block)
		if strings.Contains(string(schema), "client_secret\"") {
			t.Errorf("%s has the secret, which is never read", name)
		}
	}
}

// TestAccOAuthProviderDataSources_refused expects a clear error for what isn't there, can't be read or can't be a provider_id.
func TestAccOAuthProviderDataSources_refused(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	made(plane, "calendar", nil)
	var steps []resource.TestStep
	for _, test := range []struct {
		providerID, want string
		fault            devserver.Fault
	}{
		{providerID: "mail", want: `Cannot read OAuth provider "mail"`},
		{providerID: "a/b", want: `must start with a letter or digit`},
		{providerID: "mcp-discover", want: `value must be none of: ["mcp-discover"]`},
		{providerID: "calendar", want: `No access. Status: 403`, fault: devserver.Fault{Match: reading, Status: 403, Detail: "No access", Times: 2}},
		{providerID: "calendar", want: `boom. Status: 500`, fault: devserver.Fault{Match: listing, Status: 500, Detail: "boom", Times: 5}},
	} {
		s := looked(test.providerID)
		s.ExpectError = providertest.Words(test.want)
		if test.fault.Match != "" {
			s.PreConfig = plane.Arm(test.fault)
		}
		steps = append(steps, s)
	}
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
}

// TestAccOAuthProviderDataSources_many lists more providers than fit on a page.
func TestAccOAuthProviderDataSources_many(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		for i := range 101 {
			made(plane, fmt.Sprintf("provider-%03d", i), nil)
		}
		s := looked("provider-000")
		s.ConfigStateChecks = []statecheck.StateCheck{statecheck.ExpectKnownValue("data.agentplane_oauth_providers.test",
			tfjsonpath.New("oauth_providers"), knownvalue.ListSizeExact(101))}
		providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{s}})
	})
}
