package client

import (
	"net/http"
	"strings"
	"testing"
)

// TestOAuthTokensExist checks that an OAuth provider missing in the response is an error: the user's login there would seem gone.
func TestOAuthTokensExist(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer  http.HandlerFunc
		problem string
	}{
		"both":    {answerWith(200, `{"has_token": {"calendar": true, "mail": false}}`), ""},
		"one":     {answerWith(200, `{"has_token": {"calendar": true}}`), "whether there is a token of OAuth provider mail"},
		"refused": {answerWith(403, `{"detail": "not for service keys"}`), "not for service keys"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, test.answer)
			has, err := c.OAuthTokensExist(t.Context(), []string{"calendar", "mail"})
			if test.problem == "" {
				if err != nil || !has["calendar"] || has["mail"] {
					t.Errorf("OAuthTokensExist = %v, %v; want a token of calendar only", has, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("error = %v, want %q", err, test.problem)
			}
		})
	}
}

func TestListTokenEvents_refused(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, answerWith(403, `{"detail": "not for service keys"}`))
	if events, err := c.ListTokenEvents(t.Context(), "calendar", 1); err == nil || !strings.Contains(err.Error(), "not for service keys") {
		t.Errorf("ListTokenEvents = %v, %v; want the reason", events, err)
	}
}
