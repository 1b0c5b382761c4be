package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		cfg  Config
		want string // Part of the error.
	}{
		"no base URL":  {Config{}, "http(s) URL with a host"},
		"no scheme":    {Config{BaseURL: "plane.example.com"}, "http(s) URL with a host"},
		"other scheme": {Config{BaseURL: "ftp://plane.example.com"}, "http(s) URL with a host"},
		"no host":      {Config{BaseURL: "https://:8080/x"}, "http(s) URL with a host"},
		"unparsable":   {Config{BaseURL: "https://user:hunter22@[::1"}, "not a URL"},
		"userinfo":     {Config{BaseURL: "https://user:hunter22@plane.example.com"}, "user name or password"},
		"query":        {Config{BaseURL: "https://plane.example.com/?x=1"}, "query or a fragment"},
		"empty query":  {Config{BaseURL: "https://plane.example.com/?"}, "query or a fragment"},
		"fragment":     {Config{BaseURL: "https://plane.example.com/#x"}, "query or a fragment"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := New(test.cfg)
			if err == nil {
				t.Fatalf("New = %v, want an error", c)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q does not contain %q", err, test.want)
			}
			if strings.Contains(err.Error(), "hunter22") {
				t.Errorf("error %q contains the secret", err)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	one := map[string]string{"id": "d0000001-0000-4000-8000-000000000000", "name": "chat"}
	tests := map[string]struct {
		option func(*Config)
		in     func(*Client) *Client
		want   map[string]string // Empty: the header is absent.
	}{
		"API key": {
			func(cfg *Config) { cfg.WorkspaceID, cfg.UserAgent = "w1", "terraform-provider-agentplane/1.2.3" },
			func(c *Client) *Client { return c },
			map[string]string{
				"X-Api-Key": "key-of-the-test", "X-Tenant-Id": "w1", "Authorization": "", "Accept": "application/json",
				"User-Agent": "terraform-provider-agentplane/1.2.3", "Content-Type": "",
			},
		},
		"bearer token without workspace": {
			func(cfg *Config) { cfg.APIKey, cfg.BearerToken = "", "token" },
			func(c *Client) *Client { return c },
			map[string]string{"X-Api-Key": "", "X-Tenant-Id": "", "Authorization": "Bearer token"},
		},
		"another workspace": {
			func(cfg *Config) { cfg.WorkspaceID = "w1" },
			func(c *Client) *Client { return c.InWorkspace("w2") },
			map[string]string{"X-Api-Key": "key-of-the-test", "X-Tenant-Id": "w2"},
		},
		"the same workspace": {
			func(cfg *Config) { cfg.WorkspaceID = "w1" },
			func(c *Client) *Client { return c.InWorkspace("w2").InWorkspace("") },
			map[string]string{"X-Tenant-Id": "w2"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answerWith(http.StatusOK, one), test.option)
			c = test.in(c)
			if _, err := c.Deployments().Get(t.Context(), "d0000001-0000-4000-8000-000000000000"); err != nil {
				t.Fatal(err)
			}
			header := s.last(t).Header
			got := map[string]string{}
			for name := range test.want {
				got[name] = strings.Join(header.Values(name), ",")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			if got := c.WorkspaceID(); got != header.Get("X-Tenant-Id") {
				t.Errorf("WorkspaceID() = %q, sent %q", got, header.Get("X-Tenant-Id"))
			}
		})
	}
}

func TestContentTypeOnlyWithBody(t *testing.T) {
	t.Parallel()
	c, s := serve(t, answerWith(http.StatusCreated, map[string]string{"id": "d0000001-0000-4000-8000-000000000000"}))
	if _, _, err := c.CreateDeployment(t.Context(), api.DeploymentCreateRequest{Name: "chat"}); err != nil {
		t.Fatal(err)
	}
	got := s.last(t)
	if ct := got.Header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("Content-Type = %q, want application/json", ct)
	}
	want := `{"name":"chat","source":"","source_config":{},"source_revision_config":{},"secrets":[]}`
	if got.Body != want {
		t.Errorf("body = %s, want %s", got.Body, want)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prefix string
		call   func(context.Context, *Client) error
		want   string
	}{
		"prefix": {"/api-host", func(ctx context.Context, c *Client) error {
			_, err := c.Deployments().Get(ctx, uuidOf(1))
			return err
		}, "/api-host/v2/deployments/" + uuidOf(1)},
		"prefix with slashes": {"/a/b//", func(ctx context.Context, c *Client) error {
			_, err := c.Deployments().Get(ctx, uuidOf(1))
			return err
		}, "/a/b/v2/deployments/" + uuidOf(1)},
		"escaped": {"", func(ctx context.Context, c *Client) error {
			_, err := c.Revisions("a/b?c").Get(ctx, uuidOf(1))
			return err
		}, "/v2/deployments/a%2Fb%3Fc/revisions/" + uuidOf(1)},
		"listener": {"", func(ctx context.Context, c *Client) error {
			_, err := c.Listeners().Get(ctx, uuidOf(1))
			return err
		}, "/v2/listeners/" + uuidOf(1)},
		"patch": {"/", func(ctx context.Context, c *Client) error {
			_, err := c.PatchDeployment(ctx, uuidOf(1), api.DeploymentPatchRequest{})
			return err
		}, "/v2/deployments/" + uuidOf(1)},
		"delete": {"", func(ctx context.Context, c *Client) error {
			return c.DeleteDeployment(ctx, "..x", false)
		}, "/v2/deployments/..x"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answerWith(http.StatusOK, map[string]string{"id": uuidOf(1), "status": "DEPLOYED"}), func(cfg *Config) { cfg.BaseURL += test.prefix })
			if err := test.call(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if got := s.last(t).Path; got != test.want {
				t.Errorf("path = %s, want %s", got, test.want)
			}
		})
	}
}

