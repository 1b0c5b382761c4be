package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// writes has the calls that change an object, and the service's responses.
var writes = map[string]struct {
	call   func(context.Context, *Client) error
	sent   string // Method, path and body.
	answer string
	id     string // The ID in an OutcomeUnknownError.
}{
	"PatchListener": {func(ctx context.Context, c *Client) error {
		_, err := c.PatchListener(ctx, "l1", api.ListenerPatchRequest{Version: api.Some("2")})
		return err
	}, `PATCH /v2/listeners/l1 {"version":"2"}`, `{"id":"l1"}`, "l1"},
	"PatchOAuthProvider": {func(ctx context.Context, c *Client) error {
		_, err := c.PatchOAuthProvider(ctx, "mail", api.OAuthProviderUpdateRequest{ClientSecret: api.Some("hunter22")})
		return err
	}, `PATCH /v2/auth/providers/mail {"client_secret":"hunter22"}`, `{"id":"o1","provider_id":"mail"}`, "mail"},
	"RedeployRevision": {func(ctx context.Context, c *Client) error {
		_, err := c.RedeployRevision(ctx, "d1", "r1")
		return err
	}, "POST /v2/deployments/d1/revisions/r1/redeploy ", `{"id":"d1","latest_revision_id":"r2"}`, "d1"},
}

func TestWritesAreNeverSentTwiceOnAGuess(t *testing.T) {
	t.Parallel()
	for name, write := range writes {
		for failure, test := range map[string]struct {
			handler http.HandlerFunc
			again   bool
		}{
			"429":            {answerWith(429, `{"detail":"slow down"}`), true},
			"503, later":     {answerWith(503, `{"detail":"later"}`, "Retry-After", "1"), true},
			"504":            {answerWith(504, `{"detail":"no"}`), false},
			"hang-up":        {hangUp, false},
			"broken off":     {breakOff, false},
			"something else": {answerWith(200, `{"ok":true}`), false},
		} {
			t.Run(name+"/"+failure, func(t *testing.T) {
				t.Parallel()
				c, s := serve(t, script(test.handler, answerWith(200, write.answer)))
				err := write.call(t.Context(), c)
				asked := s.last(t)
				if diff := cmp.Diff(write.sent, asked.Method+" "+asked.Path+" "+asked.Body); diff != "" {
					t.Errorf("request (-want +got):\n%s", diff)
				}
				if test.again {
					if err != nil || len(s.calls()) != 2 {
						t.Errorf("error = %v after %v, want success with the second request", err, s.calls())
					}
					return
				}
				if name == "RedeployRevision" && failure == "something else" {
					if err != nil || len(s.calls()) != 1 { // Its caller proves it.
						t.Errorf("error = %v after %v, want none after one request", err, s.calls())
					}
					return
				}
				unknown, ok := errors.AsType[*OutcomeUnknownError](err)
				if !ok || unknown.ID != write.id || unknown.Name != "" || len(s.calls()) != 1 {
					t.Fatalf("error = %v after %v, want an OutcomeUnknownError with %s after one request", err, s.calls(), write.id)
				}
			})
		}
	}
}

func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answerWith(409, `{"detail":"not now, hunter22"}`))
			err := write.call(t.Context(), c)
			if StatusOf(err) != 409 || IsAmbiguous(err) || len(s.calls()) != 1 {
				t.Errorf("error = %v after %v, want a 409 that isn't ambiguous after one request", err, s.calls())
			}
			if masked := name == "PatchOAuthProvider"; masked == strings.Contains(err.Error(), "hunter22") {
				t.Errorf("error %q, want the secret masked: %v", err, masked)
			}
		})
	}
}
