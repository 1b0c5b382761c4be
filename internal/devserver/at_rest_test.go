package devserver_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestLostKey checks that a server doesn't start with secrets that it can't decrypt, unless it is told to delete them, and then only those.
func TestLostKey(t *testing.T) {
	t.Parallel()
	cfg := devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "data.db"), SealKey: filepath.Join(t.TempDir(), "key")})
	p := devservertest.New(t, cfg)
	provider := object{"provider_id": "mail", "name": "Mail", "client_id": "c", "client_secret": "s", "auth_url": "https://a.example", "token_url": "https://a.example"}
	p.Do(http.MethodPost, "/v2/auth/providers", provider).Want(http.StatusOK)
	provider["provider_id"] = "chat"
	p.Do(http.MethodPost, "/v2/auth/providers", provider).Want(http.StatusOK)
	p.Do(http.MethodPost, "/v2/auth/tokens/import", object{"provider_id": "mail", "access_token": "a", "refresh_token": "r"}).Want(http.StatusOK)
	empty := p.Create(devservertest.ImageRequest("empty"))
	filled := p.Create(devservertest.ImageRequest("filled", object{"secrets": []any{object{"name": "A", "value": "1"}}}))
	p.Stop()
	key, err := os.ReadFile(cfg.SealKey)
	devservertest.Must(t, err)
	devservertest.Must(t, os.Remove(cfg.SealKey))
	for _, problem := range []string{"is missing: restore the file", "is missing: restore the file", "doesn't decrypt"} {
		if problem == "doesn't decrypt" {
			devservertest.Must(t, os.WriteFile(cfg.SealKey, make([]byte, len(key)), 0o600))
		}
		_, err := devserver.New(cfg)
		if err == nil {
			t.Fatal("a server without the key starts")
		}
		for _, part := range []string{
			cfg.SealKey + `" ` + problem, "2 client secrets, 1 token and the secrets of 1 deployment", "-discard-secrets",
		} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("error = %v, want %q in it", err, part)
			}
		}
	}
	devservertest.Must(t, os.WriteFile(cfg.SealKey, key, 0o600))
	cfg.DiscardSecrets = true
	kept := devservertest.New(t, cfg)
	if got := devservertest.Get[[]api.OAuthTokenSummary](kept, "/v2/auth/tokens"); len(got) != 1 {
		t.Errorf("%d tokens with the right key, want the one that it decrypts", len(got))
	}
	if got := kept.Deployment(filled.ID).Secrets; len(got) != 1 || got[0].Value != "1" {
		t.Errorf("secrets with the right key = %v, want A", got)
	}
	kept.Stop()
	devservertest.Must(t, os.Remove(cfg.SealKey))
	discarded := devservertest.New(t, cfg)
	for _, d := range []api.Deployment{empty, filled} {
		if got := discarded.Deployment(d.ID).Secrets; got == nil || len(got) > 0 {
			t.Errorf("secrets of %s = %v, want an empty list", d.Name, got)
		}
	}
	if got := devservertest.Get[[]api.OAuthTokenSummary](discarded, "/v2/auth/tokens"); len(got) > 0 {
		t.Errorf("tokens = %+v, want none", got)
	}
	if got := devservertest.Get[[]api.OAuthProviderResponse](discarded, "/v2/auth/providers"); len(got) != 2 {
		t.Errorf("%d providers, want both", len(got))
	}
	// There is no client secret left to protect.
	discarded.Do(http.MethodPatch, "/v2/auth/providers/mail", object{"token_url": "https://b.example"}).Want(http.StatusOK)
	discarded.Stop()
	cfg.DiscardSecrets = false
	devservertest.New(t, cfg)
}
