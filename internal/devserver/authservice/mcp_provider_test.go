package authservice_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// mcpServer is an MCP server with its authorization server. It serves documents by path, and replaces BASE in them by its URL.
type mcpServer struct {
	*httptest.Server
	mu           sync.Mutex
	asked        []string
	registration object
}

const (
	resourceAt = "/.well-known/oauth-protected-resource/mcp"
	serverAt   = "/.well-known/oauth-authorization-server/login"
)

// mcpDocuments are the documents of a correct server.
func mcpDocuments(changes map[string]object) map[string]object {
	documents := map[string]object{
		resourceAt: {"resource": "BASE/mcp", "authorization_servers": []string{"BASE/login"}},
		serverAt: {
			"issuer": "BASE/login", "authorization_endpoint": "BASE/login/auth", "token_endpoint": "BASE/login/token",
			"registration_endpoint": "BASE/register", "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"},
		},
		"/register": {"client_id": "registered", "client_secret": "hush"},
	}
	for path, change := range changes {
		if change == nil {
			delete(documents, path)
			continue
		}
		if documents[path] == nil {
			documents[path] = object{}
		}
		documents[path] = devservertest.With(documents[path], change)
	}
	return documents
}

func newMCPServer(t *testing.T, documents map[string]object) *mcpServer {
	t.Helper()
	s := &mcpServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		document, known := documents[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		if r.Method == http.MethodPost {
			if err := json.NewDecoder(r.Body).Decode(&s.registration); err != nil {
				t.Error(err)
			}
			w.WriteHeader(http.StatusCreated)
		}
		text, err := json.Marshal(document)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte(strings.ReplaceAll(string(text), "BASE", s.URL)))
	}))
	t.Cleanup(s.Close)
	return s
}

func discover(p *plane, address string) devservertest.Reply {
	p.T.Helper()
	return p.Do(http.MethodPost, "/v2/auth/providers/mcp-discover", object{"provider_id": "tools", "name": "Tools", "mcp_server_url": address})
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	p, server := devservertest.New(t, devserver.Config{}), newMCPServer(t, mcpDocuments(nil))
	made := devservertest.Into[api.OAuthProviderResponse](discover(p, server.URL+"/mcp").Want(http.StatusOK))
	callback, mcp := p.Web.URL+"/v2/auth/callback/tools", server.URL+"/mcp"
	want := api.OAuthProviderResponse{
		ID: made.ID, OrganizationID: made.OrganizationID, ProviderID: "tools", Name: "Tools", ClientID: "registered",
		AuthURL: server.URL + "/login/auth", TokenURL: server.URL + "/login/token", UsesPKCE: true, CodeChallengeMethod: new("S256"),
		MCPServerURL: &mcp, TokenEndpointAuthMethod: "client_secret_basic", AuthorizationParams: map[string]string{}, IsDynamicClient: true,
		AllowedRedirectURIs: []string{}, DefaultRedirectURI: &callback,
		CreatedAt: "2026-05-02T10:00:00.000000Z", UpdatedAt: "2026-05-02T10:00:00.000000Z",
	}
	read := devservertest.Get[api.OAuthProviderResponse](p, "/v2/auth/providers/tools")
	devservertest.Same(t, "provider", []api.OAuthProviderResponse{want, want}, []api.OAuthProviderResponse{made, read})
	// RFC 7591, 2.
	asked := object{
		"client_name": "Tools", "redirect_uris": []any{callback}, "grant_types": []any{"authorization_code", "refresh_token"},
		"response_types": []any{"code"}, "token_endpoint_auth_method": "client_secret_basic",
	}
	devservertest.Same(t, "registration", asked, server.registration)
	// RFC 8707, 2.
	if flow := begin(p, object{"provider": "tools"}); flow.query.Get("resource") != mcp || flow.query.Get("client_id") != "registered" {
		t.Errorf("authorization URL = %s, want the server as resource and the registered client", flow.url)
	}
	discover(p, server.URL+"/mcp").Want(http.StatusConflict).WantDetail("OAuth provider 'tools' already exists.")
}

