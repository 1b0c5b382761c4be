package deployment_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// The requests that things happen to.
const (
	creation   = "POST /v2/deployments"
	listing    = "GET /v2/deployments"
	reading    = "GET /v2/deployments/*"
	changing   = "PATCH /v2/deployments/*"
	deletion   = "DELETE /v2/deployments/*"
	polling    = "GET /v2/deployments/*/revisions/*"
	everything = "*"
)

// gate stands between the provider and the dev server, for what the dev server's faults can't do: an answer that is
// another one than the work deserves, and what happens at the very moment of a request. It also knows the provider's
// requests from the test's own.
type gate struct {
	plane *providertest.Plane
	url   string

	mu    sync.Mutex
	rules []*rule
	seen  []string
}

type rule struct {
	pattern     string
	skip, times int
	do          action
}

// action answers a request; pass does the work.
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
	// The dev server sees the end of the connection only after the body, and works on to the end even then.
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

// next remembers the request, and uses up one hit of the first rule for it.
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

// when does something to the next requests of a pattern, as many as times says.
func (g *gate) when(pattern string, times int, do action) { g.after(0, pattern, times, do) }

// after lets some requests of the pattern pass first.
func (g *gate) after(skip int, pattern string, times int, do action) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rules = append(g.rules, &rule{pattern: pattern, skip: skip, times: times, do: do})
}

// reset ends whatever still happens, and forgets the requests so far.
func (g *gate) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rules, g.seen = nil, nil
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

// counted expects how often the provider sent requests since the last reset.
func (g *gate) counted(pattern string, want int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if got := g.count(pattern); got != want {
			return fmt.Errorf("%d × %s, want %d", got, pattern, want)
		}
		return nil
	}
}

// armed resets the gate and sets up what happens next, as a step's PreConfig.
func (g *gate) armed(setUp ...func()) func() {
	return func() {
		g.reset()
		for _, do := range setUp {
			do()
		}
	}
}

// answered is said instead of doing the work.
func answered(status int, body string, headers ...string) action {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { write(w, status, body, headers...) }
}

// done does the work and says something else.
func done(status int, body string) action {
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(httptest.NewRecorder(), r)
		write(w, status, body)
	}
}

// write sends JSON unless the body is a page. Headers are pairs.
func write(w http.ResponseWriter, status int, body string, headers ...string) {
	w.Header().Set("Content-Type", "application/json")
	if len(body) > 0 && body[0] == '<' {
		w.Header().Set("Content-Type", "text/html")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // The client may be gone, which is what some tests are about.
}

// lost performs the operation and closes the connection without a response.
func lost(_ http.ResponseWriter, r *http.Request, pass http.Handler) {
	pass.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// cut closes the connection before the work.
func cut(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// brokenOff does the work and loses the second half of the answer.
func brokenOff(w http.ResponseWriter, r *http.Request, pass http.Handler) {
	answer := httptest.NewRecorder()
	pass.ServeHTTP(answer, r)
	maps.Copy(w.Header(), answer.Header())
	w.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
	panic(http.ErrAbortHandler)
}

// meanwhile lets something happen before the work is done.
func meanwhile(happen func()) action {
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		happen()
		pass.ServeHTTP(w, r)
	}
}

// meanwhileLost lets something happen, does the work, and loses the answer.
func meanwhileLost(happen func()) action {
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		happen()
		lost(w, r, pass)
	}
}

const page = "<html><head><title>Bad gateway</title></head><body>nginx</body></html>"
