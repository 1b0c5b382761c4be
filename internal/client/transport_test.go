package client

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRedirects(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s with key %q went to another host", r.Method, r.URL, r.Header.Get("X-Api-Key"))
	}))
	t.Cleanup(elsewhere.Close)
	one := answerWith(http.StatusOK, `{"id":"d0000001-0000-4000-8000-000000000000"}`)
	to := func(location string) http.HandlerFunc {
		return answerWith(http.StatusTemporaryRedirect, nil, "Location", location)
	}
	tests := map[string]struct {
		handler  http.HandlerFunc
		method   string
		requests int
		want     string // Part of the error; empty: success.
	}{
		"within the host":           {script(to("/v2/deployments/d0000001-0000-4000-8000-000000000000/"), one), "GET", 2, ""},
		"three times":               {script(to("/a"), to("/b"), to("/c"), one), "GET", 4, ""},
		"in a circle":               {to("/v2/deployments/d0000001-0000-4000-8000-000000000000"), "GET", 4, "at most 3 times; check the path of base_url"},
		"to another port":           {to(elsewhere.URL + "/v2/deployments/d0000001-0000-4000-8000-000000000000?token=t"), "GET", 1, "set base_url to it"},
		"to another scheme":         {to("https://127.0.0.1/x"), "GET", 1, "redirected to https://127.0.0.1,"},
		"to another host, 2nd step": {script(to("/a"), to(elsewhere.URL)), "GET", 2, "set base_url to it"},
		"to an unreadable address":  {answerWith(http.StatusNotModified, nil, "Location", "http://[::1"), "GET", 1, "not a URL"},
		"of a create": {to("/elsewhere"), "POST", 2 + 4*len(doubtPauses), // It looks for the deployment.
			"followed for reads only"},
		"of a create to a host": {to(elsewhere.URL), "POST", 2 + len(doubtPauses), "set base_url to it"},
		"of a patch":            {to("/elsewhere"), "PATCH", 1, "followed for reads only"},
		"of a delete":           {to("/elsewhere"), "DELETE", 1, "followed for reads only"},
		"303 of a create":       {answerWith(http.StatusSeeOther, nil, "Location", "/x"), "POST", 2 + 4*len(doubtPauses), "followed for reads only"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, afterLookUp(test.method, test.handler))
			err := operations[test.method](t.Context(), c)
			if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want %q", err, test.want)
			}
			if err != nil && (strings.Contains(err.Error(), "token=t") || IsTransient(err) || IsAmbiguous(err)) {
				t.Errorf("error = %v (transient: %v, ambiguous: %v), want neither, and no token", err, IsTransient(err), IsAmbiguous(err))
			}
			if got := len(s.calls()); got != test.requests {
				t.Errorf("%d requests, want %d: %v", got, test.requests, s.calls())
			}
			if test.want == "" && s.last(t).Header.Get("X-Api-Key") == "" {
				t.Error("the redirected request has no key, although the host is the same")
			}
		})
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://h/a":       "http://h:80",
		"http://h:80/b?c":  "http://h:80",
		"https://h":        "https://h:443",
		"https://h:8443":   "https://h:8443",
		"https://[::1]/x":  "https://::1:443",
		"https://u:p@h:44": "https://h:44",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := origin(u); got != want {
			t.Errorf("origin(%s) = %s, want %s", raw, got, want)
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(answerWith(http.StatusOK, `{"id":"d0000001-0000-4000-8000-000000000000"}`))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // Discard the reports about handshakes that fail on purpose.
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(answerWith(http.StatusOK, `{"id":"d0000001-0000-4000-8000-000000000000"}`))
	t.Cleanup(plain.Close)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())

	tests := map[string]struct {
		url   string
		roots *x509.CertPool
		want  string // Part of the error; empty: success.
	}{
		"known authority":   {secure.URL, roots, ""},
		"unknown authority": {secure.URL, nil, "set ca_certificate_file"},
		"empty pool":        {secure.URL, x509.NewCertPool(), "set ca_certificate_file"},
		"https to http":     {strings.Replace(plain.URL, "http:", "https:", 1), roots, "check the scheme of base_url"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, hangUp, func(cfg *Config) { cfg.BaseURL, cfg.RootCAs = test.url, test.roots })
			_, err := c.Deployments().Get(t.Context(), "d0000001-0000-4000-8000-000000000000")
			if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want %q", err, test.want)
			}
			if lost, ok := errors.AsType[*TransportError](err); err != nil && (!ok || !lost.NotSent || lost.Attempts != 1) {
				t.Errorf("error = %#v, want one attempt that sent nothing", err)
			}
			if slept := s.slept(); len(slept) > 0 {
				t.Errorf("paused for %v, want no retries of a permanent failure", slept)
			}
		})
	}
}

// TestIdleConnections expects no request on a connection that the server, which closes idle ones after 5 seconds, is about to close.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	for pause, want := range map[time.Duration]int{3 * time.Second: 1, 4900 * time.Millisecond: 2, 6 * time.Second: 2} {
		t.Run(pause.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, s := serveInMemory(t, answerWith(http.StatusOK, noResources))
				transport, _ := c.http.Transport.(*http.Transport)
				dial, opened := transport.DialContext, 0
				transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					opened++
					return dial(ctx, network, address)
				}
				for range 2 {
					if _, err := Collect(c.ListDeployments(t.Context(), DeploymentFilter{})); err != nil {
						t.Fatal(err)
					}
					time.Sleep(pause)
				}
				if opened != want || len(s.calls()) != 2 {
					t.Errorf("%d connections for %d requests, want %d for 2", opened, len(s.calls()), want)
				}
			})
		})
	}
}
