package client

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

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
