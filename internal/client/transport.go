package client

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"time"
)

const (
	// maxRedirects is enough for a proxy that adds or removes a trailing slash.
	maxRedirects = 3
	// idleConnTimeout is below the idle timeout of the usual load balancers (60 s). On a connection that the other side
	// is closing at that moment, the fate of a POST can't be known.
	idleConnTimeout = 30 * time.Second
)

// newHTTPClient has no timeout of its own: every attempt runs under a context.
func newHTTPClient(cfg Config) *http.Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = standard.Clone()
	}
	transport.MaxIdleConnsPerHost = 10 // Terraform's default parallelism.
	transport.IdleConnTimeout = idleConnTimeout
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs}
	if cfg.Certificate != nil {
		transport.TLSClientConfig.Certificates = []tls.Certificate{*cfg.Certificate}
	}
	return &http.Client{Transport: transport, CheckRedirect: checkRedirect}
}

// checkRedirect follows only what keeps the credentials where they were sent and repeats only reads. Everything else is
// handed back as the 3xx that it is.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || len(via) > maxRedirects || origin(next.URL) != origin(first.URL) {
		return http.ErrUseLastResponse
	}
	return nil
}

// origin is scheme, host and port, with the scheme's own port written out.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + u.Hostname() + ":" + port
}