// TestUnusableIDs expects no request: an empty ID would turn the deletion of one deployment into one of the whole list.
func TestUnusableIDs(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *Client, string) error{
		"read": func(ctx context.Context, c *Client, id string) error {
			_, err := c.Deployments().Get(ctx, id)
			return err
		},
		"delete": func(ctx context.Context, c *Client, id string) error { return c.DeleteDeployment(ctx, id, false) },
		"change": func(ctx context.Context, c *Client, id string) error {
			_, err := c.PatchListener(ctx, id, api.ListenerPatchRequest{})
			return err
		},
		"list": func(ctx context.Context, c *Client, id string) error {
			_, err := Collect(c.ListRevisions(ctx, id, RevisionFilter{}))
			return err
		},
		"in the middle": func(ctx context.Context, c *Client, id string) error {
			_, err := c.RedeployRevision(ctx, id, "2a000001-0000-4000-8000-000000000000")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answerWith(http.StatusNoContent, nil))
			for _, id := range []string{"", ".", ".."} {
				if err := call(t.Context(), c, id); err == nil || IsAmbiguous(err) || IsTransient(err) {
					t.Errorf("id %q: error = %v, want one that is neither ambiguous nor transient", id, err)
				}
			}
			if calls := s.calls(); len(calls) > 0 {
				t.Errorf("sent %v, want no requests", calls)
			}
		})
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("sleep with a cancelled context = %v, want context.Canceled", err)
	}
	if err := sleep(t.Context(), time.Nanosecond); err != nil {
		t.Errorf("sleep = %v, want no error", err)
	}
}

func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	var lines []map[string]any
	refused := answerWith(http.StatusTooManyRequests, `{"detail":"hunter22 is refused"}`, "X-Request-Id", "2a000001-0000-4000-8000-000000000000")
	c, _ := serve(t, script(refused, hangUp), func(cfg *Config) {
		cfg.Log = func(_ context.Context, _ string, fields map[string]any) { lines = append(lines, fields) }
		cfg.MaxRetries = 1
	})
	_, err := c.PatchDeployment(t.Context(), "d0000001-0000-4000-8000-000000000000", api.DeploymentPatchRequest{
		Secrets: api.Some([]api.Secret{{Name: "PASSWORD", Value: "hunter22"}}),
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, line := range lines {
		delete(line, "duration_ms")
	}
	want := []map[string]any{
		{"method": "PATCH", "path": "/v2/deployments/d0000001-0000-4000-8000-000000000000", "attempt": 1, "status": 429, "request_id": "2a000001-0000-4000-8000-000000000000"},
		{"method": "PATCH", "path": "/v2/deployments/d0000001-0000-4000-8000-000000000000", "attempt": 2, "error": "EOF"},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// TestLogHoldsNoCredentials expects no credential in the log, although a gateway repeats it as the ID of the request, in any letter
// case.
func TestLogHoldsNoCredentials(t *testing.T) {
	t.Parallel()
	const key, header = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"
	for name, want := range map[string]string{"X-Api-Key": "***", "X-Gateway": "***", "Accept": "application/json"} {
		for _, spelled := range []func(string) string{strings.ToLower, strings.ToUpper} {
			var logged any
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Request-Id", spelled(r.Header.Get(name)))
			}, func(cfg *Config) {
				cfg.Log = func(_ context.Context, _ string, fields map[string]any) { logged = fields["request_id"] }
				cfg.APIKey, cfg.Headers = key, map[string]string{"X-Gateway": header}
			})
			_, _ = c.Deployments().Get(t.Context(), "d0000001-0000-4000-8000-000000000000")
			if logged != want && logged != spelled(want) {
				t.Errorf("the value of %s is logged as %v, want %s", name, logged, want)
			}
		}
	}
}
