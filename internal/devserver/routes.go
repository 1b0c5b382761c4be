package devserver

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// handler does the work of one endpoint. An error rolls everything back.
type handler func(*call) (answer, error)

// stream does the work of an endpoint that reads the request and the database piece by piece. What it stores before an
// error stays.
type stream func(s *Server, r *http.Request, workspaceID string) (answer, error)

// endpoint is what a path offers.
type endpoint struct {
	path    string
	methods methods
	streams streams
	// tracing endpoints belong to the tracing service, which has no dialects.
	tracing bool
	// public endpoints ask for no key.
	public bool
	// dev endpoints control the server itself: they are neither recorded nor hit by faults.
	dev bool
}

// methods are the handlers of a path.
type methods map[string]handler

// streams are those of its methods that are not handlers.
type streams map[string]stream

// allow lists the methods of an endpoint.
func (e endpoint) allow() []string {
	return slices.Sorted(slices.Values(slices.Concat(sortedKeys(e.methods), sortedKeys(e.streams))))
}

// endpoints are those of the service's own description.
var endpoints = []endpoint{
	{path: "/v2/deployments", methods: methods{
		http.MethodGet:  listDeployments,
		http.MethodPost: createDeployment,
	}},
	{path: "/v2/deployments/{deployment_id}", methods: methods{
		http.MethodGet:    getDeployment,
		http.MethodPatch:  patchDeployment,
		http.MethodDelete: deleteDeployment,
	}},
	{path: "/v2/deployments/{deployment_id}/revisions", methods: methods{http.MethodGet: listRevisions}},
	{path: "/v2/deployments/{deployment_id}/revisions/{revision_id}", methods: methods{http.MethodGet: getRevision}},
	{path: "/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy", methods: methods{
		http.MethodPost: redeployRevision,
	}},
	{path: "/v2/deployments/{deployment_id}/revisions/{revision_id}/logs", methods: methods{
		http.MethodGet: listRevisionLogs,
	}},
	{path: "/v2/listeners", methods: methods{
		http.MethodGet:  listListeners,
		http.MethodPost: createListener,
	}},
	{path: "/v2/listeners/{listener_id}", methods: methods{
		http.MethodGet:    getListener,
		http.MethodPatch:  patchListener,
		http.MethodDelete: deleteListener,
	}},
	{path: "/v2/auth/providers", methods: methods{
		http.MethodGet:  listOAuthProviders,
		http.MethodPost: createOAuthProvider,
	}},
	{path: "/v2/auth/providers/{provider_id}", methods: methods{
		http.MethodGet:    getOAuthProvider,
		http.MethodPatch:  patchOAuthProvider,
		http.MethodDelete: deleteOAuthProvider,
	}},
	{path: "/v1/integrations/git_host/install", methods: methods{http.MethodGet: listIntegrations}},
	{path: "/v1/integrations/git_host/{integration_id}/repos", methods: methods{http.MethodGet: listRepositories}},
}

// devEndpoints are served when Config.DevAPI is set.
var devEndpoints = []endpoint{
	{dev: true, path: "/dev/push", methods: methods{http.MethodPost: push}},
	{dev: true, path: "/dev/listeners", methods: methods{http.MethodPost: registerListener}},
	{dev: true, path: "/dev/integrations", methods: methods{http.MethodPost: createIntegration}},
	{dev: true, path: "/dev/sessions/{session_id}/series", methods: methods{http.MethodGet: sessionSeries}},
	{dev: true, path: "/dev/requests", methods: methods{http.MethodGet: listRequests}},
	{dev: true, path: "/dev/faults", methods: methods{
		http.MethodGet:    listFaults,
		http.MethodPost:   armFault,
		http.MethodDelete: clearFaults,
	}},
}

// routes serves every endpoint at the root and under /api-host, as self-hosted installations have it.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	offer := func(path string, e endpoint) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, e) })
	}
	for _, e := range offered(s.cfg.Dialect) {
		offer(s.cfg.Dialect.Path(e.path), e)
	}
	for _, e := range traced() {
		offer(e.path, e)
	}
	if s.cfg.DevAPI {
		for _, e := range devEndpoints {
			offer(e.path, e)
		}
	}
	offer("/", endpoint{}) // Everything else is not found, which is recorded and logged as well.
	mux.HandleFunc("GET /healthz", s.health)
	s.pageRoutes(mux)

	root := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// ServeMux would redirect an unclean path to the clean one, which the service does not do.
		if path.Clean(r.URL.Path) != r.URL.Path {
			s.serve(w, r, endpoint{})
			return
		}
		mux.ServeHTTP(w, r)
	})
	prefixed := http.StripPrefix("/api-host", root)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api-host/") {
			prefixed.ServeHTTP(w, r)
			return
		}
		root.ServeHTTP(w, r)
	})
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	s.send(w, ok(map[string]string{"status": "ok"}), api.Neutral)
}
