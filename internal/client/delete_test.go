package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// reply is a response of a script. An accepted deletion is followed by the request that proves it, where there is one.
type reply struct {
	http.HandlerFunc
	accepts bool
}

// TestRemovals deletes objects without a rollout: they are gone if the list doesn't contain them, whatever the response to the deletion.
// Where another request can prove that, it doesn't here.
func TestRemovals(t *testing.T) {
	t.Parallel()
	for _, object := range []struct {
		path   string
		remove func(context.Context, *Client) error
		proof  string // The method of the request that can prove it, if there is one.
		listed string // The object in the list.
		empty  string
	}{
		{
			"/v2/listeners/1a000001-0000-4000-8000-000000000000", func(ctx context.Context, c *Client) error {
				return c.Listeners().Delete(ctx, "1a000001-0000-4000-8000-000000000000")
			}, http.MethodGet,
			`{"resources": [{"id": "1a000000-0000-4000-8000-000000000000"}, {"id": "1a000001-0000-4000-8000-000000000000"}], "offset": 0}`, `{"resources": [{"id": "1a000000-0000-4000-8000-000000000000"}], "offset": 0}`,
		},
		{
			"/v2/auth/providers/mail", func(ctx context.Context, c *Client) error { return c.OAuthProviders().Delete(ctx, "mail") }, http.MethodGet,
			`[{"id": "o0", "provider_id": "chat"}, {"id": "o1", "provider_id": "mail"}]`, `[{"id": "o0", "provider_id": "chat"}]`,
		},
		{
			"/api/v1/model-price-map/4a000001-0000-4000-8000-000000000000", func(ctx context.Context, c *Client) error {
				return c.ModelPrices().Delete(ctx, "4a000001-0000-4000-8000-000000000000")
			}, http.MethodDelete,
			`[{"id": "4a000000-0000-4000-8000-000000000000"}, {"id": "4a000001-0000-4000-8000-000000000000"}]`, `[{"id": "4a000000-0000-4000-8000-000000000000"}]`,
		},
		{
			"/v2/auth/agents/bot/connections/4a000001-0000-4000-8000-000000000000", func(ctx context.Context, c *Client) error {
				return c.AgentConnections("bot").Delete(ctx, "4a000001-0000-4000-8000-000000000000")
			}, "",
			`{"data": [{"id": "4a000000-0000-4000-8000-000000000000", "agent_id": "bot"}, {"id": "4a000001-0000-4000-8000-000000000000", "agent_id": "bot"}]}`, `{"data": [{"id": "4a000000-0000-4000-8000-000000000000", "agent_id": "bot"}]}`,
		},
	} {
		accepted := func(body any) reply { return reply{answerWith(200, body), true} }
		other := func(status int, body any) reply { return reply{HandlerFunc: answerWith(status, body)} }
		done, notFound, lost := reply{answerWith(204, nil), true}, other(404, `{"detail": "Not here"}`), reply{HandlerFunc: hangUp}
		there, empty := other(200, object.listed), other(200, object.empty)
		refused := other(409, `{"detail": "in use"}`)
		alreadyGone := reply{notFound.HandlerFunc, true} // After a lost reply, the client takes it for a success.
		const del, get = http.MethodDelete, http.MethodGet
		for name, test := range map[string]struct {
			handlers []reply
			sent     []string
			says     string // The error; empty: success.
		}{
			"done":                    {[]reply{done, empty}, []string{del, get}, ""},
			"done, with a message":    {[]reply{accepted(`{"message":"deleted"}`), empty}, []string{del, get}, ""},
			"accepted, but not done":  {[]reply{accepted("[[["), there, done, empty}, []string{del, get, del, get}, ""},
			"seen for a while":        {[]reply{done, there, notFound, there, notFound, empty}, []string{del, get, del, get, del, get}, ""},
			"gone after a lost reply": {[]reply{lost, alreadyGone, empty}, []string{del, del, get}, ""},
			"not gone after a lost request": {
				[]reply{lost, alreadyGone, there, done, empty}, []string{del, del, get, del, get}, "",
			},
			"not there":                {[]reply{notFound, empty}, []string{del, get}, "Not here"},
			"not found, but there":     {[]reply{notFound, there, done, empty}, []string{del, get, del, get}, ""},
			"done, with a page":        {[]reply{other(200, "<title>Down</title>"), empty}, []string{del, get}, ""},
			"a page instead":           {[]reply{other(200, "<title>Down</title>"), there}, []string{del, get}, "Down"},
			"a page, and another one":  {[]reply{other(200, "<title>Down</title>"), other(403, nil)}, []string{del, get}, "Down"},
			"done, and never answered": {append(slices.Repeat([]reply{lost}, 4), empty), []string{del, del, del, del, get}, ""},
			"in use":                   {[]reply{refused}, []string{del}, "in use"},
			"in use the second time":   {[]reply{done, there, refused}, []string{del, get, del}, "in use"},
			"the list is odd for once": {[]reply{done, other(418, nil), done, empty}, []string{del, get, del, get}, ""},
			"stays": {
				slices.Repeat([]reply{done, there}, 5), slices.Repeat([]string{del, get}, 5), "still exists",
			},
			"never listed": {
				slices.Repeat([]reply{done, other(403, `{"detail": "no lists"}`)}, 5), slices.Repeat([]string{del, get}, 5),
				"no lists",
			},
		} {
			t.Run(object.path+"/"+name, func(t *testing.T) {
				t.Parallel()
				var handlers []http.HandlerFunc
				var want []string
				for i, handler := range test.handlers {
					handlers, want = append(handlers, handler.HandlerFunc), append(want, test.sent[i])
					if handler.accepts && object.proof != "" {
						handlers, want = append(handlers, answerWith(200, `{}`)), append(want, object.proof)
					}
				}
				c, s := serve(t, script(handlers...))
				err := object.remove(t.Context(), c)
				if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
					t.Errorf("error = %v, want %q", err, test.says)
				}
				if IsNotFound(err) != (name == "not there") {
					t.Errorf("IsNotFound(%v) = %t, want %t", err, IsNotFound(err), name == "not there")
				}
				var sent []string
				for _, call := range s.calls() {
					method, path, _ := strings.Cut(call, " ")
					if method == del && path != object.path {
						t.Errorf("sent %s, want only deletions of %s", call, object.path)
					}
					sent = append(sent, method)
				}
				if diff := cmp.Diff(want, sent); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestProvedRemovals expects two requests, if the second says that the object is gone: the list isn't read.
func TestProvedRemovals(t *testing.T) {
	t.Parallel()
	const id = "4a000001-0000-4000-8000-000000000000"
	for name, test := range map[string]struct {
		remove func(context.Context, *Client) error
		proof  string
	}{
		"model price":    {func(ctx context.Context, c *Client) error { return c.ModelPrices().Delete(ctx, id) }, "DELETE /api/v1/model-price-map/" + id},
		"listener":       {func(ctx context.Context, c *Client) error { return c.Listeners().Delete(ctx, id) }, "GET /v2/listeners/" + id},
		"OAuth provider": {func(ctx context.Context, c *Client) error { return c.OAuthProviders().Delete(ctx, "mail") }, "GET /v2/auth/providers/mail"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, script(answerWith(204, nil), answerWith(404, `{"detail": "Not here"}`)))
			if err := test.remove(t.Context(), c); err != nil {
				t.Error(err)
			}
			_, path, _ := strings.Cut(test.proof, " ")
			if diff := cmp.Diff([]string{"DELETE " + path, test.proof}, s.calls()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRemovals_interrupted expects the error of an interrupted deletion to say whether the service has accepted it.
func TestRemovals_interrupted(t *testing.T) {
	t.Parallel()
	for want, status := range map[string]int{
		"Interrupted. The deletion was accepted and continues; run destroy again to confirm it.": http.StatusNoContent,
		"Interrupted. The service hasn't confirmed the deletion; run destroy again.":             http.StatusServiceUnavailable,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				w.WriteHeader(status)
				return
			}
			cancel()
			hangUp(w, r)
		}, func(cfg *Config) {
			cfg.Sleep = func(ctx context.Context, _ time.Duration) error {
				if status != http.StatusNoContent {
					cancel()
				}
				return ctx.Err()
			}
		})
		if err := c.Listeners().Delete(ctx, "1a000001-0000-4000-8000-000000000000"); !errors.Is(err, context.Canceled) || err.Error() != want {
			t.Errorf("%d: error = %v, want %q", status, err, want)
		}
		cancel()
	}
}

// TestSpelledID expects an object to count as listed however its ID is spelled: an import block may have it in capitals.
func TestSpelledID(t *testing.T) {
	t.Parallel()
	const spelled, id = "03C7AA36-DFD3-4211-9BBD-8FD3E0A3AE56", "03c7aa36-dfd3-4211-9bbd-8fd3e0a3ae56"
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case r.URL.Path == modelPricesPath:
			answerWith(200, `[{"id": "`+id+`"}]`)(w, r)
		case strings.Contains(r.URL.Path, spelled):
			answerWith(404, `{"detail": "Not here"}`)(w, r)
		default:
			answerWith(200, `{"resources": [{"id": "`+id+`"}]}`)(w, r)
		}
	})
	if l, err := c.Listeners().Find(t.Context(), spelled); err != nil || l.ID != id {
		t.Errorf("FindListener = %+v, %v; want %s", l, err, id)
	}
	if d, err := c.Deployments().Find(t.Context(), spelled); err != nil || d.ID != id {
		t.Errorf("FindDeployment = %+v, %v; want %s", d, err, id)
	}
	if err := c.ModelPrices().Delete(t.Context(), spelled); err == nil || !strings.Contains(err.Error(), "still exists") {
		t.Errorf("error = %v, want that it still exists", err)
	}
}
