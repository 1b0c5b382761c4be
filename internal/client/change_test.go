package client

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestChanging loses replies, hides effects and changes nothing, while other clients change the object. The object is a listener whose
// version the change sets to "new".
func TestChanging(t *testing.T) {
	t.Parallel()
	type step struct {
		does   string // The version afterwards; empty: unchanged.
		status int    // 0: no reply.
		body   string // Empty: the listener as it is then.
	}
	const done, lost, html = 200, 0, "<html>Forbidden</html>"
	for name, test := range map[string]struct {
		before string
		sends  []step
		lags   int // The number of reads that show the object as before.
		hides  bool
		want   string // In the error.
		sent   int
	}{
		"answered":                         {"old", []step{{"new", done, ""}}, 0, false, "", 1},
		"answered, reads lag":              {"old", []step{{"new", done, ""}}, 3, false, "", 1},
		"answered with something else":     {"old", []step{{"new", done, "{}"}}, 0, false, "", 1},
		"swallowed":                        {"old", []step{{"", done, ""}, {"new", done, ""}}, 0, false, "", 2},
		"swallowed twice":                  {"old", []step{{"", done, "{}"}, {"", done, "null"}}, 0, false, "whether listener 1a000001-0000-4000-8000-000000000000 was changed is unknown", 2},
		"swallowed twice, answered":        {"old", []step{{"", done, `{"id":"1a000001-0000-4000-8000-000000000000"}`}, {"", done, `{"id":"1a000001-0000-4000-8000-000000000000"}`}}, 0, false, "accepted, but reading the object doesn't show it", 2},
		"refused":                          {"old", []step{{"", 422, `{"detail":"No."}`}}, 0, false, "422", 1},
		"refused by a proxy":               {"old", []step{{"", 403, html}}, 0, false, "403", 1},
		"refused by a proxy after":         {"old", []step{{"new", 403, html}}, 0, false, "", 1},
		"lost after the work":              {"old", []step{{"new", lost, ""}}, 0, false, "", 1},
		"lost before the work":             {"old", []step{{"", lost, ""}, {"new", done, ""}}, 0, false, "", 2},
		"lost before, then after":          {"old", []step{{"", lost, ""}, {"new", lost, ""}}, 0, false, "", 2},
		"lost twice before":                {"old", []step{{"", lost, ""}, {"", lost, ""}}, 0, false, "was changed is unknown", 2},
		"lost, then refused":               {"old", []step{{"", lost, ""}, {"", 422, `{"detail":"No."}`}}, 0, false, "422", 2},
		"others did the same before":       {"new", []step{{"", lost, ""}}, 0, false, "", 1},
		"others changed it meanwhile":      {"old", []step{{"theirs", lost, ""}, {"new", done, ""}}, 0, false, "", 2},
		"hidden, answered":                 {"new", []step{{"new", done, ""}}, 0, true, "", 1},
		"hidden, lost":                     {"old", []step{{"new", lost, ""}, {"new", done, ""}}, 0, true, "", 2},
		"hidden, lost twice":               {"old", []step{{"new", lost, ""}, {"new", lost, ""}}, 0, true, "was changed is unknown", 2},
		"hidden, answered with nothing":    {"old", []step{{"new", done, "{}"}, {"new", done, ""}}, 0, true, "", 2},
		"hidden, refused by a proxy after": {"old", []step{{"new", 403, html}}, 0, true, "403", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, now, sent, reads := test.before, test.before, 0, 0
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				shown := now
				if r.Method == http.MethodGet {
					if reads++; reads <= test.lags {
						shown = before
					}
					answerWith(200, map[string]string{"id": "1a000001-0000-4000-8000-000000000000", "version": shown})(w, r)
					return
				}
				does := test.sends[sent]
				sent++
				now = cmp.Or(does.does, now)
				switch {
				case does.status == lost:
					panic(http.ErrAbortHandler)
				case does.body == "":
					answerWith(does.status, map[string]string{"id": "1a000001-0000-4000-8000-000000000000", "version": now})(w, r)
				default:
					answerWith(does.status, does.body)(w, r)
				}
			})
			changed, err := changing[api.Listener]{
				request: request{method: http.MethodPatch, path: pathTo(listenersPath, "1a000001-0000-4000-8000-000000000000"), body: map[string]string{}},
				kind:    listenerKind, id: "1a000001-0000-4000-8000-000000000000", check: isListener("1a000001-0000-4000-8000-000000000000"),
				read: func(ctx context.Context) (*api.Listener, error) {
					return c.GetListener(ctx, "1a000001-0000-4000-8000-000000000000")
				},
				shows: func(l api.Listener) bool { return l.Version != nil && *l.Version == "new" },
				hides: func(api.Listener) bool { return test.hides },
			}.prove(t.Context(), c)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || sent != test.sent {
				t.Fatalf("error = %v after %d requests, want %q after %d", err, sent, test.want, test.sent)
			}
			if err == nil && (changed.Version == nil || *changed.Version != "new") {
				t.Errorf("changed = %+v, want the new version", changed)
			}
		})
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

