package toylogin

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Paths relative to the base of a Server.
const (
	authorizePath = "/authorize"
	tokenPath     = "/token"
)

const (
	// codeTime and tokenTime are the lifetimes of codes and access tokens.
	codeTime  = time.Minute
	tokenTime = time.Hour
	// most limits the number of codes, and of refresh tokens, that are kept.
	most = 1000
)

//go:embed templates/login.html
var templates embed.FS

var loginPage = template.Must(template.ParseFS(templates, "templates/login.html"))

// Client is the only client of a Server.
type Client struct{ ID, Secret string }

// Server is an authorization server without real authentication.
type Server struct {
	client Client
	now    func() time.Time

	mu      sync.Mutex
	codes   map[string]grant
	refresh map[string]grant
}

// grant is what a user has allowed.
type grant struct {
	redirectURI, challenge, method, scope, user string
	expires                                     time.Time
}

// New returns a server with a client whose secret is known to nobody else.
func New(now func() time.Time) *Server {
	return &Server{
		client: Client{ID: "dev-server", Secret: rand.Text()}, now: now,
		codes: map[string]grant{}, refresh: map[string]grant{},
	}
}

// Client returns the client that may request tokens.
func (s *Server) Client() Client { return s.client }

// AuthURL returns the authorization URL of a server with the given base.
func AuthURL(base string) string { return base + authorizePath }

// TokenURL returns the token URL of a server with the given base.
func TokenURL(base string) string { return base + tokenPath }

// ServeHTTP handles requests from this machine.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if from, err := netip.ParseAddr(host); err != nil || !from.Unmap().IsLoopback() {
		http.Error(w, "The toy login works only on this machine.", http.StatusForbidden)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path == authorizePath && r.Method == http.MethodGet:
		s.show(w, r)
	case r.URL.Path == authorizePath && r.Method == http.MethodPost:
		s.decide(w, r)
	case r.URL.Path == tokenPath && r.Method == http.MethodPost:
		s.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

// check finds problems that must not be reported to the redirect URI, because it may not be the client's.
func (s *Server) check(w http.ResponseWriter, r *http.Request, q url.Values) bool {
	to, err := url.Parse(q.Get("redirect_uri"))
	local := false
	if err == nil {
		address, failed := netip.ParseAddr(to.Hostname())
		local = to.Hostname() == "localhost" || failed == nil && address.Unmap().IsLoopback()
	}
	switch {
	case len(r.URL.RawQuery) > limits.LoginQuery: // Grants keep parts of it.
		http.Error(w, "The address is too long.", http.StatusRequestURITooLong)
	case q.Get("client_id") != s.client.ID:
		http.Error(w, "The client is unknown.", http.StatusBadRequest)
	case !local || to.Scheme != "http" && to.Scheme != "https":
		http.Error(w, "The redirect_uri must be on this machine.", http.StatusBadRequest)
	case q.Get("response_type") != "code":
		http.Error(w, "The response_type must be code.", http.StatusBadRequest)
	case !slices.Contains([]string{"", "plain", "S256"}, q.Get("code_challenge_method")):
		http.Error(w, "The code_challenge_method must be plain or S256.", http.StatusBadRequest)
	default:
		return true
	}
	return false
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !s.check(w, r, q) {
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
	_ = loginPage.Execute(w, struct { // An error means that the client is gone.
		ClientID string
		Scopes   []string
	}{s.client.ID, strings.Fields(q.Get("scope"))})
}

// decide redirects the browser to the client with a code, or with a refusal.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !s.check(w, r, q) {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	back := url.Values{"state": {q.Get("state")}}
	kept := func(name string) string { return strings.Clone(q.Get(name)) } // A part of the address keeps all of it in memory.
	if user := r.PostFormValue("user"); r.PostFormValue("decision") == "allow" && user != "" && len(user) <= 100 {
		code := rand.Text()
		s.remember(s.codes, code, grant{
			redirectURI: kept("redirect_uri"), challenge: kept("code_challenge"), method: kept("code_challenge_method"),
			scope: kept("scope"), user: user, expires: s.now().Add(codeTime),
		})
		back.Set("code", code)
	} else {
		back.Set("error", "access_denied")
		back.Set("error_description", "The user denied access.")
	}
	to, _ := url.Parse(q.Get("redirect_uri")) // It was validated.
	to.RawQuery = back.Encode()
	http.Redirect(w, r, to.String(), http.StatusSeeOther) //nolint:gosec // Only to this machine, as validated.
}

func (s *Server) remember(in map[string]grant, key string, g grant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other := range in {
		if len(in) < most {
			break
		}
		delete(in, other)
	}
	in[key] = g
}

// take returns a grant and removes it.
func (s *Server) take(in map[string]grant, key string) (grant, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, known := in[key]
	delete(in, key)
	return g, known
}

// answer is the response of a token endpoint.
type answer struct {
	AccessToken  string `json:"access_token,omitempty"`
	TokenType    string `json:"token_type,omitempty"`
	ExpiresIn    int64  `json:"expires_in,omitempty"`
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope,omitempty"`
	Error        string `json:"error,omitempty"`
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	g, failure := s.granted(r)
	reply, status := answer{Error: failure}, http.StatusBadRequest
	switch failure {
	case "":
		reply, status = answer{
			AccessToken: "toy-" + rand.Text(), TokenType: "Bearer", ExpiresIn: int64(tokenTime / time.Second),
			RefreshToken: rand.Text(), Scope: g.scope,
		}, http.StatusOK
		s.remember(s.refresh, reply.RefreshToken, g)
	case "invalid_client":
		status = http.StatusUnauthorized
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(reply) //nolint:gosec // Returning tokens is the purpose. An error means that the client is gone.
}

// granted returns the client's grant, or an error code of RFC 6749.
func (s *Server) granted(r *http.Request) (g grant, failure string) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if id != s.client.ID || subtle.ConstantTimeCompare([]byte(secret), []byte(s.client.Secret)) != 1 {
		return g, "invalid_client"
	}
	var known bool
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		g, known = s.take(s.codes, r.PostFormValue("code"))
		known = known && g.expires.After(s.now()) && g.redirectURI == r.PostFormValue("redirect_uri") && g.proven(r.PostFormValue("code_verifier"))
	case "refresh_token":
		g, known = s.take(s.refresh, r.PostFormValue("refresh_token"))
	default:
		return g, "unsupported_grant_type"
	}
	if !known {
		return g, "invalid_grant"
	}
	return g, ""
}

// proven says whether a verifier matches the challenge of a grant (RFC 7636).
func (g grant) proven(verifier string) bool {
	if g.challenge == "" {
		return verifier == ""
	}
	if g.method == "S256" {
		digest := sha256.Sum256([]byte(verifier))
		verifier = base64.RawURLEncoding.EncodeToString(digest[:])
	}
	return verifier == g.challenge
}
