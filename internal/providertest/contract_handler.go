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

// beyond are the paths that no dialect translates and no contract knows, and why that is right.
var beyond = []struct{ prefix, reason string }{
	{"/api/v1/", "the tracing service has an API of its own"},
	{"/api/v2/", "as for its first version"},
	{"/dev/", "these are the dev server's, for tests"},
	{"/toy-login/", "the authorization server of the seed speaks OAuth"},
}

func outside(path string) bool {
	return slices.ContainsFunc(beyond, func(b struct{ prefix, reason string }) bool { return strings.HasPrefix(path, b.prefix) })
}

// Violation is a message that breaks a Contract.
type Violation struct {
	Method, Path string
	// Status is the answer's; it is zero when the request itself is wrong.
	Status int
	// RequestID is that of the answer.
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

// Watch serves what next serves and reports every message that breaks the contract, before the client sees the answer. A
// wrong request may be what somebody typed; then the service has to refuse it as the contract says, with a 422.
func (c *Contract) Watch(next http.Handler, report func(Violation)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if outside(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // The client is gone.
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
			return // The client is gone, a CLI that was killed say: whatever the server makes of that, nobody gets to see it.
		}
		answered := asked
		answered.Status, answered.RequestID = answer.Code, answer.Header().Get("X-Request-Id")
		answered.Problems = c.Response(r, answer.Code, answer.Header(), answer.Body.Bytes())
		// An unknown path is wrong on both sides; once is enough.
		if len(answered.Problems) > 0 && !slices.Equal(asked.Problems, answered.Problems) {
			report(answered)
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // A client that is gone has no use for it.
	})
}
