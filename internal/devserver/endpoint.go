package devserver

import (
	"maps"
	"net/http"
	"slices"
)

// handler does the work of one endpoint. An error rolls everything back.
type handler func(*call) (answer, error)

// stream does the work of an endpoint that reads the request and the database piece by piece. What it stores before an
// error stays.
type stream func(r *http.Request, workspaceID string) (answer, error)

// endpoint is what a path offers.
type endpoint struct {
	Path    string
	Methods methods
	Streams streams
	// Neutral endpoints have no dialects.
	Neutral bool
	// Public endpoints ask for no key.
	Public bool
	// Dev endpoints control the server itself: they have no dialects, and they are neither recorded nor hit by faults.
	Dev bool
}

// methods are the handlers of a path.
type methods map[string]handler

// streams are those of its methods that are not handlers.
type streams map[string]stream

// allow lists the methods of an endpoint.
func (e endpoint) allow() []string {
	return slices.Sorted(slices.Values(slices.Concat(sortedKeys(e.Methods), sortedKeys(e.Streams))))
}

// joinEndpoints makes one endpoint of those of one path.
func joinEndpoints(endpoints []endpoint) []endpoint {
	var all []endpoint
	at := map[string]int{}
	for _, e := range endpoints {
		i, known := at[e.Path]
		if !known {
			at[e.Path] = len(all)
			e.Methods, e.Streams = maps.Clone(e.Methods), maps.Clone(e.Streams)
			all = append(all, e)
			continue
		}
		all[i].Methods, all[i].Streams = together(all[i].Methods, e.Methods), together(all[i].Streams, e.Streams)
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
