package providertest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

// NewMCPServer starts an MCP server that is its own authorization server (RFC 8414), at which clients can register (RFC 7591).
func NewMCPServer(t *testing.T) (address string) {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	answer := func(pattern string, status int, body map[string]any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			if err := json.NewEncoder(w).Encode(body); err != nil {
				t.Error(err)
			}
		})
	}
	answer("GET /.well-known/oauth-authorization-server", http.StatusOK, map[string]any{
		"issuer": server.URL, "authorization_endpoint": server.URL + "/authorize", "token_endpoint": server.URL + "/token",
		"registration_endpoint": server.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
	})
	answer("POST /register", http.StatusCreated, map[string]any{"client_id": "registered", "client_secret": "canary"})
	return server.URL
}
