package client

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestChanging loses replies, hides effects and changes nothing, while other clients change the object. The object is an OAuth provider
// whose name the change sets to "new", or whose secret it sets.
func TestChanging(t *testing.T) {
	t.Parallel()
	type step struct {
		does   string // The name afterwards; empty: unchanged.
		status int    // 0: no reply.
		body   string // Empty: the provider as it is then; "echo": with what was sent.
	}
	const (
		done, lost, html = 200, 0, "<html>Forbidden</html>"
		echo             = `{"id":"p1","provider_id":"mail","name":"new"}`
	)
	name := api.OAuthProviderUpdateRequest{Name: api.Some("new")}
	secret := api.OAuthProviderUpdateRequest{ClientSecret: api.Some("hunter22")}
	for title, test := range map[string]struct {
		patch  api.OAuthProviderUpdateRequest
		before string
		sends  []step
		lags   int    // The number of reads that show the object as before.
		want   string // In the error.
		sent   int
		waits  time.Duration
	}{
		"answered":                      {name, "old", []step{{"new", done, ""}}, 0, "", 1, 0},
		"answered, reads lag":           {name, "old", []step{{"new", done, ""}}, 3, "", 1, 7 * time.Second},
		"answered, reads lag for long":  {name, "old", []step{{"new", done, ""}}, 5, "", 1, 30 * time.Second},
		"answered with something else":  {name, "old", []step{{"new", done, "{}"}}, 0, "", 1, 0},
		"swallowed":                     {name, "old", []step{{"", done, ""}, {"new", done, ""}}, 0, "", 2, 30 * time.Second},
		"swallowed, echoed":             {name, "old", []step{{"", done, echo}, {"new", done, echo}}, 0, "", 2, 30 * time.Second},
		"swallowed twice":               {name, "old", []step{{"", done, "{}"}, {"", done, "null"}}, 0, "whether OAuth provider mail was changed is unknown", 2, time.Minute},
		"swallowed twice, echoed":       {name, "old", []step{{"", done, echo}, {"", done, echo}}, 0, "accepted, but reading the object doesn't show it", 2, time.Minute},
		"refused":                       {name, "old", []step{{"", 422, `{"detail":"No."}`}}, 0, "422", 1, 0},
		"refused by a proxy":            {name, "old", []step{{"", 403, html}}, 0, "403", 1, 15 * time.Second},
		"refused by a proxy after":      {name, "old", []step{{"new", 403, html}}, 0, "", 1, 0},
		"lost after the work":           {name, "old", []step{{"new", lost, ""}}, 0, "", 1, 0},
		"lost before the work":          {name, "old", []step{{"", lost, ""}, {"new", done, ""}}, 0, "", 2, 30 * time.Second},
		"lost before, then after":       {name, "old", []step{{"", lost, ""}, {"new", lost, ""}}, 0, "", 2, 30 * time.Second},
		"lost twice before":             {name, "old", []step{{"", lost, ""}, {"", lost, ""}}, 0, "was changed is unknown", 2, time.Minute},
		"lost, then refused":            {name, "old", []step{{"", lost, ""}, {"", 422, `{"detail":"No."}`}}, 0, "422", 2, 30 * time.Second},
		"others did the same before":    {name, "new", []step{{"", lost, ""}}, 0, "", 1, 0},
		"others changed it meanwhile":   {name, "old", []step{{"theirs", lost, ""}, {"new", done, ""}}, 0, "", 2, 30 * time.Second},
		"secret, answered":              {secret, "old", []step{{"", done, ""}}, 0, "", 1, 0},
		"secret, lost":                  {secret, "old", []step{{"", lost, ""}, {"", done, ""}}, 0, "", 2, 0},
		"secret, lost twice":            {secret, "old", []step{{"", lost, ""}, {"", lost, ""}}, 0, "was changed is unknown", 2, 0},
		"secret, answered with nothing": {secret, "old", []step{{"", done, "{}"}, {"", done, ""}}, 0, "", 2, 0},
		"secret, refused by a proxy":    {secret, "old", []step{{"", 403, html}}, 0, "403", 1, 0},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			before, now, sent, reads := test.before, test.before, 0, 0
			shown := func(name string) map[string]string {
				return map[string]string{"id": "p1", "provider_id": "mail", "name": name}
			}
			c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					if reads++; reads <= test.lags {
						answerWith(200, shown(before))(w, r)
						return
					}
					answerWith(200, shown(now))(w, r)
					return
				}
				does := test.sends[sent]
				sent++
				now = cmp.Or(does.does, now)
				switch {
				case does.status == lost:
					panic(http.ErrAbortHandler)
				case does.body == "":
					answerWith(does.status, shown(now))(w, r)
				default:
					answerWith(does.status, does.body)(w, r)
				}
			})
			changed, err := c.PatchOAuthProvider(t.Context(), "mail", test.patch, "")
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || sent != test.sent {
				t.Fatalf("error = %v after %d requests, want %q after %d", err, sent, test.want, test.sent)
			}
			if err == nil && changed.Name != now {
				t.Errorf("changed = %+v, want what a read shows", changed)
			}
			var waited time.Duration
			for _, pause := range s.slept() {
				waited += pause
			}
			if waited != test.waits {
				t.Errorf("waited for %s, want %s", waited, test.waits)
			}
		})
	}
}

// TestPatchOAuthProvider_untouched believes no answer to a change of the secret after which the provider is as it was before.
func TestPatchOAuthProvider_untouched(t *testing.T) {
	t.Parallel()
	for processed, want := range map[int]string{1: "", 2: "", 3: "accepted, but reading the object doesn't show it"} {
		sent, updatedAt := 0, "2026-01-02T03:04:05Z"
		c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPatch {
				if sent++; sent == processed {
					updatedAt = "2026-01-02T03:05:06Z"
				}
			}
			answerWith(200, map[string]string{"id": "p1", "provider_id": "mail", "updated_at": updatedAt})(w, r)
		})
		_, err := c.PatchOAuthProvider(t.Context(), "mail", api.OAuthProviderUpdateRequest{ClientSecret: api.Some("hunter22")}, updatedAt)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || sent != min(processed, 2) {
			t.Errorf("error = %v after %d requests of which number %d is processed, want %q", err, sent, processed, want)
		}
	}
}

// TestPatchListener_unread doesn't send a change again, or call it missing, while nothing can be read.
func TestPatchListener_unread(t *testing.T) {
	t.Parallel()
	c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answerWith(403, `{"detail":"No."}`)(w, r)
			return
		}
		answerWith(200, `{"id":"1a000001-0000-4000-8000-000000000000","version":"2"}`)(w, r)
	})
	_, err := c.PatchListener(t.Context(), "1a000001-0000-4000-8000-000000000000", api.ListenerPatchRequest{Version: api.Some("2")})
	sent := slices.DeleteFunc(s.calls(), func(call string) bool { return strings.HasPrefix(call, "GET") })
	if err == nil || !strings.Contains(err.Error(), "the change was accepted, but the object can't be read") || len(sent) != 1 {
		t.Errorf("error = %v after %v, want that nothing can be read after one change", err, sent)
	}
}
