package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const (
	// writeGrace is shorter than the time after which CI systems and users usually kill a cancelled run.
	writeGrace = 10 * time.Second
	// maxRedirects is enough for a proxy that adds or removes a trailing slash.
	maxRedirects = 3
	// idleConnTimeout is below the idle timeout of common servers (5 s). If the other side is closing the connection at that moment, the
	// outcome of a POST is unknown.
	idleConnTimeout = 4 * time.Second
)

// Client sends requests to one service, for one workspace. It is safe for concurrent use.
type Client struct {
	*session
	workspaceID string
}

// session is shared by the clients of several workspaces.
type session struct {
	http *http.Client
	endpoints
	// credentials are the configured values that are never shown.
	credentials []string
	cfg         Config
	// grace is how long a write may continue after its caller's context has ended.
	grace time.Duration

	// servers has each server of the APIs' own responses.
	servers sync.Map

	mu sync.Mutex
	// claimed has the IDs of objects that this process has created or deleted: no other create made them.
	claimed map[string]struct{}

	// earlier has an *earlier for each workspace and path.
	earlier sync.Map

	// imports is held during an import of a token, from listing the existing tokens to the end.
	imports sync.Mutex
}

// New checks the addresses in cfg and returns a Client. It sends nothing.
func New(cfg Config) (*Client, error) {
	cfg = cfg.completed()
	at, err := locate(cfg)
	if err != nil {
		return nil, err
	}
	shared := &session{http: newHTTPClient(cfg), endpoints: at, cfg: cfg, grace: writeGrace, claimed: map[string]struct{}{}}
	shared.credentials = slices.Concat([]string{cfg.APIKey, cfg.BearerToken}, slices.Collect(maps.Values(cfg.Headers)))
	return &Client{session: shared, workspaceID: cfg.WorkspaceID}, nil
}

// InWorkspace returns a client for another workspace that shares c's connections. With an empty ID, it returns c.
func (c *Client) InWorkspace(id string) *Client {
	if id == "" || id == c.workspaceID {
		return c
	}
	return &Client{session: c.session, workspaceID: id}
}

// WorkspaceID returns the workspace of c; empty if the key determines it.
func (c *Client) WorkspaceID() string { return c.workspaceID }

// Dialect returns the dialect of the service.
func (c *Client) Dialect() *api.Dialect { return c.cfg.Dialect }

