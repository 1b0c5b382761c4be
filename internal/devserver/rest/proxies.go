package rest

import (
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Proxies are the networks of proxies. Forwarding headers from other peers are ignored.
type Proxies []netip.Prefix

// ParseProxies parses a list of networks, such as 10.0.0.0/8, and of addresses.
func ParseProxies(list string) (Proxies, error) {
	var all Proxies
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		network, err := netip.ParsePrefix(part)
		if address, isAddress := netip.ParseAddr(part); isAddress == nil && address.Zone() == "" {
			network, err = netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a network: use one like 10.0.0.0/8, or an address", part)
		}
		all = append(all, network.Masked())
	}
	return all, nil
}

func (p Proxies) contain(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// harmlessID matches the request IDs of proxies, but no characters that are special in a log or a shell.
var harmlessID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]*$`)

// hostForm matches a name or an address, with or without a port.
var hostForm = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

// follow restores the request as its client sent it to the first trusted proxy. Each proxy appends the peer's address to X-Forwarded-For,
// so only the addresses to the right of the first untrusted one are reliable.
func (p Proxies) follow(r *http.Request, a *Arrival) {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !p.contain(from.Addr().Unmap()) {
		return
	}
	client, hops := from.Addr().Unmap(), 1
	for _, value := range slices.Backward(forwarded(r, "X-Forwarded-For")) {
		before, err := parseAddress(value)
		if err != nil {
			break
		}
		if client = before; !p.contain(client) {
			break
		}
		hops++
	}
	if client != from.Addr().Unmap() {
		r.RemoteAddr = netip.AddrPortFrom(client, 0).String()
	}
	if scheme := strings.ToLower(firstOf(hops, forwarded(r, "X-Forwarded-Proto"))); scheme == "http" || scheme == "https" {
		a.Scheme = scheme
	}
	if host := firstOf(hops, forwarded(r, "X-Forwarded-Host")); hostForm.MatchString(host) {
		r.Host = host
	}
	if id := r.Header.Get("X-Request-Id"); len(id) <= limits.RequestID && harmlessID.MatchString(id) {
		a.ID = id
	}
}

// forwarded lists the values of a header. A proxy can append to a list, or add another header.
func forwarded(r *http.Request, name string) []string {
	var all []string
	for _, value := range r.Header.Values(name) {
		for part := range strings.SplitSeq(value, ",") {
			all = append(all, strings.TrimSpace(part))
		}
	}
	return all
}

// firstOf returns the value that the first of some proxies has set. Some proxies append to a list, others replace it: it may be shorter.
func firstOf(hops int, values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[max(0, len(values)-hops)]
}

// parseAddress parses an address with or without a port.
func parseAddress(text string) (netip.Addr, error) {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap(), nil
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap(), err
}
