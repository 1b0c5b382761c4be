package authservice_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// Short names for what most tests use.
type (
	object = devservertest.Object
	plane  = devservertest.Plane
)

// Keys of two users of one workspace, and of one user of another.
var keys = []devserver.Key{
	{Value: "key-of-ann", Workspaces: []string{devservertest.WorkspaceA}, User: "ann"},
	{Value: "key-of-bob", Workspaces: []string{devservertest.WorkspaceA}, User: "bob"},
	{Value: "key-of-eve", Workspaces: []string{devservertest.WorkspaceB}, User: "eve"},
}

// people starts a server with keys, and returns a client for each user.
func people(t *testing.T) (ann, bob, eve *plane) {
	t.Helper()
	p := devservertest.New(t, devserver.Config{Keys: keys, AllowLoopback: true})
	return p.As("X-Api-Key", "key-of-ann"), p.As("X-Api-Key", "key-of-bob"), p.As("X-Api-Key", "key-of-eve")
}

// tokenRequest is a request that a token endpoint received.
type tokenRequest struct {
	form     url.Values
	id, word string // HTTP Basic credentials.
}

// tokenServer is a token endpoint whose responses a test sets.
type tokenServer struct {
	*httptest.Server
	mu       sync.Mutex
	status   int
	reply    object
	requests []tokenRequest
	// hold is called before each response.
	hold func()
}

func newTokenServer(t *testing.T) *tokenServer {
	t.Helper()
	s := &tokenServer{status: http.StatusOK, reply: object{
		"access_token": "access-1", "refresh_token": "refresh-1", "token_type": "Bearer", "expires_in": 3600,
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		id, word, _ := r.BasicAuth()
		s.mu.Lock()
		s.requests = append(s.requests, tokenRequest{r.PostForm, id, word})
		status, reply, hold := s.status, s.reply, s.hold
		s.mu.Unlock()
		if hold != nil {
			hold()
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(reply); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// answer sets the next responses.
func (s *tokenServer) answer(status int, reply object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.reply = status, reply
}

// asked returns the requests since the last call.
func (s *tokenServer) asked() []tokenRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.requests
	s.requests = nil
	return asked
}

// provider returns the request body of a provider with this token endpoint.
func (s *tokenServer) provider(slug string, changes ...object) object {
	return providerBody(slug, append([]object{{"token_url": s.URL + "/token"}}, changes...)...)
}

func authenticate(p *plane, changes ...object) api.AuthAuthenticateResponse {
	p.T.Helper()
	body := devservertest.With(object{"provider": "mail", "scopes": []string{"read"}}, changes...)
	return devservertest.Into[api.AuthAuthenticateResponse](p.Do(http.MethodPost, "/v2/auth/authenticate", body).Want(http.StatusOK))
}

// begun is a pending login.
type begun struct {
	authID string
	url    *url.URL
	query  url.Values
}

func begin(p *plane, changes ...object) begun {
	p.T.Helper()
	answer := authenticate(p, changes...)
	if answer.Status != api.AuthPending || answer.URL == nil || answer.AuthID == nil || answer.Token != nil {
		p.T.Fatalf("response = %+v, want pending with a URL and an auth ID", answer)
	}
	at, err := url.Parse(*answer.URL)
	devservertest.Must(p.T, err)
	return begun{*answer.AuthID, at, at.Query()}
}

// back sends the browser, which has no key, back to the server.
func back(p *plane, slug string, query url.Values) devservertest.Reply {
	p.T.Helper()
	return p.As().Do(http.MethodGet, "/v2/auth/callback/"+slug+"?"+query.Encode(), nil)
}

// login completes a flow.
func login(p *plane, changes ...object) begun {
	p.T.Helper()
	flow := begin(p, changes...)
	back(p, "mail", url.Values{"state": flow.query["state"], "code": {"the-code"}}).Want(http.StatusOK)
	return flow
}

func waitFor(p *plane, authID string) api.AuthWaitResponse {
	p.T.Helper()
	return devservertest.Get[api.AuthWaitResponse](p, "/v2/auth/wait/"+authID+"?timeout=0")
}

func tokens(p *plane) []api.OAuthTokenSummary {
	p.T.Helper()
	return devservertest.Get[[]api.OAuthTokenSummary](p, "/v2/auth/tokens")
}

// events returns types and reasons of events, newest first.
func events(p *plane) (told []string) {
	p.T.Helper()
	for _, event := range devservertest.Get[[]api.TokenEventSummary](p, "/v2/auth/token-events") {
		text := string(event.EventType)
		if event.Reason != nil {
			text += ": " + *event.Reason
		}
		told = append(told, text)
	}
	return told
}