// TestDiscoverAsks expects requests for metadata at the URLs of RFC 9728, RFC 8414 and OpenID Connect Discovery, in the order that
// MCP specifies.
func TestDiscoverAsks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		changes map[string]object
		want    []string
	}{
		"by the path": {nil, []string{"GET " + resourceAt, "GET " + serverAt, "POST /register"}},
		"by the root": {
			map[string]object{resourceAt: nil, "/.well-known/oauth-protected-resource": {"resource": "BASE", "authorization_servers": []string{"BASE/login"}}},
			[]string{"GET " + resourceAt, "GET /.well-known/oauth-protected-resource", "GET " + serverAt, "POST /register"},
		},
		"OpenID, appended": {
			map[string]object{serverAt: nil, "/login/.well-known/openid-configuration": mcpDocuments(nil)[serverAt]},
			[]string{
				"GET " + resourceAt, "GET " + serverAt, "GET /.well-known/openid-configuration/login",
				"GET /login/.well-known/openid-configuration", "POST /register",
			},
		},
		"nothing about the resource": {
			map[string]object{resourceAt: nil, "/.well-known/oauth-authorization-server": devservertest.With(mcpDocuments(nil)[serverAt], object{"issuer": "BASE"})},
			[]string{
				"GET " + resourceAt, "GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-authorization-server", "POST /register",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := devservertest.New(t, devserver.Config{}), newMCPServer(t, mcpDocuments(tc.changes))
			discover(p, server.URL+"/mcp").Want(http.StatusOK)
			devservertest.Same(t, "requested", tc.want, server.asked)
		})
	}
}

func TestDiscoverRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		changes map[string]object
		want    string
	}{
		"another resource":   {map[string]object{resourceAt: {"resource": "https://other.example/mcp"}}, `describes another resource, "https://other.example/mcp"`},
		"another issuer":     {map[string]object{serverAt: {"issuer": "https://other.example"}}, `reports another issuer, "https://other.example"`},
		"no server":          {map[string]object{resourceAt: {"authorization_servers": []string{}}}, "doesn't name an authorization server"},
		"no metadata":        {map[string]object{serverAt: nil}, "has no authorization server metadata"},
		"no registration":    {map[string]object{serverAt: {"registration_endpoint": ""}}, "has no registration_endpoint"},
		"no PKCE":            {map[string]object{serverAt: {"code_challenge_methods_supported": []string{"plain"}}}, "doesn't support PKCE with S256"},
		"private server":     {map[string]object{resourceAt: {"authorization_servers": []string{"https://10.0.0.1/login"}}}, "10.0.0.1 is not a public address"},
		"plain server":       {map[string]object{resourceAt: {"authorization_servers": []string{"http://login.example"}}}, "must use https unless it is on this machine"},
		"odd token endpoint": {map[string]object{serverAt: {"token_endpoint": "file:///etc/passwd"}}, "the token_endpoint: "},
		"no client id":       {map[string]object{"/register": {"client_id": ""}}, "registered a client without an ID"},
		"odd auth method":    {map[string]object{"/register": {"token_endpoint_auth_method": "tls_client_auth"}}, `"tls_client_auth"`},
		"refused":            {map[string]object{"/register": nil}, "registering a client: "},
		"too large":          {map[string]object{resourceAt: {"resource_name": strings.Repeat("x", 256<<10)}}, "returned more than 262144 bytes"},
		"other JSON":         {map[string]object{resourceAt: {"authorization_servers": "BASE/login"}}, "returned unexpected JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := devservertest.New(t, devserver.Config{}), newMCPServer(t, mcpDocuments(tc.changes))
			r := discover(p, server.URL+"/mcp").Want(http.StatusBadRequest)
			detail := devservertest.Into[api.ErrorDetail](r).Detail
			if !strings.HasPrefix(detail, "The OAuth provider of the MCP server can't be discovered: ") || !strings.Contains(detail, tc.want) || strings.Contains(detail, "hush") {
				t.Errorf("refused with %q, want %q without the secret", detail, tc.want)
			}
			if all := devservertest.Get[[]api.OAuthProviderResponse](p, "/v2/auth/providers"); len(all) > 0 {
				t.Errorf("providers = %+v, want none", all)
			}
		})
	}
	p := devservertest.New(t, devserver.Config{})
	for _, address := range []string{"", "mcp.example", "http://mcp.example/", "https://", "file:///etc/passwd", "https://a:b@mcp.example"} {
		devservertest.Same(t, address, []string{"mcp_server_url url_parsing"}, devservertest.Problems(discover(p, address).Want(http.StatusUnprocessableEntity)))
	}
	for _, address := range []string{"https://10.0.0.1/", "https://169.254.169.254/latest"} {
		if detail := devservertest.Into[api.ErrorDetail](discover(p, address).Want(http.StatusBadRequest)).Detail; !strings.Contains(detail, "is not a public address") {
			t.Errorf("%s is refused with %q, want one about a private address", address, detail)
		}
	}
}

// TestTokenEndpointIsGuarded checks that a token endpoint can't be used to probe a private network.
func TestTokenEndpointIsGuarded(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	provide(p, providerBody("mail", object{"token_url": "https://10.0.0.1/token"}))
	flow := begin(p)
	r := back(p, "mail", url.Values{"state": flow.query["state"], "code": {"c"}}).Want(http.StatusBadRequest)
	if !strings.Contains(string(r.Body), "10.0.0.1 is not a public address") {
		t.Errorf("page = %s, want that 10.0.0.1 is not a public address", r.Body)
	}
}
