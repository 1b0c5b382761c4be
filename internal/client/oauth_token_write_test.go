package client_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

func importRequest(token string, scopes ...string) api.OAuthTokenImportRequest {
	return api.OAuthTokenImportRequest{
		ProviderID: "mail", AccessToken: token, Scopes: api.Some(append([]string{}, scopes...)), IsDefault: api.Some(false),
	}
}

// TestContractOAuthTokenWrites imports, reads, labels and deletes a token.
func TestContractOAuthTokenWrites(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		if _, err := c.CreateOAuthProvider(t.Context(), providerRequest("mail")); err != nil {
			t.Fatal(err)
		}
		id, err := c.ImportOAuthToken(t.Context(), importRequest("hunter22", "read"))
		if err != nil {
			t.Fatal(err)
		}
		token, err := c.GetOAuthToken(t.Context(), "mail", id)
		if err != nil || token.IsDefault || token.ExpiresAt != nil || len(token.Scopes) != 1 {
			t.Fatalf("token = %+v, %v", token, err)
		}
		labelled, err := c.UpdateOAuthToken(t.Context(), "mail", id, api.OAuthTokenUpdateRequest{ProviderAccountLabel: api.Some("bot"), IsDefault: api.Some(true)})
		if err != nil || *labelled.ProviderAccountLabel != "bot" || !labelled.IsDefault {
			t.Fatalf("token = %+v, %v", labelled, err)
		}
		p.arm(t, devserver.Fault{Match: "PATCH /v2/auth/tokens/{token_id}/metadata", Swallow: true, Times: 2})
		if _, err := c.UpdateOAuthToken(t.Context(), "mail", id, api.OAuthTokenUpdateRequest{ProviderAccountLabel: api.Some("other")}); !client.IsAmbiguous(err) {
			t.Errorf("a change that isn't shown: error = %v, want an unknown outcome", err)
		}
		if err := c.DeleteOAuthToken(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if _, err := c.GetOAuthToken(t.Context(), "mail", id); !client.IsNotFound(err) {
			t.Errorf("after the deletion: error = %v, want a 404", err)
		}
		if err := c.DeleteOAuthToken(t.Context(), id); !client.IsNotFound(err) {
			t.Errorf("second deletion: error = %v, want a 404", err)
		}
		if _, err := c.ImportOAuthToken(t.Context(), api.OAuthTokenImportRequest{ProviderID: "none", AccessToken: "a"}); client.StatusOf(err) != http.StatusNotFound {
			t.Errorf("unknown provider: error = %v, want a 404", err)
		}
	})
}

// TestContractOAuthTokenImports stores several equal tokens at the same time while replies are lost: each is found once, or its outcome
// is unknown, and no two are the same.
func TestContractOAuthTokenImports(t *testing.T) {
	inEveryDialect(t, func(t *testing.T, p *plane) {
		c := p.client(t)
		if _, err := c.CreateOAuthProvider(t.Context(), providerRequest("mail")); err != nil {
			t.Fatal(err)
		}
		p.arm(t, devserver.Fault{Match: "POST /v2/auth/tokens/import", Drop: true, Times: 3, Skip: 1})
		const count = 6
		ids := make([]string, count)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				var err error
				if ids[i], err = c.ImportOAuthToken(t.Context(), importRequest("hunter22", "read")); err != nil && strings.Contains(err.Error(), "hunter22") {
					t.Errorf("the error quotes the token: %v", err)
				}
			})
		}
		all.Wait()
		found := map[string]bool{}
		for _, id := range ids {
			if id != "" && found[id] {
				t.Errorf("token %s was returned twice", id)
			}
			found[id] = true
		}
		listed, err := c.ListOAuthTokens(t.Context(), "mail")
		if err != nil || len(listed) != count || found[""] || len(found) != count {
			t.Errorf("%d tokens, %v; %d were returned, want %d of each", len(listed), err, len(found), count)
		}
	})
}
