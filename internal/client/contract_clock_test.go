package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestContractClocks writes through a proxy that sets Date by a clock of its own. Every creation makes exactly one object, also if its
// reply is lost.
func TestContractClocks(t *testing.T) {
	const agent = "00000000-0000-4000-8000-00000000000b"
	token := func(ctx context.Context, c *client.Client) (string, error) {
		return c.ImportOAuthToken(ctx, api.OAuthTokenImportRequest{ProviderID: "mail", AccessToken: "hunter22"})
	}
	creations := map[string]struct {
		path string
		make func(context.Context, *plane, *client.Client) (id string, err error)
		ids  func(context.Context, *client.Client) ([]string, error)
	}{
		"deployment": {"/v2/deployments", func(ctx context.Context, p *plane, c *client.Client) (string, error) {
			d, _, err := c.CreateDeployment(ctx, p.create("chat"))
			if err != nil {
				return "", err
			}
			return d.ID, nil
		}, func(ctx context.Context, c *client.Client) ([]string, error) {
			return idsOf(func(d api.Deployment) string { return d.ID })(client.Collect(c.ListDeployments(ctx, client.DeploymentFilter{})))
		}},
		"listener": {"/v2/listeners", func(ctx context.Context, _ *plane, c *client.Client) (string, error) {
			l, err := c.CreateListener(ctx, listenerRequest("east"))
			if err != nil {
				return "", err
			}
			_, err = c.PatchListener(ctx, l.ID, api.ListenerPatchRequest{Version: api.Some("0.3.0")})
			return l.ID, err
		}, func(ctx context.Context, c *client.Client) ([]string, error) {
			return idsOf(func(l api.Listener) string { return l.ID })(client.Collect(client.Filter(c.ListListeners(ctx),
				func(l api.Listener) bool { return l.ComputeID == "east" })))
		}},
		"OAuth provider": {"/v2/auth/providers", func(ctx context.Context, _ *plane, c *client.Client) (string, error) {
			made, err := c.CreateOAuthProvider(ctx, providerRequest("post"))
			if err != nil {
				return "", err
			}
			_, err = c.PatchOAuthProvider(ctx, "post", api.OAuthProviderUpdateRequest{Name: api.Some("Post"), ClientSecret: api.Some("hunter23")}, "")
			return made.ID, err
		}, func(ctx context.Context, c *client.Client) ([]string, error) {
			return idsOf(func(p api.OAuthProviderResponse) string { return p.ID })(client.Collect(client.Filter(c.ListOAuthProviders(ctx),
				func(p api.OAuthProviderResponse) bool { return p.ProviderID == "post" })))
		}},
		"OAuth token": {"/v2/auth/tokens/import", func(ctx context.Context, _ *plane, c *client.Client) (string, error) {
			id, err := token(ctx, c)
			if err == nil {
				_, err = c.UpdateOAuthToken(ctx, "mail", id, api.OAuthTokenUpdateRequest{ProviderAccountLabel: api.Some("work")})
			}
			return id, err
		}, func(ctx context.Context, c *client.Client) ([]string, error) {
			return idsOf(func(t api.OAuthTokenSummary) string { return t.ID })(c.ListOAuthTokens(ctx, "mail"))
		}},
		"connection": {"/v2/auth/agents/" + agent + "/connections", func(ctx context.Context, _ *plane, c *client.Client) (string, error) {
			tokenID, err := token(ctx, c)
			if err != nil {
				return "", err
			}
			made, err := c.CreateAgentConnection(ctx, agent, tokenID)
			if err != nil {
				return "", err
			}
			return made.ID, nil
		}, connectionsOf(agent)},
		"agent's token": {"/v2/auth/agents/" + agent + "/providers/mail/tokens", func(ctx context.Context, _ *plane, c *client.Client) (string, error) {
			made, _, err := c.CreateAgentProviderToken(ctx, agent, "mail", api.UpsertAgentProviderTokenRequest{AccessToken: "hunter22"}, nil)
			if err != nil {
				return "", err
			}
			return made.ID, nil
		}, connectionsOf(agent)},
		"model price": {"/api/v1/model-price-map", func(ctx context.Context, _ *plane, c *client.Client) (string, error) {
			made, err := c.CreateModelPrice(ctx, api.ModelPriceRequest{Name: "large", MatchPattern: "^large", PromptCost: "1", CompletionCost: "2"})
			if err != nil {
				return "", err
			}
			return made.ID, nil
		}, func(ctx context.Context, c *client.Client) ([]string, error) {
			return idsOf(func(p api.ModelPrice) string { return p.ID })(c.ModelPrices(ctx))
		}},
	}
	for name, creation := range creations {
		for _, ahead := range []time.Duration{-time.Hour, -8 * time.Second, 8 * time.Second, time.Hour} {
			for how, faults := range map[string][]devserver.Fault{"answered": nil, "lost": {{Match: "POST " + creation.path, Drop: true}}} {
				t.Run(name+"/"+how+"/"+ahead.String(), func(t *testing.T) {
					inEveryDialect(t, func(t *testing.T, p *plane) {
						proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							p.ServeHTTP(dated{w, p.clock.Now().Add(ahead)}, r)
						}))
						t.Cleanup(proxy.Close)
						c := p.client(t, func(cfg *client.Config) { cfg.BaseURL = proxy.URL })
						if _, err := c.CreateOAuthProvider(t.Context(), providerRequest("mail")); err != nil {
							t.Fatal(err)
						}
						for _, fault := range faults {
							p.arm(t, fault)
						}
						id, err := creation.make(t.Context(), p, c)
						if err != nil {
							t.Fatal(err)
						}
						if ids, err := creation.ids(t.Context(), c); err != nil || len(ids) != 1 || ids[0] != id {
							t.Errorf("the service has %v, %v; want %s alone", ids, err, id)
						}
					})
				})
			}
		}
	}
}

// dated sets the Date of a response.
type dated struct {
	http.ResponseWriter
	at time.Time
}

func (d dated) WriteHeader(status int) {
	d.Header().Set("Date", d.at.Format(http.TimeFormat))
	d.ResponseWriter.WriteHeader(status)
}

// connectionsOf returns the IDs of an agent's connections.
func connectionsOf(agent string) func(context.Context, *client.Client) ([]string, error) {
	return func(ctx context.Context, c *client.Client) ([]string, error) {
		return idsOf(func(a api.AgentConnectionResponse) string { return a.ID })(client.Collect(c.ListAgentConnections(ctx, agent)))
	}
}

func idsOf[T any](id func(T) string) func([]T, error) ([]string, error) {
	return func(items []T, err error) ([]string, error) {
		ids := make([]string, len(items))
		for i, item := range items {
			ids[i] = id(item)
		}
		return ids, err
	}
}
