package deployment_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// Patterns of requests.
const (
	creation   = "POST /v2/deployments"
	listing    = "GET /v2/deployments"
	reading    = "GET /v2/deployments/*"
	changing   = "PATCH /v2/deployments/*"
	deletion   = "DELETE /v2/deployments/*"
	polling    = "GET /v2/deployments/*/revisions/*"
	everything = "*"
)

// gate is a proxy between the provider and the dev server, for what the dev server's faults can't do: a response that
// doesn't match the work, and events during a request. It also distinguishes the provider's
// requests from the test's.
type gate struct {
	plane *providertest.Plane
	url   string

	mu    sync.Mutex
	rules []*rule
	seen  []string

	serving sync.WaitGroup
}

type rule struct {
	pattern     string
	skip, times int
	do          action
}

// action responds to a request; pass processes it.
type action func(w http.ResponseWriter, r *http.Request, pass http.Handler)

// gateTo must be called before the provider is configured.
func gateTo(t *testing.T, plane *providertest.Plane) *gate {
	t.Helper()
	g := &gate{plane: plane}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	g.url = server.URL
	plane.Setenv("AGENTPLANE_BASE_URL", g.url)
	return g
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.serving.Add(1)
	defer g.serving.Done()
	// A service processes what it has received, whether or not the client still waits.
	r = r.WithContext(context.WithoutCancel(r.Context()))
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if do := g.next(r.Method + " " + r.URL.Path); do != nil {
		do(w, r, g.plane.Service)
		return
	}
	g.plane.Service.ServeHTTP(w, r)
}

// next records the request, and uses up one hit of the first matching rule.
func (g *gate) next(request string) action {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen = append(g.seen, request)
	for _, rule := range g.rules {
		if !matches(rule.pattern, request) || rule.times == 0 {
			continue
		}
		if rule.skip > 0 {
			rule.skip--
			continue
		}
		rule.times--
		return rule.do
	}
	return nil
}

func matches(pattern, request string) bool {
	matched, err := path.Match(pattern, request)
	return err == nil && (matched || pattern == everything)
}

// when applies an action to the given number of next requests of a pattern.
func (g *gate) when(pattern string, times int, do action) { g.after(0, pattern, times, do) }

// after is when, but passes some requests of the pattern first.
func (g *gate) after(skip int, pattern string, times int, do action) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rules = append(g.rules, &rule{pattern: pattern, skip: skip, times: times, do: do})
}

// reset removes all rules and recorded requests.
func (g *gate) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rules, g.seen = nil, nil
}

// forget removes all rules.
func (g *gate) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rules = nil
}

func (g *gate) count(pattern string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	count := 0
	for _, request := range g.seen {
		if matches(pattern, request) {
			count++
		}
	}
	return count
}

// counted checks how often the provider sent requests since the last reset.
func (g *gate) counted(pattern string, want int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if got := g.count(pattern); got != want {
			return fmt.Errorf("%d × %s, want %d", got, pattern, want)
		}
		return nil
	}
}

// armed returns a step's PreConfig that resets the gate and sets new rules.
func (g *gate) armed(setUp ...func()) func() {
	return func() {
		g.reset()
		for _, do := range setUp {
			do()
		}
	}
}

// answered returns a response without processing the request.
func answered(status int, body string, headers ...string) action {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { write(w, status, body, headers...) }
}

// done processes the request and returns another response.
func done(status int, body string) action {
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(httptest.NewRecorder(), r)
		write(w, status, body)
	}
}

// write sends JSON, or HTML if the body is a page. Headers are pairs.
func write(w http.ResponseWriter, status int, body string, headers ...string) {
	w.Header().Set("Content-Type", "application/json")
	if len(body) > 0 && body[0] == '<' {
		w.Header().Set("Content-Type", "text/html")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // The client may have disconnected, which some tests do on purpose.
}

// lost performs the operation and closes the connection without a response.
func lost(_ http.ResponseWriter, r *http.Request, pass http.Handler) {
	pass.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// cut closes the connection without processing the request.
func cut(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// meanwhile calls a function before processing the request.
func meanwhile(happen func()) action {
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		happen()
		pass.ServeHTTP(w, r)
	}
}

// meanwhileLost calls a function, processes the request, and loses the response.
func meanwhileLost(happen func()) action {
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		happen()
		lost(w, r, pass)
	}
}

const page = "<html><head><title>Bad gateway</title></head><body>nginx</body></html>"
