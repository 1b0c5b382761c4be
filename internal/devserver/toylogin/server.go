package toylogin

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/seal"
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
)

//go:embed templates/login.html
var templates embed.FS

var loginPage = template.Must(template.ParseFS(templates, "templates/login.html"))

// Client is the only client of a Server.
type Client struct{ ID, Secret string }

// Server is an authorization server without real authentication. It stores nothing: its codes and refresh tokens contain what a user has
// allowed, encrypted, so that any server with the same key takes them, also after a restart. Only the server that took a code refuses it
// from then on.
type Server struct {
	client Client
	now    func() time.Time
	key    seal.Key

	mu   sync.Mutex
	used map[string]time.Time // When codes that were exchanged expire, by ID.
}

// The purposes of encrypted grants.
const (
	ofCode    = "toy login code"
	ofRefresh = "toy login refresh token"
)

// grant is what a user has allowed.
type grant struct {
	ID, RedirectURI, Challenge, Method, Scope, User string
	Expires                                         time.Time
}

// New returns a server. All servers with the same key have the same client.
func New(now func() time.Time, key seal.Key) *Server {
	return &Server{client: Client{ID: "dev-server", Secret: key.Text("toy login")}, now: now, key: key, used: map[string]time.Time{}}
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
	case len(r.URL.RawQuery) > limits.LoginQuery: // Codes contain parts of it.
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
	if user := r.PostFormValue("user"); r.PostFormValue("decision") == "allow" && user != "" && len(user) <= 100 {
		back.Set("code", s.sealed(ofCode, grant{
			ID: rand.Text(), RedirectURI: q.Get("redirect_uri"), Challenge: q.Get("code_challenge"), Method: q.Get("code_challenge_method"),
			Scope: q.Get("scope"), User: user, Expires: s.now().Add(codeTime),
		}))
	} else {
		back.Set("error", "access_denied")
		back.Set("error_description", "The user denied access.")
	}
	to, _ := url.Parse(q.Get("redirect_uri")) // It was validated.
	to.RawQuery = back.Encode()
	http.Redirect(w, r, to.String(), http.StatusSeeOther) //nolint:gosec // Only to this machine, as validated.
}

func (s *Server) sealed(purpose string, g grant) string {
	text, _ := json.Marshal(g) // Encoding it never fails.
	return base64.RawURLEncoding.EncodeToString(s.key.Seal(purpose, string(text)))
}

// opened returns the grant in a code or a refresh token of this client.
func (s *Server) opened(purpose, sealed string) (g grant, known bool) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return g, false
	}
	text, err := s.key.Open(purpose, raw)
	return g, err == nil && json.Unmarshal([]byte(text), &g) == nil
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
			RefreshToken: s.sealed(ofRefresh, g), Scope: g.Scope,
		}, http.StatusOK
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
		g, known = s.opened(ofCode, r.PostFormValue("code"))
		known = known && g.RedirectURI == r.PostFormValue("redirect_uri") && g.proven(r.PostFormValue("code_verifier")) && s.use(g)
	case "refresh_token":
		g, known = s.opened(ofRefresh, r.PostFormValue("refresh_token"))
	default:
		return g, "unsupported_grant_type"
	}
	if !known {
		failure = "invalid_grant"
	}
	return g, failure
}

// use reports whether a code hasn't expired and hasn't been exchanged before, and remembers it until it expires.
func (s *Server) use(g grant) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now() // Once: no code may be forgotten that is still accepted.
	maps.DeleteFunc(s.used, func(_ string, expires time.Time) bool { return !expires.After(now) })
	id := cmp.Or(g.ID, g.Expires.String()) // Codes of older versions have no ID.
	if _, again := s.used[id]; again || !g.Expires.After(now) {
		return false
	}
	s.used[id] = g.Expires
	return true
}

// proven reports whether a verifier matches the challenge of a grant (RFC 7636).
func (g grant) proven(verifier string) bool {
	if g.Challenge == "" {
		return verifier == ""
	}
	if g.Method == "S256" {
		digest := sha256.Sum256([]byte(verifier))
		verifier = base64.RawURLEncoding.EncodeToString(digest[:])
	}
	return verifier == g.Challenge
}
