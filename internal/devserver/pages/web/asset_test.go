package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ask(t testing.TB, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	Assets().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, target, http.NoBody))
	return answer
}

// TestAssets checks that every asset that a page refers to exists, and can be cached forever.
func TestAssets(t *testing.T) {
	t.Parallel()
	page := parsePage(t, render(t, newPages(t), ErrorView{Frame: frame}))
	asked := map[string]string{}
	for _, e := range page.all("script", "link") {
		address := e.attrs["src"] + e.attrs["href"]
		if address == "data:," {
			continue
		}
		answer := ask(t, http.MethodGet, address)
		if answer.Code != http.StatusOK || answer.Body.Len() == 0 {
			t.Errorf("%s: status %d, %d bytes; want 200 with a body", address, answer.Code, answer.Body.Len())
		}
		if cached := answer.Header().Get("Cache-Control"); !strings.Contains(cached, "immutable") {
			t.Errorf("%s: Cache-Control = %q, want immutable", address, cached)
		}
		if !regexp.MustCompile(`^/ui/assets/[a-z]+\.[0-9a-f]{12}\.[a-z]+$`).MatchString(address) {
			t.Errorf("%s has no digest in its name", address)
		}
		asked[path.Ext(address)] = answer.Header().Get("Content-Type")
	}
	want := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

func TestNoAsset(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		method, target string
		want           int
	}{
		{http.MethodGet, "/ui/assets/style.css", http.StatusNotFound},
		{http.MethodGet, "/ui/assets/", http.StatusNotFound},
		{http.MethodGet, "/ui/assets/style.000000000000.css", http.StatusNotFound},
		{http.MethodHead, Paths{}.Asset("app.js"), http.StatusOK},
	} {
		answer := ask(t, tc.method, tc.target)
		if answer.Code != tc.want || tc.want != http.StatusOK && answer.Header().Get("Cache-Control") != "" {
			t.Errorf("%s %s: status %d, Cache-Control %q; want status %d, and errors not cached", tc.method, tc.target, answer.Code, answer.Header().Get("Cache-Control"), tc.want)
		}
		if tc.method == http.MethodHead && answer.Body.Len() != 0 {
			t.Errorf("HEAD: body of %d bytes, want none", answer.Body.Len())
		}
	}
}

// TestScript checks that the elements the script looks for exist in the pages.
func TestScript(t *testing.T) {
	t.Parallel()
	script := string(readAssets().content[hashedName("app.js")])
	has := map[string]bool{}
	for _, view := range []any{DeploymentView{}, ProjectView{}} {
		page := parsePage(t, render(t, newPages(t), filled(view, func(path string) string { return "/" + path }, "")))
		for _, e := range page.all() {
			for name := range e.attrs {
				has[name] = true
			}
		}
	}
	hooks := regexp.MustCompile(`\[(data-[a-z-]+)\]`).FindAllStringSubmatch(script, -1)
	if len(hooks) < 4 {
		t.Errorf("the script looks for %d attributes, want at least 4", len(hooks))
	}
	for _, hook := range hooks {
		if !has[hook[1]] {
			t.Errorf("the script looks for %s, which no page has", hook[1])
		}
	}
	for name, content := range readAssets().content {
		for _, forbidden := range []string{"eval(", "Function(", "document.write", "setAttribute(\"style", ".style."} {
			if path.Ext(name) == ".js" && strings.Contains(string(content), forbidden) {
				t.Errorf("%s contains %s, which the content security policy forbids", name, forbidden)
			}
		}
	}
}

func TestSetHeaders(t *testing.T) {
	t.Parallel()
	got := http.Header{"X-Request-Id": {"1"}}
	SetHeaders(got)
	want := http.Header{
		"Content-Type":            {"text/html; charset=utf-8"},
		"Content-Security-Policy": {"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; media-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
		"X-Content-Type-Options":  {"nosniff"}, "Referrer-Policy": {"same-origin"}, "Cache-Control": {"no-store"}, "Vary": {"Accept, Accept-Encoding"}, "X-Request-Id": {"1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	p := Paths{"/ui"}
	for got, want := range map[string]string{
		p.Run("a/b?c"): "/ui/runs/a%2Fb%3Fc", p.Trace("{trace_id}"): "/ui/traces/{trace_id}", p.Project("p 1"): "/ui/projects/p%201",
		p.Deployment("{}"): "/ui/deployments/%7B%7D", Paths{}.Deployments(): "/deployments",
		Frame{Base: "//evil.example.com"}.Paths().Requests(): "/requests",
	} {
		if got != want {
			t.Errorf("path = %s, want %s", got, want)
		}
	}
}

// TestCompressedAssets checks that assets are the same when they are compressed, and that no page loads more of them than 60 KB.
func TestCompressedAssets(t *testing.T) {
	t.Parallel()
	total := 0
	for name := range readAssets().names {
		plain := ask(t, http.MethodGet, Paths{}.Asset(name))
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, Paths{}.Asset(name), http.NoBody)
		r.Header.Set("Accept-Encoding", "br, gzip")
		answer := httptest.NewRecorder()
		Assets().ServeHTTP(answer, r)
		if total += answer.Body.Len(); answer.Header().Get("Content-Encoding") != "gzip" {
			if plain.Body.Len() > 1024 {
				t.Errorf("%s of %d bytes: header %v, want it compressed", name, plain.Body.Len(), answer.Header())
			}
			continue
		}
		content, err := gzip.NewReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(content); err != nil || !bytes.Equal(text, plain.Body.Bytes()) {
			t.Errorf("%s: the compressed file differs: %v", name, err)
		}
	}
	if total > 60_000 {
		t.Errorf("all assets have %d bytes compressed, want at most 60,000", total)
	}
}
