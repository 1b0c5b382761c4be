package client

import (
	"crypto/tls"
	"net/http"
	"time"
)

const (
	// maxRedirects is enough for a proxy that adds or removes a trailing slash.
	maxRedirects = 3
	// idleConnTimeout is below the idle timeout of common servers (5 s). If the other side is closing the connection at that moment, the
	// outcome of a POST is unknown.
	idleConnTimeout = 4 * time.Second
)

// newHTTPClient sets no timeout, because every attempt has a context with one.
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

// checkRedirect only follows redirects of reads that keep the credentials on the same origin. All others are returned as 3xx
// responses.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || len(via) > maxRedirects || origin(next.URL) != origin(first.URL) {
		return http.ErrUseLastResponse
	}
	return nil
}
