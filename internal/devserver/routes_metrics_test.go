package devserver

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// patterns collects what is registered with a mux.
type patterns map[string]bool

func (p patterns) Handle(pattern string, _ http.Handler) { p[pattern] = true }

func (p patterns) HandleFunc(pattern string, _ func(http.ResponseWriter, *http.Request)) {
	p[pattern] = true
}

// TestMetricsAreShort checks that metrics have at most 2,000 lines after a request to every route, and one that was refused.
func TestMetricsAreShort(t *testing.T) {
	t.Parallel()
	for _, dialect := range []*api.Dialect{api.Neutral, api.LangSmith} {
		s, err := New(Config{Dialect: dialect, DevAPI: true})
		assert.Must(t, err)
		routes := patterns{"GET " + toyBase + "/": true, "POST " + toyBase + "/": true, healthPattern: true, readyPattern: true, "GET /": true, "POST /": true}
		s.pages.Routes(routes)
		add := func(path string, e rest.Endpoint) {
			for _, methods := range []rest.Methods{e.Methods, e.Outside} {
				for method := range methods {
					routes[method+" "+path] = true
				}
			}
			for method := range e.Streams {
				routes[method+" "+path] = true
			}
		}
		for _, e := range slices.Concat(s.control.Endpoints(), s.auth.Endpoints()) {
			add(dialect.Path(e.Path), e)
		}
		for _, e := range slices.Concat(s.tracing.Endpoints(), s.control.DevEndpoints(), s.devEndpoints()) {
			add(e.Path, e)
		}
		for _, route := range slices.Sorted(maps.Keys(routes)) {
			method, pattern, _ := strings.Cut(route, " ")
			for _, status := range []int{http.StatusOK, http.StatusNotFound} {
				s.metrics.Request(pattern, method, status, time.Millisecond)
			}
		}
		answer := httptest.NewRecorder()
		s.metrics.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
		if lines := strings.Count(answer.Body.String(), "\n"); lines > 2000 || lines < 2*len(routes) {
			t.Errorf("%s: %d lines after requests to %d routes, want at most 2,000 and all routes", dialect.Name, lines, len(routes))
		} else {
			t.Logf("%s: %d lines for %d routes", dialect.Name, lines, len(routes))
		}
		assert.Must(t, s.Close())
	}
}
