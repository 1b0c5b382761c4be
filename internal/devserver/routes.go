package devserver

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing"
)

// The patterns of what only probes ask for.
const (
	healthPattern = "GET /healthz"
	readyPattern  = "GET /readyz"
)

// routes serves every endpoint at the root and under /api-host, like self-hosted installations.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	offer := func(path string, e rest.Endpoint) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.rest.Serve(w, r, e) })
	}
	for _, e := range rest.Join(slices.Concat(s.control.Endpoints(), s.auth.Endpoints())) {
		offer(s.cfg.Dialect.Path(e.Path), e)
	}
	for _, e := range rest.Join(s.tracing.Endpoints()) {
		offer(e.Path, e)
	}
	if s.cfg.DevAPI {
		for _, e := range slices.Concat(s.control.DevEndpoints(), s.devEndpoints()) {
			offer(e.Path, e)
		}
	}
	// Everything else is not found, which is also recorded and logged.
	unserved := func(w http.ResponseWriter, r *http.Request) { s.rest.Serve(w, r, tracing.Elsewhere(r)) }
	for _, path := range append(tracing.ElsewherePaths(), "/") {
		mux.HandleFunc(path, unserved)
	}
	mux.HandleFunc("GET /openapi.json", s.describe)
	mux.HandleFunc(healthPattern, s.health)
	mux.HandleFunc(readyPattern, s.ready)
	s.pages.Routes(mux)
	mux.Handle(toyBase+"/", http.StripPrefix(toyBase, s.toy))

	root := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// ServeMux would redirect an unclean path to the clean one, which the service doesn't do.
		// Escaped slashes belong to an ID.
		if escaped := r.URL.EscapedPath(); path.Clean(escaped) != escaped && escaped != pages.Home {
			unserved(w, r)
			return
		}
		arrival := rest.ArrivalOf(r.Context())
		defer func() { arrival.Pattern = r.Pattern }() // A handler may abort the connection.
		mux.ServeHTTP(w, r)
	})
	prefixed := http.StripPrefix(rest.SelfHosted, root)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, rest.SelfHosted+"/") {
			prefixed.ServeHTTP(w, r)
			return
		}
		root.ServeHTTP(w, r)
	})
}

// Undocumented lists what no OpenAPI document describes, such as "GET /runs/{run_id}": the tracing service, and how tests control the
// server.
func (s *Server) Undocumented() []string {
	var all []string
	for _, e := range slices.Concat(s.tracing.Endpoints(), s.control.DevEndpoints()) {
		for _, method := range e.Allowed() {
			all = append(all, method+" "+e.Path)
		}
	}
	return all
}
