package devserver

import (
	"net/http"
	"path"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// handler does the work of one endpoint. An error rolls everything back.
type handler func(*call) (answer, error)

// endpoint is what a path offers.
type endpoint struct {
	path    string
	methods methods
	// tracing endpoints belong to the tracing service, which has no dialects.
	tracing bool
	// dev endpoints control the server itself: they are neither recorded nor hit by faults.
	dev bool
}

// methods are the handlers of a path.
type methods map[string]handler

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
	{tracing: true, path: "/api/v1/sessions", methods: methods{http.MethodGet: listSessions}},
	{tracing: true, path: "/api/v1/sessions/{session_id}", methods: methods{http.MethodGet: getSession}},
}

// devEndpoints are served when Config.DevAPI is set.
var devEndpoints = []endpoint{
	{dev: true, path: "/dev/push", methods: methods{http.MethodPost: push}},
	{dev: true, path: "/dev/listeners", methods: methods{http.MethodPost: registerListener}},
	{dev: true, path: "/dev/integrations", methods: methods{http.MethodPost: createIntegration}},
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
	if s.cfg.DevAPI {
		for _, e := range devEndpoints {
			offer(e.path, e)
		}
	}
	offer("/", endpoint{}) // Everything else is not found, which is recorded and logged as well.
	mux.HandleFunc("GET /healthz", s.health)

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
