package client

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
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

// TestImportOAuthToken_concurrent imports equal tokens at the same time while replies are lost: each import finds its own.
func TestImportOAuthToken_concurrent(t *testing.T) {
	t.Parallel()
	tokens := []api.OAuthTokenSummary{}
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answerWith(200, tokens)(w, r)
			return
		}
		id := uuidOf(len(tokens))
		tokens = append(tokens, api.OAuthTokenSummary{ID: id, ProviderID: "mail"})
		if len(tokens)%2 == 0 {
			hangUp(w, r)
		}
		answerWith(200, map[string]string{"token_id": id})(w, r)
	})
	var imported sync.Map
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			id, err := c.ImportOAuthToken(t.Context(), api.OAuthTokenImportRequest{ProviderID: "mail", AccessToken: "hunter22"})
			if _, again := imported.LoadOrStore(id, true); err != nil || again {
				t.Errorf("token %s, %v; want one that no other import has", id, err)
			}
		})
	}
	all.Wait()
}
