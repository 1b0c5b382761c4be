package authservice_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// loggedIn starts a server with a token that is valid for an hour.
func loggedIn(t *testing.T) (*plane, *tokenServer) {
	t.Helper()
	p, server := devservertest.New(t, devserver.Config{}), newTokenServer(t)
	provide(p, server.provider("mail", object{"client_secret": "s"}))
	login(p)
	server.asked()
	return p, server
}

func token(answer api.AuthAuthenticateResponse) string {
	if answer.Token == nil {
		return string(answer.Status)
	}
	return *answer.Token
}

// TestRefresh checks that a token is refreshed less than five minutes before it expires. The response may have a new refresh token.
func TestRefresh(t *testing.T) {
	t.Parallel()
	p, server := loggedIn(t)
	p.Clock.Advance(55 * time.Minute)
	if got := token(authenticate(p)); got != "access-1" || len(server.asked()) > 0 {
		t.Errorf("token five minutes before it expires = %s, want access-1 and no request", got)
	}
	for _, step := range []struct{ refreshed, refresh, sent string }{{"access-2", "", "refresh-1"}, {"access-3", "refresh-3", "refresh-1"}, {"access-4", "", "refresh-3"}} {
		p.Clock.Advance(time.Second)
		reply := object{"access_token": step.refreshed, "expires_in": 300, "scope": "read,write"}
		if step.refresh != "" {
			reply["refresh_token"] = step.refresh
		}
		server.answer(http.StatusOK, reply)
		devservertest.Same(t, "token", step.refreshed, token(authenticate(p)))
		want := []tokenRequest{{form: map[string][]string{
			"grant_type": {"refresh_token"}, "refresh_token": {step.sent}, "client_id": {"c"}, "client_secret": {"s"},
		}}}
		devservertest.Same(t, "token requests", want, server.asked(), cmp.AllowUnexported(tokenRequest{}))
	}
	all := tokens(p)
	if len(all) != 1 || *all[0].ExpiresAt != "2026-05-02T11:00:03.000000Z" || !slices.Equal(all[0].Scopes, []string{"read", "write"}) {
		t.Errorf("tokens = %+v, want one with the new expiry and both scopes", all)
	}
	devservertest.Same(t, "events", []string{"refreshed", "refreshed", "refreshed", "created"}, events(p))
}

// TestRefreshesOneAtATime checks that a refresh token is sent once: many servers revoke the grant if it is reused.
func TestRefreshesOneAtATime(t *testing.T) {
	t.Parallel()
	p, server := loggedIn(t)
	p.Clock.Advance(59 * time.Minute)
	server.answer(http.StatusOK, object{"access_token": "access-2", "refresh_token": "refresh-2", "expires_in": 3600})
	arrived, release := make(chan struct{}, 16), make(chan struct{})
	server.hold = func() { arrived <- struct{}{}; <-release }
	var all sync.WaitGroup
	got := make([]string, 8)
	for i := range got {
		all.Go(func() { got[i] = token(authenticate(p)) })
	}
	<-arrived
	close(release)
	all.Wait()
	for _, one := range got {
		devservertest.Same(t, "token", "access-2", one)
	}
	if asked := server.asked(); len(asked) != 1 {
		t.Errorf("the token endpoint got %d requests, want 1", len(asked))
	}
}

func TestRefreshFails(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		left   time.Duration
		status int
		reply  object
		want   string // The token, or the status.
		again  int    // The token endpoint's requests during two more calls.
		events []string
	}{
		"revoked, still valid":      {time.Minute, 400, object{"error": "invalid_grant"}, "access-1", 0, []string{"failed: invalid_grant", "created"}},
		"revoked and expired":       {0, 400, object{"error": "invalid_grant"}, "pending", 0, []string{"failed: invalid_grant", "created"}},
		"unavailable, still valid":  {time.Minute, 503, object{}, "access-1", 2, []string{"created"}},
		"answers HTML, still valid": {time.Minute, 200, object{}, "access-1", 2, []string{"created"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := loggedIn(t)
			p.Clock.Advance(time.Hour - tc.left)
			server.answer(tc.status, tc.reply)
			devservertest.Same(t, "authenticate", tc.want, token(authenticate(p)))
			if asked := server.asked(); len(asked) != 1 {
				t.Errorf("the token endpoint got %d requests, want 1", len(asked))
			}
			authenticate(p)
			authenticate(p)
			if asked := server.asked(); len(asked) != tc.again {
				t.Errorf("the token endpoint got %d more requests, want %d", len(asked), tc.again)
			}
			devservertest.Same(t, "events", tc.events, events(p))
		})
	}
	t.Run("unavailable and expired", func(t *testing.T) {
		t.Parallel()
		p, server := loggedIn(t)
		p.Clock.Advance(time.Hour)
		server.answer(http.StatusServiceUnavailable, object{})
		p.Do(http.MethodPost, "/v2/auth/authenticate", object{"provider": "mail", "scopes": []string{}}).Want(http.StatusBadRequest).
			WantDetail("The token of OAuth provider 'mail' has expired and can't be refreshed now: the token endpoint returned status 503. Try again later.")
	})
	t.Run("expired and asked for by its id", func(t *testing.T) {
		t.Parallel()
		p, server := loggedIn(t)
		p.Clock.Advance(time.Hour)
		server.answer(http.StatusBadRequest, object{"error": "invalid_grant"})
		if got := authenticate(p, object{"token_id": tokens(p)[0].ID}); got.Status != api.AuthTokenExpired || got.URL != nil {
			t.Errorf("authenticate = %+v, want that the token has expired, without a URL", got)
		}
	})
}
