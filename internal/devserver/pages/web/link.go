package web

import (
	"net/url"
	"regexp"
	"strings"
)

// external is an address that somebody has logged, when it may become a link: one of the web, of a host, without a name
// and a password, with which an address can pretend to be another one's. Otherwise it is empty, and the text stays text.
func external(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// local is an address when it is a path on this server, with or without a query, else empty. Browsers take two slashes
// for the beginning of a host, and backslashes for slashes.
func local(address string) string {
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\t\r\n") {
		return ""
	}
	return address
}

// defaultOrigin is where the dev server listens unless it is told otherwise.
const defaultOrigin = "http://127.0.0.1:8124"

// originPattern leaves nothing that a shell would understand.
var originPattern = regexp.MustCompile(`^https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

// origin is the address of the server in commands that people copy into a shell. It comes from a request.
func origin(f Frame) string {
	if originPattern.MatchString(f.Origin) {
		return f.Origin
	}
	return defaultOrigin
}
