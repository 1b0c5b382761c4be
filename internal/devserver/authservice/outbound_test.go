package authservice

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"1.1.1.1": true, "2606:4700::1111": true,
		"127.0.0.1": false, "::1": false, "0.0.0.0": false, "::": false, "0.1.2.3": false,
		"10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false, "fd00::1": false, // RFC 1918, RFC 4193.
		"169.254.169.254": false, "fe80::1": false, // Cloud metadata services, which serve credentials.
		"100.64.0.1": false, "192.0.0.8": false, "192.0.2.1": false, "198.18.0.1": false, "203.0.113.9": false, "240.0.0.1": false, "255.255.255.255": false,
		"224.0.0.1": false, "ff02::1": false,
		"64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001:db8::1": false,
	} {
		assert.Same(t, fmt.Sprintf("isPublic(%s)", address), want, isPublic(netip.MustParseAddr(address)))
	}
}

func TestCheckOutbound(t *testing.T) {
	t.Parallel()
	anywhere := newOutbound(LocalURLs{All: true})
	for address, want := range map[string]string{
		"https://mail.example/token":     "",
		"http://127.0.0.1:8080/":         "",
		"http://localhost/":              "",
		"http://[::1]:1/":                "",
		"http://mail.example/":           "must use https",
		"http://127.0.0.1.mail.example/": "must use https",
		"http://localhost.mail.example/": "must use https",
		"http://2130706433/":             "must use https",
		"ftp://127.0.0.1/":               "must use https",
		"file:///etc/passwd":             "no host",
		"https:///token":                 "no host",
		"https://a:b@mail.example/":      "user name",
	} {
		u, err := url.Parse(address)
		assert.Must(t, err)
		err = anywhere.check(u)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error = %v, want %q", address, err, want)
		}
	}
}

// TestDialGuarded checks that the address the kernel connects to counts: 0.0.0.0 means this machine.
func TestDialGuarded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	for _, host := range []string{"0.0.0.0", "[::]", "10.0.0.1", "169.254.169.254", "[fe80::1]"} {
		connection, err := dialGuarded(t.Context(), "tcp", host+port)
		if err == nil {
			_ = connection.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "is not a public address") {
			t.Errorf("dialGuarded(%s): error = %v, want that it isn't a public address", host, err)
		}
	}
	connection, err := dialGuarded(t.Context(), "tcp", "127.0.0.1"+port)
	assert.Must(t, err)
	_ = connection.Close()
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var target *httptest.Server
	reached := 0
	target = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, target.URL+"/end", http.StatusFound)
		case "/private":
			http.Redirect(w, r, "https://169.254.169.254/", http.StatusFound)
		case "/plain":
			http.Redirect(w, r, "http://mail.example/", http.StatusFound)
		case "/circle":
			http.Redirect(w, r, "/circle", http.StatusFound)
		case "/end":
			reached++
		}
	}))
	t.Cleanup(target.Close)
	client := newOutbound(LocalURLs{All: true})
	for path, want := range map[string]string{
		"/here": "", "/private": "is not a public address", "/plain": "must use https", "/circle": "more than 3 redirects",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.URL+path, http.NoBody)
		assert.Must(t, err)
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error = %v, want %q", path, err, want)
		}
	}
	if reached != 1 {
		t.Errorf("the target of the redirect was requested %d times, want once", reached)
	}
	from := func(method, address string) *http.Request {
		request, err := http.NewRequestWithContext(context.Background(), method, address, http.NoBody)
		assert.Must(t, err)
		return request
	}
	here := from(http.MethodGet, "http://127.0.0.1/")
	if err := checkRedirect(here, []*http.Request{from(http.MethodGet, "https://mail.example/")}); err == nil {
		t.Error("checkRedirect allows a redirect from another server to this machine, want an error")
	}
	if err := checkRedirect(here, []*http.Request{from(http.MethodPost, "http://127.0.0.1/")}); err == nil {
		t.Error("checkRedirect allows a redirect of a POST, which has the client secret, want an error")
	}
}
