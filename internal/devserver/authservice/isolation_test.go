package authservice_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestIsolation lets the other users try to access Ann's objects. Bob shares her workspace, Eve doesn't: an organization is a workspace
// here. Each has a provider with the same slug, and an agent with the same ID.
func TestIsolation(t *testing.T) {
	t.Parallel()
	ann, bob, eve := people(t)
	server := newTokenServer(t)
	provide(ann, server.provider("mail"))
	provide(eve, server.provider("mail"))
	flow := login(ann)
	anns := tokens(ann)[0].ID
	r := ann.Do(http.MethodPost, "/v2/auth/agents/helper/connections", object{"oauth_token_id": anns}).Want(http.StatusCreated)
	connection := devservertest.Into[api.AgentConnectionResponse](r).ID
	open := begin(ann, object{"force_new": true})
	before := [][]string{{tokens(ann)[0].UpdatedAt}, events(ann)}

	for name, p := range map[string]*plane{"bob": bob, "eve": eve} {
		tries := map[string]struct {
			method, path string
			body         any
			status       int
			answer       string // Where the status alone isn't enough.
		}{
			"her token by its id":       {"POST", "/v2/auth/authenticate", object{"provider": "mail", "scopes": []string{}, "token_id": anns}, 404, ""},
			"her flow":                  {"GET", "/v2/auth/wait/" + flow.authID + "?timeout=0", nil, 200, `{"status":"not_found","token":null}`},
			"her open flow":             {"GET", "/v2/auth/wait/" + open.authID + "?timeout=0", nil, 200, `{"status":"not_found","token":null}`},
			"her tokens":                {"GET", "/v2/auth/tokens", nil, 200, `[]`},
			"whether she has one":       {"GET", "/v2/auth/tokens/exists?provider_id=mail", nil, 200, `{"has_token":false}`},
			"whether she has some":      {"POST", "/v2/auth/tokens/exists/batch", object{"provider_ids": []string{"mail"}}, 200, `{"has_token":{"mail":false}}`},
			"the label":                 {"PATCH", "/v2/auth/tokens/" + anns + "/metadata", object{"provider_account_label": "mine"}, 404, ""},
			"deletes it":                {"DELETE", "/v2/auth/tokens/" + anns, nil, 404, ""},
			"deletes all":               {"DELETE", "/v2/auth/tokens?provider_id=mail", nil, 200, ""},
			"her events":                {"GET", "/v2/auth/token-events", nil, 200, `[]`},
			"her connections":           {"GET", "/v2/auth/agents/helper/connections", nil, 200, `{"data":[]}`},
			"connects an agent to it":   {"POST", "/v2/auth/agents/mine/connections", object{"oauth_token_id": anns}, 404, ""},
			"removes the connection":    {"DELETE", "/v2/auth/agents/helper/connections/" + connection, nil, 404, ""},
			"ends her flow":             {"POST", "/v2/auth/callback/mail", object{"code": "c", "state": open.query.Get("state")}, 400, ""},
			"in her name":               {"POST", "/v2/auth/authenticate", object{"provider": "mail", "scopes": []string{}, "user_id": "ann"}, 403, ""},
			"in her name, other field":  {"POST", "/v2/auth/authenticate", object{"provider": "mail", "scopes": []string{}, "ls_user_id": "ann"}, 403, ""},
			"in her name, by the agent": {"POST", "/v2/auth/authenticate", object{"provider": "mail", "scopes": []string{}, "user_id": "ann", "agent_id": "helper"}, 403, ""},
		}
		for what, try := range tries {
			r := p.Do(try.method, try.path, try.body).Want(try.status)
			if try.answer != "" && string(r.Body) != try.answer+"\n" {
				t.Errorf("%s tries %s: response = %s, want %s", name, what, r.Body, try.answer)
			}
		}
		devservertest.Same(t, name+" authenticates with Ann's agent", api.AuthPending, authenticate(p, object{"agent_id": "helper"}).Status)
	}
	bob.As("X-Api-Key", "key-of-bob", "X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodGet, "/v2/auth/tokens", nil).Want(http.StatusForbidden)

	devservertest.Same(t, "Ann's token or events have changed", before, [][]string{{tokens(ann)[0].UpdatedAt}, events(ann)})
	if left := connections(ann, "helper"); len(left) != 1 {
		t.Errorf("Ann's connections = %+v, want one", left)
	}
	back(ann, "mail", url.Values{"state": open.query["state"], "code": {"c"}}).Want(http.StatusOK)
}

// TestSlackOfWorkspaces checks that tokens for Slack belong to one workspace.
func TestSlackOfWorkspaces(t *testing.T) {
	t.Parallel()
	ann, bob, eve := people(t)
	provide(ann, providerBody("chat", object{"provider_type": "slack"}))
	imports(ann, object{"provider_id": "chat"})
	eve.Do(http.MethodDelete, "/v2/auth/tokens/workspace/slack", nil).Want(http.StatusOK)
	for name, test := range map[string]struct {
		p    *plane
		want bool
	}{"ann": {ann, true}, "bob, who shares her workspace": {bob, true}, "eve": {eve, false}} {
		if got := devservertest.Get[api.OAuthTokenStatusResponse](test.p, "/v2/auth/tokens/workspace/slack/exists"); got.HasToken != test.want {
			t.Errorf("%s: has_token = %v, want %v", name, got.HasToken, test.want)
		}
	}
}

// TestEndUsers checks that users without a key of their own belong to the workspace that names them.
func TestEndUsers(t *testing.T) {
	t.Parallel()
	ann, bob, eve := people(t)
	server := newTokenServer(t)
	provide(ann, server.provider("mail"))
	provide(eve, server.provider("mail"))
	flow := login(ann, object{"user_id": "visitor"})
	if got := authenticate(bob, object{"ls_user_id": "visitor"}); token(got) != "access-1" || *got.UserID != "visitor" {
		t.Errorf("authenticate in the same workspace = %+v, want access-1 for visitor", got)
	}
	devservertest.Same(t, "wait in the same workspace", api.AuthWaitCompleted, waitFor(bob, flow.authID).Status)
	devservertest.Same(t, "authenticate in another workspace", api.AuthPending, authenticate(eve, object{"user_id": "visitor"}).Status)
	if all := tokens(ann); len(all) > 0 {
		t.Errorf("Ann's tokens = %+v, want none", all)
	}
	devservertest.Same(t, "token", "access-1", token(authenticate(ann, object{"user_id": "visitor", "scopes": []string{}})))
	devservertest.Same(t, "authenticate for another visitor", api.AuthPending, authenticate(ann, object{"user_id": "other"}).Status)
}
