package authservice

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// outbound is a client for the servers that OAuth providers refer to. Users who configure them may try to reach other
// machines through this server. So it connects only to public addresses by HTTPS, and to this machine if a URL says so
// explicitly and local allows it: never to other machines of a private network, and not to this one by a host name under
// foreign control or by a redirect.
type outbound struct {
	http.Client
	local LocalURLs
}

// LocalURLs are the URLs on this machine that may be requested: all, or the one of the server's own toy login.
type LocalURLs struct {
	All bool
	Own string
}

func newOutbound(local LocalURLs) *outbound {
	o := &outbound{local: local}
	o.Client = http.Client{
		Timeout: limits.OutboundTime,
		Transport: guardedTransport{&http.Transport{
			// No proxy: it would connect to addresses that this server doesn't.
			DialContext:         dialGuarded,
			TLSHandshakeTimeout: limits.OutboundTime,
			MaxIdleConnsPerHost: 2,
			IdleConnTimeout:     time.Minute,
			ForceAttemptHTTP2:   true,
		}, o.check},
		CheckRedirect: checkRedirect,
	}
	return o
}

// guardedTransport refuses URLs that nothing may be sent to.
type guardedTransport struct {
	http.RoundTripper
	check func(*url.URL) error
}

func (t guardedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.check(r.URL); err != nil {
		return nil, err
	}
	return t.RoundTripper.RoundTrip(r)
}

// check requires https, or this machine as far as it is allowed. It connects to nothing, so that its error doesn't depend on
// which ports of this machine are open.
func (o *outbound) check(u *url.URL) error {
	switch {
	case u.Hostname() == "":
		return errors.New("the URL has no host")
	case u.User != nil:
		return errors.New("the URL contains a user name")
	case isLoopback(u.Hostname()) && !o.local.All && u.String() != o.local.Own:
		return errors.New("the URL is on this machine, which this server requests only with -allow-loopback")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	default:
		return errors.New("the URL must use https unless it is on this machine")
	}
}

// checkRedirect refuses redirects from other machines to this one, and redirects of requests that contain secrets.
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

// isLoopback reports whether a host is this machine by its name alone.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// dialGuarded checks the address that a name resolves to.
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

// reserved are ranges that netip doesn't distinguish from public ones: "this network", shared and benchmarking addresses,
// IETF protocols, documentation, reserved ranges, and IPv6 prefixes that map to IPv4 addresses.
var reserved = func() (all []netip.Prefix) {
	for _, prefix := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2001:db8::/32", "2002::/16",
	} {
		all = append(all, netip.MustParsePrefix(prefix))
	}
	return all
}()

// isPublic reports whether an address is public.
func isPublic(ip netip.Addr) bool {
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !slices.ContainsFunc(reserved, func(of netip.Prefix) bool { return of.Contains(ip) })
}
