package client

import (
	"net/http"
	"net/url"
	"strings"
)

// request is one operation.
type request struct {
	method string
	// path begins with the version segment; its parameters are escaped.
	path  string
	query url.Values
	// body is encoded as JSON; nil sends none.
	body any
	// secrets are the values in body that no error may quote.
	secrets []string
	// merges is down to which depth objects keep what the body omits; 0 means that the body replaces the whole object.
	merges int
	// tracing means that the operation belongs to the tracing API.
	tracing bool
	// repeatable means that the operation is idempotent, although its method is that of a write.
	repeatable bool
	// nullIsEmpty means that null is an empty list, as some encoders write it.
	nullIsEmpty bool
	// accept reads the body of a successful response; nil if there is nothing to read.
	accept func(body []byte) error
}

// read is the request that reads what a deletion deletes.
func (r request) read() request {
	return request{method: http.MethodGet, path: r.path, tracing: r.tracing}
}

func isIdempotent(method string) bool {
	return method == http.MethodGet || method == http.MethodDelete
}

// pathTo appends escaped parameters to a path.
func pathTo(path string, parameters ...string) string {
	segments := []string{path}
	for _, p := range parameters {
		segments = append(segments, url.PathEscape(p))
	}
	return strings.Join(segments, "/")
}
