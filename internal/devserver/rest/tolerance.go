package rest

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// asked are the names in a request: those that were sent, and those that the handler knows.
type asked struct {
	query   url.Values
	known   map[string]bool // The parameters that were read.
	members []string        // The members of the body that no type has.
}

// unknown returns the names that had no effect, in a form for the log; nil if all had one.
func (a *asked) unknown() []string {
	names := slices.Clone(a.members)
	for name := range a.query {
		if !a.known[name] && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = names[:min(len(names), limits.LoggedNames)]
	for i, name := range names {
		names[i] = strings.ToValidUTF8(name[:min(len(name), limits.LoggedName)], "")
	}
	return names
}

// Params returns the parameters of the call's request.
func (c *Call) Params() *Params {
	p := NewParams(c.Request)
	if c.exchange != nil {
		p.known = c.exchange.names.known
		maps.Copy(c.exchange.names.query, p.query)
	}
	return p
}
