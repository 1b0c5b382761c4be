package authservice_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

const mail = "/v2/auth/providers/mail"

// TestMovedProviderDrawsNothing checks that a user of the workspace can't draw another user's refresh token, or the client secret, by
// pointing a provider at a server of their own.
func TestMovedProviderDrawsNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		secret object // How the provider is created.
		again  object // What the patch sends in addition.
		status int
	}{
		"without the secret": {object{"client_secret": "s"}, object{}, http.StatusUnprocessableEntity},
		"with null":          {object{"client_secret": "s"}, object{"client_secret": nil}, http.StatusUnprocessableEntity},
		"with an empty one":  {object{"client_secret": "s"}, object{"client_secret": ""}, http.StatusUnprocessableEntity},
		"with a made-up one": {object{"client_secret": "s"}, object{"client_secret": "made up"}, http.StatusOK},
		"of a public client": {object{"token_endpoint_auth_method": "none"}, object{}, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ann, bob, _ := people(t)
			theirs, anns := newTokenServer(t), newTokenServer(t)
			provide(bob, theirs.provider("mail", tc.secret))
			login(bob)
			theirs.asked()
			moved := ann.Do(http.MethodPatch, mail, devservertest.With(object{"token_url": anns.URL + "/token"}, tc.again)).Want(tc.status)
			if tc.status == http.StatusUnprocessableEntity {
				devservertest.Same(t, "problems", []string{"client_secret value_error"}, devservertest.Problems(moved))
			}
			devservertest.Same(t, "token before it expires", "access-1", token(authenticate(bob)))
			bob.Clock.Advance(time.Hour)
			got := token(authenticate(bob))
			if asked := anns.asked(); len(asked) > 0 {
				t.Errorf("the new token endpoint got %v, want nothing", asked)
			}
			refreshed := tc.status != http.StatusOK
			if asked := theirs.asked(); (len(asked) == 1) != refreshed {
				t.Errorf("the token endpoint got %d requests, want a refresh: %t", len(asked), refreshed)
			}
			if want := map[bool]string{true: "access-1", false: "pending"}[refreshed]; got != want {
				t.Errorf("token after it expired = %s, want %s", got, want)
			}
		})
	}
}

// TestMovedProviderKeepsNothing checks each field that decides who gets refresh tokens, and that others void nothing.
func TestMovedProviderKeepsNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change object
		kept   bool
	}{
		"client_id":               {object{"client_id": "d", "client_secret": "new"}, false},
		"the same again":          {object{"client_id": "c", "name": "Post"}, true},
		"another secret":          {object{"client_secret": "new"}, true},
		"what users see":          {object{"auth_url": "https://other.example/auth", "uses_pkce": true}, true},
		"another discovery URL":   {object{"mcp_server_url": "https://mcp.example"}, true}, // A patch can't change it.
		"the authentication":      {object{"token_endpoint_auth_method": "none"}, true},    // Nor this.
		"the token URL with both": {object{"token_url": "https://other.example/token", "client_secret": "new"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := loggedIn(t)
			p.Do(http.MethodPatch, mail, tc.change).Want(http.StatusOK)
			p.Clock.Advance(time.Hour)
			if got, asked := token(authenticate(p)), len(server.asked()); (got == "access-1") != tc.kept || (asked == 1) != tc.kept {
				t.Errorf("token = %s after %d requests, want a refresh: %t", got, asked, tc.kept)
			}
		})
	}
}

// TestMovedProviderEndsLogins checks that a code that was granted for the old client isn't sent to the new token endpoint.
func TestMovedProviderEndsLogins(t *testing.T) {
	t.Parallel()
	p, server := loggedIn(t)
	other := newTokenServer(t)
	flow := begin(p, object{"force_new": true})
	p.Do(http.MethodPatch, mail, object{"token_url": other.URL + "/token", "client_secret": "new"}).Want(http.StatusOK)
	devservertest.Same(t, "state of the login", api.AuthWaitNotFound, waitFor(p, flow.authID).Status)
	back(p, "mail", url.Values{"state": flow.query["state"], "code": {"the-code"}}).Want(http.StatusBadRequest)
	if asked := append(server.asked(), other.asked()...); len(asked) > 0 {
		t.Errorf("token requests = %v, want none", asked)
	}
	login(p, object{"force_new": true}) // With the new settings.
	if asked := other.asked(); len(asked) != 1 {
		t.Errorf("the new token endpoint got %d requests, want one", len(asked))
	}
}

// TestMovedDuringLogin checks that a grant that the old token endpoint issues after the change isn't stored: its refresh token would be
// sent to the new one.
func TestMovedDuringLogin(t *testing.T) {
	t.Parallel()
	p, server := loggedIn(t)
	flow := begin(p, object{"force_new": true})
	arrived, release := make(chan struct{}), make(chan struct{})
	server.hold = func() { close(arrived); <-release }
	ended := make(chan devservertest.Reply)
	go func() { ended <- back(p, "mail", url.Values{"state": flow.query["state"], "code": {"the-code"}}) }()
	<-arrived
	p.Do(http.MethodPatch, mail, object{"token_url": "https://other.example/token", "client_secret": "new"}).Want(http.StatusOK)
	close(release)
	(<-ended).Want(http.StatusBadRequest)
	if all := tokens(p); len(all) != 1 {
		t.Errorf("%d tokens, want only that of the first login", len(all))
	}
}
