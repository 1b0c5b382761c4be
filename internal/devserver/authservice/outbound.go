package authservice

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// newOutbound asks the servers that OAuth providers name. Whoever names them may want to reach something else through this
// server, so it connects to public addresses by HTTPS, and to this machine where an address says so itself: never to other
// machines of a private network, and not to this one by a name that somebody else controls, or by a redirect.
func newOutbound() *http.Client {
	return &http.Client{
		Timeout: limits.OutboundTime,
		Transport: guardedTransport{&http.Transport{
			// Without a proxy: it would connect where this server doesn't.
			DialContext:         dialGuarded,
			TLSHandshakeTimeout: limits.OutboundTime,
			MaxIdleConnsPerHost: 2,
			IdleConnTimeout:     time.Minute,
			ForceAttemptHTTP2:   true,
		}},
		CheckRedirect: checkRedirect,
	}
}

// guardedTransport refuses addresses that nothing may be sent to.
type guardedTransport struct{ http.RoundTripper }

func (t guardedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := checkOutbound(r.URL); err != nil {
		return nil, err
	}
	return t.RoundTripper.RoundTrip(r)
}

// checkOutbound wants https, or this machine.
func checkOutbound(u *url.URL) error {
	switch {
	case u.Hostname() == "":
		return errors.New("the address has no host")
	case u.User != nil:
		return errors.New("the address has a user name in it")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	default:
		return errors.New("the address is neither https nor one of this machine")
	}
}

// checkRedirect lets no answer of another machine lead to this one, and no secret that is sent lead anywhere.
func checkRedirect(next *http.Request, via []*http.Request) error {
	switch first := via[0]; {
	case first.Method != http.MethodGet:
		return http.ErrUseLastResponse
	case len(via) > limits.OutboundRedirects:
		return fmt.Errorf("more than %d redirects", limits.OutboundRedirects)
	case isLoopback(next.URL.Hostname()) && !isLoopback(first.URL.Hostname()):
		return errors.New("redirected to this machine")
	}
	return nil
}

// isLoopback says that a host is this machine by its name alone.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// dialGuarded looks at the address that a name has led to.
func dialGuarded(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	local := isLoopback(host)
	dialer := net.Dialer{Timeout: limits.OutboundTime, ControlContext: func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(resolved)
		if err != nil {
			return err
		}
		if ip := at.Addr().Unmap(); local != ip.IsLoopback() || !local && !isPublic(ip) {
			return fmt.Errorf("%s is not a public address", ip)
		}
		return nil
	}}
	return dialer.DialContext(ctx, network, address)
}

// reserved are ranges that netip doesn't tell apart from public ones: "this network", shared and benchmarking addresses, IETF
// protocols, documentation, reserved ones, and IPv6 prefixes that lead to IPv4 addresses.
var reserved = func() (all []netip.Prefix) {
	for _, prefix := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2001:db8::/32", "2002::/16",
	} {
		all = append(all, netip.MustParsePrefix(prefix))
	}
	return all
}()

// isPublic says that an address is one of the internet.
func isPublic(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, prefix := range reserved {
		if prefix.Contains(ip) {
			return false
		}
	}
	return true
}
