package oauthtoken_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const (
	authenticate = "agentplane_authenticate"
	waiting      = "GET /v2/auth/wait/{auth_id}"
)

// TestAccAuthenticate shows the user where to go, and ends when they have come back.
func TestAccAuthenticate(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	rpc := plane.RPC()
	messages, diags := rpc.Invoke(t.Context(), authenticate, object{"provider_id": "calendar", "scopes": []string{"read"}}, func(message string) {
		if strings.Contains(message, "log in at") {
			comeBack(t, plane, addressIn(t, message), url.Values{"code": {"c"}})
		}
	})
	rpc.OK(nil, diags)
	if last := messages[len(messages)-1]; len(messages) != 2 || last != `OAuth provider "calendar": the user has logged in` {
		t.Errorf("told %q", messages)
	}
	if strings.Contains(strings.Join(messages, ""), secret) {
		t.Errorf("the token is told: %q", messages)
	}
	messages, diags = rpc.Invoke(t.Context(), authenticate, object{"provider_id": "calendar", "scopes": []string{"read"}}, nil)
	rpc.OK(nil, diags)
	if len(messages) != 1 || messages[0] != `OAuth provider "calendar": the user is already logged in` {
		t.Errorf("the second time, told %q", messages)
	}
}

// TestAccAuthenticate_oneAnswer doesn't stop waiting for a user because of one response, whatever its status.
func TestAccAuthenticate_oneAnswer(t *testing.T) {
	t.Parallel()
	for _, status := range []int64{302, 400, 401, 403, 404, 422} {
		t.Run(http.StatusText(int(status)), func(t *testing.T) {
			t.Parallel()
			plane := calendar(t)
			plane.Arm(devserver.Fault{Match: waiting, Status: status, Detail: "Not now"})()
			messages, diags := plane.RPC().Invoke(t.Context(), authenticate, object{"provider_id": "calendar"}, func(message string) {
				if strings.Contains(message, "log in at") {
					comeBack(t, plane, addressIn(t, message), url.Values{"code": {"c"}})
				}
			})
			if told := providertest.Told(diags); told != "" || messages[len(messages)-1] != `OAuth provider "calendar": the user has logged in` {
				t.Errorf("told %q, then %s", messages, told)
			}
		})
	}
}

// TestAccAuthenticate_unknown doesn't claim that a user has stayed away if the last check could not tell.
func TestAccAuthenticate_unknown(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	plane.Arm(devserver.Fault{Match: waiting, Status: 403, Detail: "Not for you.", Times: 999})()
	_, diags := plane.RPC().Invoke(t.Context(), authenticate, object{"provider_id": "calendar", "timeout": "1s"}, nil)
	told := providertest.Told(diags)
	if !strings.Contains(told, `ERROR: Unknown whether the user has logged in at OAuth provider "calendar"`) || !strings.Contains(told, "Not for you.") {
		t.Errorf("told %s", told)
	}
}

func TestAccAuthenticate_fails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config object
		came   func(t *testing.T, plane *providertest.Plane, address string)
		want   string
	}{
		"denied": {object{}, func(t *testing.T, plane *providertest.Plane, address string) {
			comeBack(t, plane, address, url.Values{"error": {"access_denied"}, "error_description": {"Not today."}})
		}, "The service says: access_denied: Not today. Run the action again for a new URL."},
		"nobody comes": {object{"timeout": "1s"}, func(_ *testing.T, plane *providertest.Plane, _ string) {
			plane.Server.EndStreams() // The service would hold each request for a while.
		}, "The user has not logged in within 1s."},
		"no such provider": {object{"provider_id": "none"}, nil, "OAuth provider 'none' not found."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := calendar(t)
			config := object{"provider_id": "calendar"}
			maps.Copy(config, tc.config)
			_, diags := plane.RPC().Invoke(t.Context(), authenticate, config, func(message string) {
				if tc.came != nil {
					tc.came(t, plane, addressIn(t, message))
				}
			})
			if told := providertest.Told(diags); !strings.Contains(told, tc.want) {
				t.Errorf("told %s, want %q", told, tc.want)
			}
		})
	}
}

func TestAccRevokeOAuthTokens(t *testing.T) {
	t.Parallel()
	plane := calendar(t)
	rpc := plane.RPC()
	for i, want := range []string{"0 tokens revoked", "1 token revoked", "2 tokens revoked"} {
		for range i {
			imported(plane, secret, 3600)
		}
		messages, diags := rpc.Invoke(t.Context(), "agentplane_revoke_oauth_tokens", object{"provider_id": "calendar"}, nil)
		rpc.OK(nil, diags)
		if len(messages) != 1 || !strings.HasSuffix(messages[0], want) {
			t.Errorf("told %q, want %q", messages, want)
		}
	}
	var left []any
	if plane.Call("GET", "/v2/auth/tokens", nil, &left); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// TestAccRevokeOAuthTokens_fails doesn't report a mistyped OAuth provider as one without tokens.
func TestAccRevokeOAuthTokens_fails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		providerID string
		fault      *devserver.Fault
		words      []string
	}{
		"no such provider": {providerID: "calender", words: []string{"OAuth provider 'calender' not found", "Check provider_id"}},
		"refused":          {providerID: "calendar", fault: &devserver.Fault{Match: "DELETE /v2/auth/tokens", Status: 403, Detail: "Not for you."}, words: []string{"Not for you."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := calendar(t)
			imported(plane, secret, 3600)
			if tc.fault != nil {
				plane.Arm(*tc.fault)()
			}
			messages, diags := plane.RPC().Invoke(t.Context(), "agentplane_revoke_oauth_tokens", object{"provider_id": tc.providerID}, nil)
			told := providertest.Told(diags)
			for _, want := range append(tc.words, `ERROR: Cannot revoke the tokens of OAuth provider "`+tc.providerID+`"`) {
				if !strings.Contains(told, want) {
					t.Errorf("told %s, want %q", told, want)
				}
			}
			if len(messages) > 0 {
				t.Errorf("told %q", messages)
			}
			var left []any
			if plane.Call("GET", "/v2/auth/tokens", nil, &left); len(left) != 1 {
				t.Errorf("left are %v", left)
			}
		})
	}
}
