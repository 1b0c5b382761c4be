package rest

import (
	"context"
	"maps"
	"net/http"
	"slices"
)

// Handler does the work of one endpoint. An error rolls everything back.
type Handler func(*Call) (Answer, error)

// stream does the work of an endpoint that reads the request and the database piece by piece. What it stores before an
// error stays.
type stream func(r *http.Request, workspaceID string) (Answer, error)

// Endpoint is what a path offers.
type Endpoint struct {
	Path    string
	Methods Methods
	Streams Streams
	// Outside are handlers that wait, or ask other servers: they run outside of transactions, and begin each with Call.Do.
	Outside Methods
	// Queries are asked by POST, and change as little as a GET.
	Queries bool
	// Prepare makes what a GET expects to be there; nil where nothing has to be.
	Prepare func(ctx context.Context, workspaceID string) error
	// Neutral endpoints have no dialects.
	Neutral bool
	// Public endpoints ask for no key. Without one, a request belongs to no workspace: it is in nobody's log, and nobody's faults
	// hit it.
	Public bool
	// Dev endpoints control the server itself: they have no dialects, and they are neither recorded nor hit by faults.
	Dev bool
	// Refusal puts an answer that refuses a request into the form that the clients of the endpoint read. Nil leaves it.
	Refusal func(r *http.Request, a Answer) (Answer, error)
}

// Methods are the handlers of a path.
type Methods map[string]Handler

// Streams are those of its methods that are not handlers.
type Streams map[string]stream

// reads says that a request changes nothing.
func (e Endpoint) reads(r *http.Request) bool { return r.Method == http.MethodGet || e.Queries }

// refusal is an answer that refuses a request, in the form of the endpoint.
func (e Endpoint) refusal(r *http.Request, a Answer) Answer {
	if e.Refusal == nil {
		return a
	}
	formed, err := e.Refusal(r, a)
	if err != nil {
		return a // Its status says most of it.
	}
	return formed
}

// allow lists the methods of an endpoint.
func (e Endpoint) allow() []string {
	return slices.Sorted(slices.Values(slices.Concat(SortedKeys(e.Methods), SortedKeys(e.Streams), SortedKeys(e.Outside))))
}

// Join makes one endpoint of those of one path.
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
