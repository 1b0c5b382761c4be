package devserver

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// guard refuses requests that a website makes a browser send.
type guard struct {
	hosts []string
	// crossOrigin is nil for a server with keys: a browser would not send them on behalf of a website.
	crossOrigin *http.CrossOriginProtection
}

func newGuard(cfg Config) guard {
	g := guard{hosts: append([]string{"localhost"}, cfg.Hosts...)}
	if len(cfg.Keys) == 0 {
		g.crossOrigin = http.NewCrossOriginProtection()
	}
	return g
}

// check returns the reason to refuse a request; nil if there is none.
func (g guard) check(r *http.Request) *form.Error {
	// DNS rebinding: the name may belong to a website and now resolve to this address, so that the browser takes this
	// server for the website. If the address is that of a trusted proxy, too, the website can make the browser send any other header, but not
	// another Host.
	for _, host := range []string{hostname(rest.ArrivalOf(r.Context()).Host), hostname(r.Host)} {
		if net.ParseIP(host) == nil && !slices.ContainsFunc(g.hosts, func(known string) bool { return strings.EqualFold(known, host) }) {
			rest.ArrivalOf(r.Context()).Refused = "foreign_host"
			return form.Refuse(form.Forbidden, "This server doesn't accept requests for the host '%s'. Use an IP address or localhost, "+
				"or start the server with -host %s.", host, host)
		}
	}
	if g.crossOrigin != nil && g.crossOrigin.Check(r) != nil {
		rest.ArrivalOf(r.Context()).Refused = "foreign_site"
		return form.Refuse(form.Forbidden, "This server refuses changes from other websites unless it has an API key. "+
			"Start it with -api-key and send the key.")
	}
	return nil
}

// hostname returns a host without its port, and an IPv6 address without its brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}
