package web

import "time"

// Frame is the data around a page's content. Every view has one.
type Frame struct {
	// Base is the path below which all pages are, without a trailing slash, as in "/ui". A path for each workspace keeps
	// links permanent if there are several.
	Base string
	// Workspace is shown at the top of the page unless it is empty.
	Workspace string
	// Origin is the URL of the dev server without a path, as in "http://127.0.0.1:8124", for the commands suggested on
	// empty pages. Anything else is replaced by the default.
	Origin string
	// Zone is the time zone of all times, by its name in the IANA database; empty is UTC, and scripts show them in the viewer's.
	Zone string
	// Server is what clients need to know of the server.
	Server Server
	// Address is the path of the page with its query, for the command that prints the page as JSON. If it is empty, the
	// command is not shown.
	Address string
	// Public says that readers may have just the link of the page: there are no links to other pages.
	Public bool
}

// Server is what clients need to know of the server, besides Frame.Origin.
type Server struct {
	// WorkspaceID is the workspace of the page, Dialect the name of the server's dialect; empty is the default.
	WorkspaceID, Dialect string
	// ListenerID is a listener of a workspace that has some: deployments must name one. K8sNamespace is one of its namespaces.
	ListenerID, K8sNamespace string
	// Keyless says that the server accepts any key, or none.
	Keyless bool
}

// JSONCommand prints the page as JSON; empty if its address is unknown.
func (f Frame) JSONCommand() string {
	address := local(f.Address)
	if address == "" {
		return ""
	}
	return `curl -H "X-Api-Key: $AGENTPLANE_API_KEY" -H 'Accept: application/json' ` + shellQuote(origin(f)+address)
}

func (f Frame) frame() Frame { return f }

// Paths returns the paths of the pages. A base that isn't a path on this server counts as none.
func (f Frame) Paths() Paths { return Paths{local(f.Base)} }

// Paging contains the links to the neighbouring pages of a list. Empty URLs are not offered. URLs are those of a page of
// this server, with a cursor in the query.
type Paging struct {
	PreviousURL, NextURL string
}

// Setting is a name and its value. Both are shown unchanged; a URL in a value does not become a link.
type Setting struct {
	Name, Value string
}

// ErrorView is the data of an error page.
type ErrorView struct {
	Frame
	// Status is the HTTP status, as in 404.
	Status int
	// Message is the problem, Remedy its solution.
	Message string
	Remedy  string
	// RequestID identifies the request in the log; empty hides it.
	RequestID string
}

// known reports whether there is a time to show.
func known(t time.Time) bool { return !t.IsZero() }
