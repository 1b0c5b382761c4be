package authservice_test

import (
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

func connections(p *plane, agent string) []api.AgentConnectionResponse {
	p.T.Helper()
	return devservertest.Get[api.AgentConnectionListResponse](p, "/v2/auth/agents/"+agent+"/connections").Data
}

func TestConnections(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	provide(p, providerBody("mail"))
	if none := connections(p, "helper%2F1"); none == nil || len(none) > 0 {
		t.Errorf("connections at first = %v, want an empty list", none)
	}
	id := imports(p)
	if got := authenticate(p, object{"agent_id": "helper/1"}); got.Status != api.AuthConnectionRequired || got.Token != nil {
		t.Errorf("authenticate without a connection = %+v, want connection_required without a token", got)
	}
	r := p.Do(http.MethodPost, "/v2/auth/agents/helper%2F1/connections", object{"oauth_token_id": id}).Want(http.StatusCreated)
	made := devservertest.Into[api.AgentConnectionResponse](r)
	want := api.AgentConnectionResponse{
		ID: made.ID, AgentID: "helper/1", OAuthTokenID: id, ProviderID: "mail", Scopes: []string{"read"},
		CreatedBy: "00000000-0000-4000-8000-000000000002", CreatedAt: "2026-05-02T10:00:00.000000Z",
	}
	devservertest.Same(t, "connections", []api.AgentConnectionResponse{want, want}, append(connections(p, "helper%2F1"), made))
	devservertest.Same(t, "token with a connection", "imported", token(authenticate(p, object{"agent_id": "helper/1"})))
	devservertest.Same(t, "authenticate for another agent", api.AuthConnectionRequired, authenticate(p, object{"agent_id": "other"}).Status)
	p.Do(http.MethodPost, "/v2/auth/agents/helper%2F1/connections", object{"oauth_token_id": id}).Want(http.StatusConflict).
		WantDetail("Agent 'helper/1' is already connected to OAuth token ID " + id + ".")
	p.Do(http.MethodPost, "/v2/auth/agents/helper/connections", object{"oauth_token_id": "x"}).Want(http.StatusNotFound).
		WantDetail("OAuth token ID x not found.")
	p.Do(http.MethodDelete, "/v2/auth/agents/other/connections/"+made.ID, nil).Want(http.StatusNotFound).
		WantDetail("Connection ID " + made.ID + " of agent 'other' not found.")
	p.Do(http.MethodDelete, "/v2/auth/agents/helper%2F1/connections/"+made.ID, nil).Want(http.StatusNoContent)
	if left := connections(p, "helper%2F1"); len(left) > 0 {
		t.Errorf("connections after the removal = %+v, want none", left)
	}
	if all := tokens(p); len(all) != 1 {
		t.Errorf("tokens after the connection is removed = %+v, want the user's token kept", all)
	}
}

// TestLoginForAgent checks that a login started by an agent connects the agent.
func TestLoginForAgent(t *testing.T) {
	t.Parallel()
	p, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
	provide(p, server.provider("mail"))
	login(p, object{"agent_id": "helper"})
	if got := connections(p, "helper"); len(got) != 1 || got[0].OAuthTokenID != tokens(p)[0].ID {
		t.Errorf("connections = %+v, want one with the new token", got)
	}
	devservertest.Same(t, "token", "access-1", token(authenticate(p, object{"agent_id": "helper"})))
}

// TestAgentProviderToken checks that an agent's own token is used for all users of the agent, and for nothing else.
func TestAgentProviderToken(t *testing.T) {
	t.Parallel()
	ann, bob, eve := people(t)
	provide(ann, providerBody("mail"))
	provide(eve, providerBody("mail"))
	const path = "/v2/auth/agents/helper/providers/mail/tokens"
	upsert := func(changes ...object) api.AgentConnectionResponse {
		t.Helper()
		body := devservertest.With(object{"access_token": "own", "scopes": []string{"read"}}, changes...)
		return devservertest.Into[api.AgentConnectionResponse](ann.Do(http.MethodPost, path, body).Want(http.StatusCreated))
	}
	made := upsert(object{"provider_account_label": "bot", "expires_in_seconds": 3600})
	want := api.AgentConnectionResponse{
		ID: made.ID, AgentID: "helper", OAuthTokenID: made.OAuthTokenID, ProviderID: "mail", ProviderAccountLabel: new("bot"),
		Scopes: []string{"read"}, ExpiresAt: new("2026-05-02T11:00:00.000000Z"), CreatedBy: "ann", CreatedAt: "2026-05-02T10:00:00.000000Z",
	}
	devservertest.Same(t, "made", want, made)
	want.ProviderAccountLabel, want.ExpiresAt, want.Scopes = nil, nil, []string{"read", "write"}
	devservertest.Same(t, "replaced", want, upsert(object{"access_token": "new", "scopes": []string{"read", "write"}}))
	for name, p := range map[string]*plane{"ann": ann, "bob": bob} {
		devservertest.Same(t, "token of the agent for "+name, "new", token(authenticate(p, object{"agent_id": "helper"})))
		if all := tokens(p); len(all) > 0 {
			t.Errorf("tokens of %s = %+v, want none", name, all)
		}
		devservertest.Same(t, "authenticate for "+name+" without the agent", api.AuthPending, authenticate(p).Status)
	}
	devservertest.Same(t, "authenticate in another workspace", api.AuthPending, authenticate(eve, object{"agent_id": "helper"}).Status)
	bob.Do(http.MethodPost, path, object{"access_token": "bob's"}).Want(http.StatusConflict)
	ann.Do(http.MethodPost, "/v2/auth/agents/helper/providers/none/tokens", object{"access_token": "a"}).Want(http.StatusNotFound)
	ann.Do(http.MethodPost, path, object{"access_token": ""}).Want(http.StatusUnprocessableEntity)
	ann.Do(http.MethodDelete, "/v2/auth/agents/helper/connections/"+made.ID, nil).Want(http.StatusNoContent)
	devservertest.Same(t, "authenticate after the removal", api.AuthPending, authenticate(ann, object{"agent_id": "helper"}).Status)
}