// claim reserves an ID for its caller, and reports whether no other create or deletion of this process had it before.
func (s *session) claim(id string) bool {
	id = plainID(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.claimed[id]; taken {
		return false
	}
	s.claimed[id] = struct{}{}
	return true
}

// newHTTPClient sets no timeout: every attempt has a context with one.
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

// Config has the address of the service and the settings of the client.
type Config struct {
	// BaseURL is http(s)://host with any path prefix; a self-hosted installation serves its control plane at /api-host.
	BaseURL string
	// TracingURL is http(s)://host with any path prefix. If empty, it is derived from BaseURL: in the cloud, the tracing host of the
	// same region; otherwise the same host without /api-host.
	//
	// Tracing requests send the credential only there. It is the credential of that API too, and the user has chosen the host,
	// here or with BaseURL: no response of a service can change it.
	TracingURL string
	// APIKey is sent as X-Api-Key. It excludes BearerToken.
	APIKey string
	// BearerToken is sent as Authorization: Bearer.
	BearerToken string
	// Dialect is the dialect of the service. Nil means api.Neutral.
	Dialect *api.Dialect
	// WorkspaceID is sent as X-Tenant-Id. Keys of a single workspace don't need it.
	WorkspaceID string
	// Headers are sent with every request to the host of BaseURL, and to no other: they may be the credentials of a gateway in front
	// of it. None of them is a header that the client sends by itself.
	Headers   map[string]string
	UserAgent string
	// RequestTimeout limits one attempt, including its body. Zero means defaultRequestTimeout.
	RequestTimeout time.Duration
	// MaxRetries is the number of further attempts after the first; zero or negative means none.
	MaxRetries int
	// RootCAs replaces the system's certificate authorities.
	RootCAs *x509.CertPool
	// Certificate identifies the client to services that require a client certificate. Nil means none.
	Certificate *tls.Certificate
	// Sleep waits between attempts and returns the context's error if that ends first. Nil uses a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now is the clock that Sleep uses. Nil means the system's.
	Now func() time.Time
	// Log is called for every attempt. It never gets headers or bodies. Nil logs nothing.
	Log func(ctx context.Context, message string, fields map[string]any)
}

// defaultRequestTimeout limits one attempt if Config doesn't.
const defaultRequestTimeout = 60 * time.Second

// completed fills in the defaults.
func (cfg Config) completed() Config {
	if cfg.RequestTimeout <= 0 {
		cfg.RequestTimeout = defaultRequestTimeout
	}
	cfg.Dialect = cmp.Or(cfg.Dialect, api.Neutral)
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = func(context.Context, string, map[string]any) {}
	}
	return cfg
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

const (
	// controlPlanePrefix is the path under which a self-hosted installation serves its control plane.
	controlPlanePrefix = "/api-host"
	// tracingPrefix begins the paths of the tracing API, which a self-hosted installation serves at the root of the same host.
	tracingPrefix = "/api/v1"
)

// mainPrefixes may end the URL of the product's main API, as users configure it for the product's own tools.
var mainPrefixes = []string{tracingPrefix, "/api"}

// RegionURL returns the base URL of the control plane in a region of the cloud.
func RegionURL(d *api.Dialect, region string) (string, error) {
	if d.Product == nil {
		return "", fmt.Errorf("region %q has no hosts in the dialect %q", region, d.Name)
	}
	prefix, known := d.Product.Regions[region]
	if !known {
		return "", fmt.Errorf("region %q is unknown: use one of %s", region,
			strings.Join(slices.Sorted(maps.Keys(d.Product.Regions)), ", "))
	}
	return "https://" + prefix + d.Product.ControlPlane, nil
}

// EndpointURL returns the base URL of the control plane that belongs to a URL of the product's main API, which is how the
// product's own tools are configured; setting is where the URL comes from. The dialect must be that of a product.
func EndpointURL(d *api.Dialect, setting, endpoint string) (string, error) {
	u, err := parseURL(setting, endpoint)
	if err != nil {
		return "", err
	}
	if prefix, cloud := d.Product.RegionOf(u.Hostname()); cloud {
		return u.Scheme + "://" + prefix + d.Product.ControlPlane, nil
	}
	return installation(u.String()) + controlPlanePrefix, nil
}

// endpoints are the addresses of one installation.
type endpoints struct {
	baseURL, tracingURL, uiURL string
	// sameHost means that the tracing API is on the host of the control plane.
	sameHost bool
	// suggestedBaseURL is where the control plane may be instead; empty if baseURL has the usual form.
	suggestedBaseURL string
}

// DashboardURL returns the URL of a deployment in the service's UI; empty if none is known, as in the neutral dialect.
func (at endpoints) DashboardURL(tenantID, deploymentID string) string {
	if at.uiURL == "" || tenantID == "" || deploymentID == "" {
		return ""
	}
	return at.uiURL + "/o/" + url.PathEscape(tenantID) + "/host/deployments/" + url.PathEscape(deploymentID)
}

// locate derives the URLs of the installation from the configured ones.
func locate(cfg Config) (endpoints, error) {
	u, err := parseURL("base_url", cfg.BaseURL)
	if err != nil {
		return endpoints{}, err
	}
	base := u.String()
	at, tracing := endpoints{baseURL: base}, strings.TrimSuffix(base, controlPlanePrefix)
	product := cfg.Dialect.Product
	prefix, cloud := product.RegionOf(u.Hostname())
	switch {
	case cloud && !strings.EqualFold(u.Hostname(), prefix+product.ControlPlane):
		// The URL isn't corrected, because the configuration should show which host gets the key.
		return endpoints{}, &SettingError{"base_url", fmt.Sprintf("%q is not a control plane's: that of the same region is https://%s", base,
			prefix+product.ControlPlane)}
	case version.MatchString(base):
		return endpoints{}, &SettingError{"base_url", fmt.Sprintf("%q ends with a version of the API, which is a part of each request: write it as %s", base,
			withoutVersion(base))}
	case cloud:
		tracing, at.uiURL = u.Scheme+"://"+prefix+product.Tracing, u.Scheme+"://"+prefix+product.UI
	case product != nil:
		at.uiURL = installation(base)
	}
	if !cloud && !strings.HasSuffix(base, controlPlanePrefix) {
		at.suggestedBaseURL = installation(base) + controlPlanePrefix
	}
	t, err := parseURL("tracing_url", cmp.Or(cfg.TracingURL, tracing))
	if err != nil {
		return endpoints{}, err
	}
	at.tracingURL, at.sameHost = strings.TrimSuffix(t.String(), tracingPrefix), origin(t) == origin(u)
	return at, nil
}

// version matches the version of the API at the end of a URL: it is a part of every operation's path.
var version = regexp.MustCompile(`/v[12]$`)

// withoutVersion returns the URL of the control plane, given one that ends with a version. For the URL of the main API, which users
// configure for the product's own tools, that is another path.
func withoutVersion(base string) string {
	if root, isMain := strings.CutSuffix(base, tracingPrefix); isMain {
		return root + controlPlanePrefix
	}
	return version.ReplaceAllString(base, "")
}

// installation returns the root URL of a self-hosted installation, given the URL of one of its APIs, without a slash at the end.
func installation(address string) string {
	for _, prefix := range append([]string{controlPlanePrefix}, mainPrefixes...) {
		if root, found := strings.CutSuffix(address, prefix); found {
			return root
		}
	}
	return address
}

// SettingError is an invalid URL in a setting.
type SettingError struct {
	// Setting is base_url, tracing_url, or where a URL of the product's main API comes from.
	Setting string
	problem string
}

func (e *SettingError) Error() string { return e.Setting + " " + e.problem }

// parseURL refuses a URL that can't be the prefix of every request. setting is where it comes from.
func parseURL(setting, raw string) (*url.URL, error) {
	refuse := func(format string, args ...any) (*url.URL, error) {
		return nil, &SettingError{setting, fmt.Sprintf(format, args...)}
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		// url.Parse quotes its input, which may contain a password.
		return refuse("is not a URL: write it as https://host or https://host/prefix")
	case u.User != nil:
		return refuse("%q contains a user name or password: remove it and set api_key", u.Redacted())
	case (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		return refuse("%q is not an http(s) URL with a host: write it as https://host or https://host/prefix", raw)
	case len(u.Port()) > 5 || u.Port() > "65535" && len(u.Port()) == 5:
		return refuse("%q has the port %s: the last port is 65535", raw, u.Port())
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return refuse("%q has a query or a fragment: end it after the path", raw)
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// origin returns scheme, host and port, with the scheme's default port written out.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + u.Hostname() + ":" + port
}
