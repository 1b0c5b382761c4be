package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestRevisionLogs checks that the newest lines are requested first, because the total number is unknown.
func TestRevisionLogs(t *testing.T) {
	t.Parallel()
	lines := func(n int) string {
		var list []string
		for i := n; i > 0; i-- {
			list = append(list, fmt.Sprintf(`{"id":"%d","timestamp":%d,"level":"INFO","message":"line %d"}`, i, i*1000, i))
		}
		return `{"logs":[` + strings.Join(list, ",") + `],"next_offset":"x"}`
	}
	for name, test := range map[string]struct {
		limit int
		body  string
		asked string
		want  []string
		err   string
	}{
		"as many as there are": {3, lines(2), "3", []string{"line 1", "line 2"}, ""},
		"limit ignored":        {2, lines(4), "2", []string{"line 3", "line 4"}, ""},
		"none":                 {5, `{"logs":[],"next_offset":null}`, "5", nil, ""},
		"at least one":         {0, lines(1), "1", []string{"line 1"}, ""},
		"at most a thousand":   {5000, lines(1), "1000", []string{"line 1"}, ""},
		"no log":               {5, `{"items":[]}`, "5", nil, `it has no list "logs"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, answerWith(200, test.body))
			got, err := c.RevisionLogs(t.Context(), "d0000001-0000-4000-8000-000000000000", "2a000001-0000-4000-8000-000000000000", api.LogTypeDeploy, test.limit)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error = %v, want %q", err, test.err)
			}
			var messages []string
			for _, line := range got {
				messages = append(messages, line.Message)
			}
			if diff := cmp.Diff(test.want, messages); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			asked := s.last(t)
			if asked.Path != "/v2/deployments/d0000001-0000-4000-8000-000000000000/revisions/2a000001-0000-4000-8000-000000000000/logs" {
				t.Errorf("path = %s, want that of the revision's logs", asked.Path)
			}
			want := url.Values{"type": {"deploy"}, "order": {"desc"}, "limit": {test.asked}}
			if diff := cmp.Diff(want, asked.Query); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFindTracingProject(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		id     string
		none   bool
		err    string
	}{
		"found":                {answerWith(200, `[{"id":"d0000001-0000-4000-8000-000000000000","name":"a b&c"}]`), uuidOf(1), false, ""},
		"name ignored":         {answerWith(200, `[{"id":"d0000000-0000-4000-8000-000000000000","name":"a"},{"id":"d0000001-0000-4000-8000-000000000000","name":"a b&c"}]`), uuidOf(1), false, ""},
		"none":                 {answerWith(200, `[]`, "X-Request-Id", "2a000007-0000-4000-8000-000000000000"), "", true, `404 Not Found: there is no tracing project named "a b&c" (request id 2a000007-0000-4000-8000-000000000000)`},
		"only others":          {answerWith(200, `[{"id":"d0000000-0000-4000-8000-000000000000","name":"A b&c"}]`), "", true, "there is no tracing project"},
		"no list":              {answerWith(200, `null`), "", false, "not a list of tracing projects"},
		"something else":       {answerWith(200, `{"resources":[]}`), "", false, "not a list of tracing projects"},
		"no tracing API there": {answerWith(404, `{"detail":"Not Found"}`), "", false, "404 Not Found: Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, test.answer)
			got, err := c.FindTracingProject(t.Context(), "a b&c")
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error = %v, want %q", err, test.err)
			}
			if IsNotFound(err) != test.none {
				t.Errorf("IsNotFound(%v) = %v, want %v", err, IsNotFound(err), test.none)
			}
			if err == nil && got.ID != test.id {
				t.Errorf("project %s, want %s", got.ID, test.id)
			}
			if diff := cmp.Diff(url.Values{"name": {"a b&c"}}, s.last(t).Query); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnusableObjects(t *testing.T) {
	t.Parallel()
	project := func(ctx context.Context, c *Client) error {
		_, err := c.TracingProjects().Get(ctx, uuidOf(1))
		return err
	}
	provider := func(ctx context.Context, c *Client) error { _, err := c.OAuthProviders().Get(ctx, "mail"); return err }
	platform := func(ctx context.Context, c *Client) error { _, err := c.ListPlatformOAuthProviders(ctx); return err }
	connections := func(ctx context.Context, c *Client) error {
		_, err := Collect(c.AgentConnections("bot").List(ctx))
		return err
	}
	connection := func(ctx context.Context, c *Client) error {
		_, _, err := c.CreateAgentProviderToken(ctx, "bot", "mail", api.UpsertAgentProviderTokenRequest{AccessToken: "hunter22"}, nil)
		return err
	}
	tokens := func(ctx context.Context, c *Client) error { _, err := c.ListOAuthTokens(ctx, "mail"); return err }
	login := func(ctx context.Context, c *Client) error {
		_, err := c.Authenticate(ctx, api.AuthAuthenticateRequest{Provider: "mail"})
		return err
	}
	wait := func(ctx context.Context, c *Client) error { _, err := c.WaitForAuth(ctx, "a1"); return err }
	runURL := func(ctx context.Context, c *Client) error { _, err := c.GetRunURL(ctx, "p1", "t1", "r1"); return err }
	for name, test := range map[string]struct {
		call         func(context.Context, *Client) error
		answer, want string // The error; empty: success.
	}{
		"project":                        {project, `{"name":"x"}`, "not a tracing project: it has no id"},
		"provider":                       {provider, `{"name":"x"}`, "not an OAuth provider: it has no id"},
		"platform's provider":            {platform, `[{"provider_id":"mail"},{"name":"x"}]`, "item 2 of the list: it has no provider_id"},
		"connections without a list":     {connections, `{"name":"x"}`, "not a list of connections: it has no data"},
		"no connections":                 {connections, `{"data":[]}`, ""},
		"connections in an array":        {connections, `[]`, "not a list of connections: it has no data"},
		"connections of others":          {connections, `{"data":[{"id":"x1","agent_id":"other"}]}`, `item 1 of the list: it is a connection of agent "other"`},
		"connection without an id":       {connection, `{"agent_id":"bot","oauth_token_id":"t1"}`, "not a connection"},
		"connection without a token":     {connection, `{"id":"x1","agent_id":"bot"}`, "not a connection"},
		"connection of another agent":    {connection, `{"id":"x1","agent_id":"other","oauth_token_id":"t1"}`, `a connection of agent "other"`},
		"connection":                     {connection, `{"id":"x1","agent_id":"bot","oauth_token_id":"t1","provider_id":"mail"}`, ""},
		"connection of another provider": {connection, `{"id":"x1","agent_id":"bot","oauth_token_id":"t1","provider_id":"chat"}`, `a token for OAuth provider "chat"`},
		"token without an id":            {tokens, `[{"id":"t1","provider_id":"mail"},{"provider_id":"mail"}]`, "item 2 of the list: it has no id or no provider_id"},
		"token without a provider":       {tokens, `[{"id":"t1"}]`, "item 1 of the list: it has no id or no provider_id"},
		"tokens":                         {tokens, `[{"id":"t1","provider_id":"mail"}]`, ""},
		"login without a status":         {login, `{"token":"t"}`, "has no status"},
		"login without its token":        {login, `{"status":"completed"}`, "and no token"},
		"login with an empty token":      {login, `{"status":"completed","token":""}`, "and no token"},
		"login that is completed":        {login, `{"status":"completed","token":"t"}`, ""},
		"login nowhere":                  {login, `{"status":"pending","auth_id":"a1"}`, "where the user must go"},
		"login that can't be awaited":    {login, `{"status":"pending","url":"https://a"}`, "where the user must go"},
		"login that is pending":          {login, `{"status":"pending","url":"https://a","auth_id":"a1"}`, ""},
		"login of an unknown kind":       {login, `{"status":"queued"}`, ""},
		"run without a URL":              {runURL, `{}`, "has no url"},
		"URL of a run":                   {runURL, `{"url":"https://agents.example.com/r/1"}`, ""},
		"wait without a status":          {wait, `{}`, "has no status"},
		"wait":                           {wait, `{"status":"completed"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, answerWith(200, test.answer))
			err := test.call(t.Context(), c)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || IsNotFound(err) {
				t.Errorf("error = %v, want %q", err, test.want)
			}
		})
	}
}

// TestWaitForAuth checks that a request that waits for a user ends well before the client and proxies time out.
func TestWaitForAuth(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[time.Duration]string{10 * time.Second: "5", time.Hour: "20"} {
		c, s := serve(t, answerWith(200, `{"status":"pending"}`), func(cfg *Config) { cfg.RequestTimeout = timeout })
		if _, err := c.WaitForAuth(t.Context(), "a1"); err != nil {
			t.Error(err)
		}
		if asked := s.last(t); asked.Path != "/v2/auth/wait/a1" || asked.Query.Get("timeout") != want {
			t.Errorf("with a timeout of %s, requested %s?%s, want /v2/auth/wait/a1 with a timeout of %s", timeout, asked.Path, asked.Query.Encode(), want)
		}
	}
}
