package web

import "time"

// Frame is what a page has around its content. Every view has one.
type Frame struct {
	// Base is the path below which all pages lie, without a slash at its end, as in "/ui". A path of each workspace keeps
	// links permanent where there are several.
	Base string
	// Workspace is shown on top of the page, when it isn't empty.
	Workspace string
	// Origin is the address of the dev server without a path, as in "http://127.0.0.1:8124", for the commands that empty
	// pages suggest. Anything that isn't such an address is replaced by the default one.
	Origin string
	// Address is the path of the page with its query, for the command that prints the page as JSON. Empty shows none.
	Address string
}

// JSONCommand prints the page as JSON; empty where its address isn't known.
func (f Frame) JSONCommand() string {
	address := local(f.Address)
	if address == "" {
		return ""
	}
	return `curl -H "X-Api-Key: $AGENTPLANE_API_KEY" -H 'Accept: application/json' ` + shellQuote(origin(f)+address)
}

// Paths are those of the pages. A base that is no path on this server counts as none.
func (f Frame) Paths() Paths { return Paths{local(f.Base)} }

// Paging leads through a list by cursor. An address that is empty isn't offered; both empty, there is one page only.
// Addresses are those of a page of this server, with a cursor in the query.
type Paging struct {
	PreviousURL, NextURL string
}

// Setting is a name and its value. Both are shown as they are; an address in a value does not become a link.
type Setting struct {
	Name, Value string
}

// ErrorView is what a page says when there is no page to show.
type ErrorView struct {
	Frame
	// Status is the HTTP status, as in 404.
	Status int
	// Message says what is wrong, Remedy what to do. Without a message there is a standard one for the status.
	Message string
	Remedy  string
	// RequestID finds the request in the log; empty shows none.
	RequestID string
}

// known says that there is a time to show.
func known(t time.Time) bool { return !t.IsZero() }
