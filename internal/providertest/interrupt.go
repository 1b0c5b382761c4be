package providertest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// Interruption answers a request in place of the service; pass does the work.
type Interruption func(w http.ResponseWriter, r *http.Request, pass http.Handler)

// LostReplies are ways in which the answer to a request gets lost after the work has been done, by what is seen instead.
// None of them proves that the work has not been done.
var LostReplies = map[string]Interruption{
	"closed connection":       hangUpAfter,
	"408":                     answerAfter(http.StatusRequestTimeout, lostPage),
	"500":                     answerAfter(http.StatusInternalServerError, `{"detail": "Internal Server Error"}`),
	"502":                     answerAfter(http.StatusBadGateway, lostPage),
	"503 without Retry-After": answerAfter(http.StatusServiceUnavailable, `{"detail": "Service Unavailable"}`),
	"504":                     answerAfter(http.StatusGatewayTimeout, lostPage),
	"520":                     answerAfter(520, lostPage),
	"524":                     answerAfter(524, lostPage),
	"529":                     answerAfter(529, `{"detail": "Overloaded"}`),
	"599":                     answerAfter(599, ""),
	"page with status 200":    answerAfter(http.StatusOK, lostPage),
	"empty 201":               answerAfter(http.StatusCreated, ""),
	"JSON without end":        answerAfter(http.StatusCreated, strings.Repeat("[", 10_000_000)),
	"broken off":              breakOff,
}

const lostPage = "<html><head><title>Bad gateway</title></head></html>"

// Interrupt has do answer requests of the provider. The first argument is matched against method and path, as path.Match
// does, for example "PATCH /v2/listeners/*". Nothing happens until the returned function is called with the number of
// requests to interrupt, from then on.
func (p *Plane) Interrupt(pattern string, do Interruption) (arm func(times int)) {
	p.t.Helper()
	var mu sync.Mutex
	left := 0
	interrupts := func(request string) bool {
		mu.Lock()
		defer mu.Unlock()
		if matched, err := path.Match(pattern, request); err != nil || !matched || left == 0 {
			return false
		}
		left--
		return true
	}
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The work is done to its end, even if the connection is closed meanwhile.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if interrupts(r.Method + " " + r.URL.Path) {
			do(w, r, p.Service)
			return
		}
		p.Service.ServeHTTP(w, r)
	}))
	p.t.Cleanup(between.Close)
	p.Setenv("AGENTPLANE_BASE_URL", between.URL)
	return func(times int) {
		mu.Lock()
		defer mu.Unlock()
		left = times
	}
}

// hangUpAfter performs the operation and closes the connection without a response.
func hangUpAfter(_ http.ResponseWriter, r *http.Request, pass http.Handler) {
	pass.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// breakOff performs the operation and closes the connection within the response.
func breakOff(w http.ResponseWriter, r *http.Request, pass http.Handler) {
	pass.ServeHTTP(httptest.NewRecorder(), r)
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"id": `)
	panic(http.ErrAbortHandler)
}

// HangUpBefore closes the connection without performing the operation.
func HangUpBefore(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// answerAfter does the work and says something else.
func answerAfter(status int, body string) Interruption {
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(httptest.NewRecorder(), r)
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(body, "<") {
			w.Header().Set("Content-Type", "text/html")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Interrupted applies a plan until ctx is cancelled, as Terraform does when the user presses Ctrl-C.
func (d *Driven) Interrupted(ctx context.Context, planned *core.Planned) string {
	d.t.Helper()
	now, out := d.command().Apply(ctx, planned) //nolint:contextcheck // The provider is started before.
	d.check(out)
	d.State = now
	return Told(out.Diagnostics)
}
