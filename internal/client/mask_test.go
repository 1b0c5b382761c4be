package client

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// TestWithSecrets expects that an error of a read doesn't contain a secret of an earlier write.
func TestWithSecrets(t *testing.T) {
	t.Parallel()
	ctx := mask.With(mask.With(t.Context(), "first-value", "on"), "second-value")
	if got, want := mask.Text(ctx, "first-value on second-value"), "*** on ***"; got != want {
		t.Errorf("Mask = %q, want %q", got, want)
	}
	if got := mask.Text(t.Context(), "first-value"); got != "first-value" {
		t.Errorf("without secrets, Mask = %q, want first-value", got)
	}
	answered := response{
		request: request{method: http.MethodGet, path: "/"}, status: http.StatusForbidden, header: http.Header{}, body: []byte(`{"detail": "no first-value here"}`), mask: mask.New(mask.Secrets(ctx)...),
	}
	err := answered.failure()
	if strings.Contains(err.Error(), "first-value") || !strings.Contains(err.Error(), "no *** here") {
		t.Errorf("error = %q, want the secret masked", err)
	}
}

// TestMask_invalidHTTP expects no secret in an error that quotes an invalid HTTP response.
func TestMask_invalidHTTP(t *testing.T) {
	t.Parallel()
	const key = "canary-0123456789"
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(connection, "HTTP/1.1 "+r.Header.Get("X-Api-Key")+"\r\n\r\n")
		_ = connection.Close()
	}, func(cfg *Config) { cfg.APIKey = key })
	_, err := c.Deployments().Get(t.Context(), "d1")
	if err == nil || !strings.Contains(err.Error(), "malformed HTTP") || strings.Contains(err.Error(), key) {
		t.Errorf("error = %v, want \"malformed HTTP\" without the key", err)
	}
}