// TestPatchListener_unreported changes listeners of services that don't report what is sent: their response counts. It is no proof that
// they report something else.
func TestPatchListener_unreported(t *testing.T) {
	t.Parallel()
	toNamespaces := func(names ...string) api.ListenerPatchRequest {
		return api.ListenerPatchRequest{ComputeConfig: api.Some(api.ListenerComputeConfigRequest{K8sNamespaces: api.Some(names)})}
	}
	version := api.ListenerPatchRequest{Version: api.Some("2")}
	for name, test := range map[string]struct {
		patch  api.ListenerPatchRequest
		answer string
		ok     bool
	}{
		"version":              {version, `{"id":"1a000001-0000-4000-8000-000000000000","version":"2"}`, true},
		"another version":      {version, `{"id":"1a000001-0000-4000-8000-000000000000","version":"1"}`, false},
		"version not reported": {version, `{"id":"1a000001-0000-4000-8000-000000000000"}`, true},
		"namespaces":           {toNamespaces("a", "b"), `{"id":"1a000001-0000-4000-8000-000000000000","compute_config":{"k8s_namespaces":["a","b"]}}`, true},
		"sorted":               {toNamespaces("b", "a"), `{"id":"1a000001-0000-4000-8000-000000000000","compute_config":{"k8s_namespaces":["a","b"]}}`, true},
		"fewer":                {toNamespaces("a", "b"), `{"id":"1a000001-0000-4000-8000-000000000000","compute_config":{"k8s_namespaces":["a"]}}`, false},
		"only in the response": {version, `{"id":"1a000001-0000-4000-8000-000000000000","version":"2"}!{"id":"1a000001-0000-4000-8000-000000000000"}`, true},
		"not reported":         {toNamespaces("a"), `{"id":"1a000001-0000-4000-8000-000000000000","compute_config":{}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, read, differs := strings.Cut(test.answer, "!")
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if differs && r.Method == http.MethodGet {
					answerWith(200, read)(w, r)
					return
				}
				answerWith(200, answer)(w, r)
			})
			if _, err := c.PatchListener(t.Context(), "1a000001-0000-4000-8000-000000000000", test.patch); (err == nil) != test.ok {
				t.Errorf("PatchListener: %v, want success: %t", err, test.ok)
			}
		})
	}
}

// TestMismatch_numbers compares numbers that are equal as float64.
func TestMismatch_numbers(t *testing.T) {
	t.Parallel()
	const large = 1 << 53
	for reported, want := range map[int64]bool{large: false, large + 1: true} {
		if at, different := mismatch(map[string]int64{"n": large}, map[string]int64{"n": reported}); different != want || want && at != ".n" {
			t.Errorf("mismatch with %d = %q, %t; want %t", reported, at, different, want)
		}
	}
}
