package web

import (
	"net/url"
	"regexp"
	"strings"
)

// external returns a logged URL if it is safe as a link: an HTTP URL with a host, and without a user name and a password,
// which can disguise the host. Otherwise, it returns "", and the text is not linked.
func external(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// local returns an address if it is a path on this server, with or without a query, else "". Browsers interpret two slashes
// as the start of a host, and backslashes as slashes.
func local(address string) string {
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\t\r\n") {
		return ""
	}
	return address
}

// defaultOrigin is the default address of the dev server.
const defaultOrigin = "http://127.0.0.1:8124"

// originPattern excludes everything that a shell would interpret.
var originPattern = regexp.MustCompile(`^https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

// plainPattern excludes everything that a shell or a configuration would interpret.
var plainPattern = regexp.MustCompile(`^[a-z0-9-]+$`)

// plain returns a name or an ID of the server for commands and configurations, unless it could mean more.
func plain(name string) string { return plainPattern.FindString(name) }

// origin returns the URL of the server for commands that people copy into a shell. It comes from a request.
func origin(f Frame) string {
	if originPattern.MatchString(f.Origin) {
		return f.Origin
	}
	return defaultOrigin
}
