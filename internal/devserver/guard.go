package devserver

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// guard refuses what a website makes a browser send.
type guard struct {
	hosts []string
	// crossOrigin is nil for a server with keys: a browser has none that it would send for a website.
	crossOrigin *http.CrossOriginProtection
}

func newGuard(cfg Config) guard {
	g := guard{hosts: append([]string{"localhost"}, cfg.Hosts...)}
	if len(cfg.Keys) == 0 {
		g.crossOrigin = http.NewCrossOriginProtection()
	}
	return g
}

// check is what is wrong with a request; nil for nothing.
func (g guard) check(r *http.Request) *rest.Error {
	if host := hostname(r.Host); net.ParseIP(host) == nil && !slices.ContainsFunc(g.hosts, func(known string) bool { return strings.EqualFold(known, host) }) {
		// The name may be a website's that has moved to this address, so that the browser takes the server for the website.
		return rest.NewError(http.StatusForbidden, "This server doesn't answer for the host '%s'. Use an IP address or localhost, "+
			"or start the server with -host %s.", host, host)
	}
	if g.crossOrigin != nil && g.crossOrigin.Check(r) != nil {
		return rest.NewError(http.StatusForbidden, "This server takes no changes from other websites while it has no API key. "+
			"Start it with -api-key, and send the key.")
	}
	return nil
}

// hostname is a host without its port, and an IPv6 address without its brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}
