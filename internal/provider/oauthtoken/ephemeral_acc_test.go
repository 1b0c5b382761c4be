package oauthtoken_test

import (
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

func TestAccOAuthAccessToken_open(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	rpc := plane.RPC()
	// Whoever isn't logged in is told where to go.
	_, diags := open(t, rpc, object{"provider_id": "calendar", "scopes": []string{"read"}})
	told := providertest.Told(diags)
	if !strings.Contains(told, `OAuth provider "calendar" needs a login`) {
		t.Fatalf("told %s", told)
	}
	comeBack(t, plane, addressIn(t, told), url.Values{"code": {"c"}})
	begun := len(plane.Requests("POST", "/v2/auth/authenticate"))
	got, diags := open(t, rpc, object{"provider_id": "calendar", "scopes": []string{"read"}, "minimum_remaining": "59m"})
	rpc.OK(nil, diags)
	if got["token_id"] == "" || got["expires_at"] == "" {
		t.Errorf("opened as %v", got)
	}
	id := got["token_id"]
	delete(got, "token_id")
	delete(got, "expires_at")
	if diff := cmp.Diff(map[string]string{"provider_id": "calendar", "minimum_remaining": "59m", "access_token": secret}, got); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
	if asked := len(plane.Requests("POST", "/v2/auth/authenticate")) - begun; asked != 1 {
		t.Errorf("opening sends %d requests", asked)
	}
	if got, diags := open(t, rpc, object{"provider_id": "calendar", "token_id": id}); got["access_token"] != secret {
		t.Errorf("by its id: %v %s", got, providertest.Told(diags))
	}
}

func TestAccOAuthAccessToken_refused(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	rpc := plane.RPC()
	id := imported(plane, secret, 600, "read")
	for name, tc := range map[string]struct {
		config object
		want   []string
	}{
		"too short a life":    {object{"minimum_remaining": "20m"}, []string{`Token of OAuth provider "calendar" expires too soon`, "another 10m0s", "minimum_remaining is 20m0s"}},
		"no such provider":    {object{"provider_id": "none"}, []string{`Cannot get a token of OAuth provider "none"`, "OAuth provider 'none' not found.", "Check provider_id"}},
		"agent not connected": {object{"agent_id": "helper"}, []string{`Agent "helper" is not connected to OAuth provider "calendar"`, "agentplane_agent_connection"}},
		"another scope":       {object{"scopes": []string{"write"}}, []string{"needs a login", "scope=read+write"}},
	} {
		config := object{"provider_id": "calendar"}
		maps.Copy(config, tc.config)
		got, diags := open(t, rpc, config)
		told := providertest.Told(diags)
		for _, want := range tc.want {
			if got["access_token"] != "" || !strings.Contains(told, want) {
				t.Errorf("%s: %v, told %s, want %q", name, got, told, want)
			}
		}
		if strings.Contains(told, secret) {
			t.Errorf("%s: the token is told: %s", name, told)
		}
	}
	plane.Clock.Advance(11 * time.Minute)
	if _, diags := open(t, rpc, object{"provider_id": "calendar", "token_id": id}); !strings.Contains(providertest.Told(diags), "has expired") {
		t.Errorf("expired: %s", providertest.Told(diags))
	}
}

// TestAccOAuthAccessToken_cli passes a token to a write-only argument. Neither plan nor state have it, and the plan is empty after.
func TestAccOAuthAccessToken_cli(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	imported(plane, secret, 3600, "read")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)},
		Steps: []resource.TestStep{{
			ConfigDirectory: config.StaticDirectory("testdata/ephemeral"),
			Check: func(state *terraform.State) error {
				if text := state.String(); strings.Contains(text, secret) {
					t.Errorf("the token is in the state: %s", text)
				}
				return nil
			},
		}},
	})
	if sent := len(plane.Requests("POST", "/v2/auth/agents/helper/providers/calendar/tokens")); sent != 1 {
		t.Errorf("the token was sent %d times", sent)
	}
}
