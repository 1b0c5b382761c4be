package providertest

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// beyond are the paths that no dialect translates and no contract defines, with the reasons.
var beyond = []struct{ prefix, reason string }{
	{"/api/v1/", "the tracing service has an API of its own"},
	{"/api/v2/", "as for its first version"},
	{"/dev/", "these are the dev server's, for tests"},
	{"/uploads/", "the service uploads to a storage of its cloud"},
	{"/install-links/", "the service's links lead to the Git host"},
	{"/toy-login/", "the authorization server of the seed speaks OAuth"},
}

func outside(path string) bool {
	return slices.ContainsFunc(beyond, func(b struct{ prefix, reason string }) bool { return strings.HasPrefix(path, b.prefix) })
}

// Violation is a message that violates a Contract.
type Violation struct {
	Method, Path string
	// Status is the status of the response; zero if the request violates the contract.
	Status int
	// RequestID is the request ID of the response.
	RequestID string
	Problems  []string
}

func (v Violation) String() string {
	what := "request"
	if v.Status != 0 {
		what = fmt.Sprintf("answer %d to", v.Status)
	}
	return fmt.Sprintf("%s %s %s breaks the contract:\n\t%s", what, v.Method, v.Path, strings.Join(v.Problems, "\n\t"))
}

// Watch serves next and reports every violation before the client gets the response. A request may be invalid because a user made
// a mistake; then the service must refuse it with a 422, as the contract defines.
func (c *Contract) Watch(next http.Handler, report func(Violation)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if outside(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // The client has disconnected.
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		asked := Violation{Method: r.Method, Path: r.URL.RequestURI(), Problems: c.Request(r, body)}
		answer := httptest.NewRecorder()
		func() {
			defer func() { // Also when the connection is dropped.
				if len(asked.Problems) > 0 && answer.Code != http.StatusUnprocessableEntity {
					report(asked)
				}
			}()
			next.ServeHTTP(answer, r)
		}()
		if r.Context().Err() != nil {
			return // The client is gone, for example a killed CLI: nobody sees the response.
		}
		answered := asked
		answered.Status, answered.RequestID = answer.Code, answer.Header().Get("X-Request-Id")
		answered.Problems = c.Response(r, answer.Code, answer.Header(), answer.Body.Bytes())
		// An unknown path is invalid on both sides; it is reported once.
		if len(answered.Problems) > 0 && !slices.Equal(asked.Problems, answered.Problems) {
			report(answered)
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // The client may be gone.
	})
}
