package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// TestProxies checks what a request is taken for, by who sends it and what it says.
func TestProxies(t *testing.T) {
	t.Parallel()
	type taken struct{ Scheme, Host, Sent, From, ID string }
	plain := taken{"http", "plane.test:8124", "plane.test:8124", "192.0.2.7:4711", ""}
	const proxy, other = "10.1.2.3:4711", "192.0.2.7:4711"
	for name, tc := range map[string]struct {
		trusted, from string
		header        []string
		want          taken
	}{
		"none trusted": {"", other, []string{"X-Forwarded-For", "198.51.100.1", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "public.test", "X-Request-Id", "abc"}, plain},
		"not trusted":  {"10.0.0.0/8", other, []string{"X-Forwarded-For", "198.51.100.1", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "public.test", "X-Request-Id", "abc"}, plain},
		"no address":   {"10.0.0.0/8", "pipe", []string{"X-Forwarded-Proto", "https"}, taken{"http", "plane.test:8124", "plane.test:8124", "pipe", ""}},
		"trusted": {
			"192.168.0.0/16,10.0.0.0/8", proxy,
			[]string{"X-Forwarded-For", "198.51.100.1", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "public.test", "X-Request-Id", "abc-1.2_3:4"},
			taken{"https", "public.test", "plane.test:8124", "198.51.100.1:0", "abc-1.2_3:4"},
		},
		"address, mapped":   {"10.1.2.3", "[::ffff:10.1.2.3]:1", []string{"X-Forwarded-Proto", "HTTPS"}, taken{"https", "plane.test:8124", "plane.test:8124", "[::ffff:10.1.2.3]:1", ""}},
		"says nothing":      {"10.0.0.0/8", proxy, nil, taken{"http", "plane.test:8124", "plane.test:8124", proxy, ""}},
		"version 6":         {"fd00::/8", "[fd00::1]:1", []string{"X-Forwarded-For", "[2001:db8::1]:443"}, taken{"http", "plane.test:8124", "plane.test:8124", "[2001:db8::1]:0", ""}},
		"forged by clients": {"10.0.0.0/8", proxy, []string{"X-Forwarded-For", "127.0.0.1, 198.51.100.1", "X-Forwarded-Proto", "https, http", "X-Forwarded-Host", "forged.test, public.test"}, taken{"http", "public.test", "plane.test:8124", "198.51.100.1:0", ""}},
		"forged in another line": {
			"10.0.0.0/8", proxy, []string{"X-Forwarded-For", "127.0.0.1", "X-Forwarded-For", "198.51.100.1"},
			taken{"http", "plane.test:8124", "plane.test:8124", "198.51.100.1:0", ""},
		},
		"two proxies append": {
			"10.0.0.0/8", proxy, []string{"X-Forwarded-For", "127.0.0.1, 198.51.100.1, 10.9.9.9", "X-Forwarded-Proto", "http, https, http", "X-Forwarded-Host", "forged.test,public.test,inner.test"},
			taken{"https", "public.test", "plane.test:8124", "198.51.100.1:0", ""},
		},
		"two proxies, one of which replaces": {
			"10.0.0.0/8", proxy, []string{"X-Forwarded-For", "198.51.100.1, 10.9.9.9", "X-Forwarded-Proto", "https"}, taken{"https", "plane.test:8124", "plane.test:8124", "198.51.100.1:0", ""},
		},
		"not an address":   {"10.0.0.0/8", proxy, []string{"X-Forwarded-For", "198.51.100.1, unknown"}, taken{"http", "plane.test:8124", "plane.test:8124", proxy, ""}},
		"other scheme":     {"10.0.0.0/8", proxy, []string{"X-Forwarded-Proto", "javascript"}, taken{"http", "plane.test:8124", "plane.test:8124", proxy, ""}},
		"no host":          {"10.0.0.0/8", proxy, []string{"X-Forwarded-Host", "a.test/path"}, taken{"http", "plane.test:8124", "plane.test:8124", proxy, ""}},
		"host with user":   {"10.0.0.0/8", proxy, []string{"X-Forwarded-Host", "me@a.test"}, taken{"http", "plane.test:8124", "plane.test:8124", proxy, ""}},
		"host with port":   {"10.0.0.0/8", proxy, []string{"X-Forwarded-Host", "[2001:db8::1]:8443"}, taken{"http", "[2001:db8::1]:8443", "plane.test:8124", proxy, ""}},
		"ID with spaces":   {"10.0.0.0/8", proxy, []string{"X-Request-Id", "a b"}, taken{"http", "plane.test:8124", "plane.test:8124", proxy, ""}},
		"ID with a quote":  {"10.0.0.0/8", proxy, []string{"X-Request-Id", `a"b`}, taken{"http", "plane.test:8124", "plane.test:8124", proxy, ""}},
		"ID like a flag":   {"10.0.0.0/8", proxy, []string{"X-Request-Id", "-rf"}, taken{"http", "plane.test:8124", "plane.test:8124", proxy, ""}},
		"ID too long":      {"10.0.0.0/8", proxy, []string{"X-Request-Id", strings.Repeat("a", 129)}, taken{"http", "plane.test:8124", "plane.test:8124", proxy, ""}},
		"ID just not long": {"10.0.0.0/8", proxy, []string{"X-Request-Id", strings.Repeat("a", 128)}, taken{"http", "plane.test:8124", "plane.test:8124", proxy, strings.Repeat("a", 128)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var trusted rest.Proxies
			if tc.trusted != "" {
				var err error
				if trusted, err = rest.ParseProxies(tc.trusted); err != nil {
					t.Fatal(err)
				}
			}
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://plane.test:8124/", http.NoBody)
			request.RemoteAddr = tc.from
			for i := 0; i < len(tc.header); i += 2 {
				request.Header.Add(tc.header[i], tc.header[i+1])
			}
			var got taken
			answer := httptest.NewRecorder()
			rest.Arrive(answer, request, trusted, func(_ http.ResponseWriter, r *http.Request) {
				a := rest.ArrivalOf(r.Context())
				got = taken{a.Scheme, r.Host, a.Host, r.RemoteAddr, a.ID}
			}, func(*http.Request, *rest.Arrival) {})
			if id := answer.Header().Get("X-Request-Id"); id != got.ID || len(id) < 3 {
				t.Errorf("request ID = %q, want that of the answer, %q", got.ID, id)
			}
			if tc.want.ID == "" && len(got.ID) == 36 { // A new one.
				got.ID = ""
			}
			devservertest.Same(t, "the request is taken for", tc.want, got)
		})
	}
}

func TestParseProxies(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"10.0.0.1/8": "10.0.0.0/8", "::1, 127.0.0.1": "::1/128 127.0.0.1/32", "::ffff:10.0.0.1": "10.0.0.1/32",
		"": "is not a network", "10.0.0.0/8,": "is not a network", "proxy.test": `"proxy.test" is not a network`, "10.0.0.0/33": "is not a network", "fe80::1%eth0": "is not a network",
	} {
		proxies, err := rest.ParseProxies(list)
		var got []string
		for _, network := range proxies {
			got = append(got, network.String())
		}
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error = %v, want %s", list, err, want)
			}
		} else if strings.Join(got, " ") != want {
			t.Errorf("%q = %v, want %s", list, got, want)
		}
	}
}
