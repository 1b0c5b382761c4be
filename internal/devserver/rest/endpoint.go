package rest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Handler implements one method of an endpoint. An error rolls back the transaction.
type Handler func(*Call) (Answer, error)

// stream implements a method that reads the request and the database piece by piece. What it stored before an error is
// kept.
type stream func(r *http.Request, workspaceID string) (Answer, error)

// Endpoint describes the operations on a path.
type Endpoint struct {
	Path    string
	Methods Methods
	Streams Streams
	// Outside are handlers that wait or call other servers. They run outside of transactions and start each one with
	// Call.Do.
	Outside Methods
	// Object reads the object that the endpoint's requests change and answer with. Nil: for PATCH and PUT, it is what a GET
	// reads; others answer with no object that existed before.
	Object Handler
	// Queries marks POST requests as queries, which change as little as a GET.
	Queries bool
	// Prepare creates what a GET expects to exist in a workspace that keys list, or in the default one; nil if nothing is needed.
	Prepare func(ctx context.Context, workspaceID string) error
	// Writes marks GET requests that change something, as a link in an email does.
	Writes bool
	// Confidential keeps bodies, which are secrets, out of the request log.
	Confidential bool
	// LogsAnswers adds the bodies of responses to changes, and of refusals, to the request log.
	LogsAnswers bool
	// Lags makes GET requests show what was stored Server.Lag ago.
	Lags bool
	// Neutral endpoints are those of traced data, which are the same in all dialects. They name parameters and members of bodies that they
	// don't know in the log; the others know all that their clients send.
	Neutral bool
	// Public endpoints require no key. A request without a key belongs to no workspace: it appears in no workspace's log,
	// and no workspace's faults apply to it.
	Public bool
	// Owner finds the workspace whose data a request reads without a key of it, and which the request counts for. Nil is that of
	// the request.
	Owner func(c *Call) (workspaceID string, err error)
	// Dev endpoints control the server itself: they are the same in all dialects, and they are neither logged nor hit by
	// faults.
	Dev bool
	// Everybody marks changes that concern all users of the server. If it has keys, they need one that lists every workspace.
	Everybody bool
	// Refusal converts an answer that refuses a request into the form that clients of the endpoint expect. Nil keeps it
	// unchanged.
	Refusal func(r *http.Request, a Answer) (Answer, error)
}

// Methods maps the methods of a path to their handlers.
type Methods map[string]Handler

// Streams maps methods that are not handlers to their streams.
type Streams map[string]stream

// reads reports whether a request changes nothing.
func (e Endpoint) reads(r *http.Request) bool {
	return r.Method == http.MethodGet && !e.Writes || e.Queries
}

// object returns the handler that reads the object that a method changes and answers with; nil if there is none.
func (e Endpoint) object(method string) Handler {
	switch {
	case e.Methods[method] == nil:
		return nil
	case e.Object != nil:
		return e.Object
	case method == http.MethodPatch || method == http.MethodPut:
		return e.Methods[http.MethodGet]
	default:
		return nil
	}
}

// refusal returns an answer that refuses a request, in the form of the endpoint.
func (e Endpoint) refusal(r *http.Request, a Answer) Answer {
	if e.Refusal == nil {
		return a
	}
	formed, err := e.Refusal(r, a)
	if err != nil {
		return a // The status alone says most of it.
	}
	return formed
}

// Allowed lists the methods of an endpoint.
func (e Endpoint) Allowed() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(e.Methods)), slices.Collect(maps.Keys(e.Streams)), slices.Collect(maps.Keys(e.Outside)))))
}

// Routes returns an endpoint for each handler, by its method and path, such as "GET /v2/deployments".
func Routes(handlers map[string]Handler) (all []Endpoint) {
	for _, route := range slices.Sorted(maps.Keys(handlers)) {
		method, path, _ := strings.Cut(route, " ")
		all = append(all, Endpoint{Path: path, Methods: Methods{method: handlers[route]}})
	}
	return all
}

// Join merges the endpoints of one path into one.
func Join(endpoints []Endpoint) []Endpoint {
	var all []Endpoint
	at := map[string]int{}
	for _, e := range endpoints {
		i, known := at[e.Path]
		if !known {
			at[e.Path] = len(all)
			e.Methods, e.Streams, e.Outside = maps.Clone(e.Methods), maps.Clone(e.Streams), maps.Clone(e.Outside)
			all = append(all, e)
			continue
		}
		all[i].Methods, all[i].Streams = together(all[i].Methods, e.Methods), together(all[i].Streams, e.Streams)
		all[i].Outside = together(all[i].Outside, e.Outside)
	}
	return all
}

func together[M ~map[string]V, V any](a, b M) M {
	if a == nil {
		return maps.Clone(b)
	}
	maps.Copy(a, b)
	return a
}

// Below returns endpoints at each of some prefixes.
func Below(endpoints []Endpoint, prefixes ...string) []Endpoint {
	var all []Endpoint
	for _, e := range endpoints {
		path := e.Path
		for _, prefix := range prefixes {
			e.Path, e.Neutral = prefix+path, true
			all = append(all, e)
		}
	}
	return all
}
