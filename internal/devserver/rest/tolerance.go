package rest

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// asked are the names in a request to a tolerant endpoint: those that were sent, and those that the handler knows.
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
	if c.asked != nil {
		p.known = c.asked.known
		maps.Copy(c.asked.query, p.query)
	}
	return p
}

// DecodeTolerant decodes the body of a request to a tolerant endpoint, whatever its content type.
func DecodeTolerant[T any](c *Call) (T, error) {
	type decoded struct {
		request T
		unknown []string
	}
	d, err := Ahead(c, func() (d decoded, err error) {
		d.request, d.unknown, err = form.Tolerant[T](c.Body)
		return d, err
	})
	if c.asked != nil {
		c.asked.members = d.unknown
	}
	return d.request, err
}

// WithBody is a handler that decodes the body of a request to a tolerant endpoint first.
func WithBody[T any](work func(*Call, T) (Answer, error)) Handler {
	return func(c *Call) (Answer, error) {
		request, err := DecodeTolerant[T](c)
		if err != nil {
			return Answer{}, err
		}
		return work(c, request)
	}
}

// WithNamedBody is Changing for a tolerant endpoint.
func WithNamedBody[N, T any](named func(*Call) (N, error), work func(*Call, N, T) (Answer, error)) Handler {
	return WithBody(bodyOf(named, work))
}
