package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestCreate_again loses creates before the service processes them. Only one whose key is unique is sent once more, after the reads that
// would show its object.
func TestCreate_again(t *testing.T) {
	t.Parallel()
	const id = "4a000001-0000-4000-8000-000000000000"
	object := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	kinds := map[string]struct {
		create func(context.Context, *Client) error
		made   string
		list   string
		unique bool
	}{
		"listener": {func(ctx context.Context, c *Client) error {
			_, err := c.CreateListener(ctx, api.ListenerCreateRequest{ComputeType: api.ComputeTypeK8s, ComputeID: "east"})
			return err
		}, object(api.Listener{ID: id, ComputeType: api.ComputeTypeK8s, ComputeID: "east"}), `{"resources":[%s]}`, true},
		"OAuth provider": {func(ctx context.Context, c *Client) error {
			_, err := c.CreateOAuthProvider(ctx, api.OAuthProviderCreateRequest{ProviderID: "mail", ClientSecret: api.Some("hunter22")})
			return err
		}, object(api.OAuthProviderResponse{ID: id, ProviderID: "mail"}), `[%s]`, true},
		"model price": {func(ctx context.Context, c *Client) error {
			_, err := c.CreateModelPrice(ctx, priced())
			return err
		}, object(entry(id, nil)), `[%s]`, true},
		"connection": {func(ctx context.Context, c *Client) error {
			_, err := c.CreateAgentConnection(ctx, "bot", "t1")
			return err
		}, object(api.AgentConnectionResponse{ID: id, AgentID: "bot", OAuthTokenID: "t1"}), `{"data":[%s]}`, false},
		"deployment": {func(ctx context.Context, c *Client) error {
			_, _, err := c.CreateDeployment(ctx, wanted())
			return err
		}, object(made(id)), `{"resources":[%s]}`, false},
	}
	const page = "<html>Sign in</html>"
	lost, html := hangUp, answerWith(200, page, "Content-Type", "text/html")
	type step struct {
		makes  bool // Before the answer.
		answer http.HandlerFunc
	}
	for name, test := range map[string]struct {
		steps   []step
		appears bool // After the answer to the last create, as if an earlier one had been processed late.
		ok      bool
	}{
		"lost before the work":         {[]step{{false, lost}, {true, nil}}, false, true},
		"answered by a page":           {[]step{{false, html}, {true, nil}}, false, true},
		"lost before, then after":      {[]step{{false, lost}, {true, lost}}, false, true},
		"lost twice before":            {[]step{{false, lost}, {false, lost}}, false, false},
		"processed late, then refused": {[]step{{false, lost}, {false, answerWith(409, `{"detail":"taken"}`)}}, true, true},
		"refused the second time":      {[]step{{false, lost}, {false, answerWith(422, `{"detail":"no"}`)}}, false, false},
	} {
		for kind, k := range kinds {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				posts, exists := 0, false
				c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet {
						listed := ""
						if exists {
							listed = k.made
						}
						answerWith(200, fmt.Sprintf(k.list, listed))(w, r)
						return
					}
					s := test.steps[posts]
					posts++
					exists = exists || s.makes || test.appears && posts == len(test.steps)
					if s.answer != nil {
						s.answer(w, r)
						return
					}
					answerWith(200, k.made)(w, r)
				})
				err := k.create(t.Context(), c)
				if !k.unique {
					if !IsAmbiguous(err) || posts != 1 {
						t.Errorf("error = %v after %d creates, want an unknown outcome after one", err, posts)
					}
					return
				}
				if (err == nil) != test.ok || posts != 2 {
					t.Errorf("error = %v after %d creates, want success %t after two", err, posts, test.ok)
				}
			})
		}
	}
}
