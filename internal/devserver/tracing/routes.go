package tracing

import (
	"net/http"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
)

// Endpoints returns the endpoints of both API versions at each of their paths. Clients strip known prefixes from the
// configured URL, and add their own prefixes to paths.
func (s *Service) Endpoints() []rest.Endpoint {
	return slices.Concat(below(s.version1(), "", "/v1", "/api", "/api/v1"), below(s.version2(), "/v2", "/api/v2"), s.otlpEndpoints())
}

// DevEndpoints are endpoints that the service itself doesn't have.
func (s *Service) DevEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Dev: true, Path: "/dev/sessions/{session_id}/series", Methods: rest.Methods{http.MethodGet: s.sessionSeries}},
	}
}

// below returns endpoints at each of some prefixes.
func below(endpoints []rest.Endpoint, prefixes ...string) []rest.Endpoint {
	var all []rest.Endpoint
	for _, e := range endpoints {
		path := e.Path
		for _, prefix := range prefixes {
			e.Path, e.Neutral = prefix+path, true
			all = append(all, e)
		}
	}
	return all
}

func (s *Service) version1() []rest.Endpoint {
	return slices.Concat(outOfScope(), s.prices.Endpoints(), feedback.Endpoints(), []rest.Endpoint{
		{Path: "/info", Public: true, Methods: rest.Methods{http.MethodGet: s.info}},
		{Path: "/runs", Streams: rest.Streams{http.MethodPost: s.ingestRun}},
		{Path: "/runs/{run_id}", Methods: rest.Methods{http.MethodGet: s.getRun}},
		{Path: "/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: s.queryRuns}},
		{Path: "/runs/group", Queries: true, Methods: rest.Methods{http.MethodPost: s.groupRuns}},
		{Path: "/runs/{run_id}", Streams: rest.Streams{http.MethodPatch: s.ingestPatch}},
		{Path: "/runs/batch", Streams: rest.Streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: rest.Streams{http.MethodPost: s.ingestMultipart}},
		{Path: "/attachments/{attachment_id}", Public: true, Streams: rest.Streams{http.MethodGet: s.getAttachment}},
		{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: s.listSessions, http.MethodPost: s.createSession}},
		{Path: "/sessions/{session_id}", Methods: rest.Methods{
			http.MethodGet:    s.getSession,
			http.MethodPatch:  s.patchSession,
			http.MethodDelete: s.deleteSession,
		}},
		{Path: "/sessions/{session_id}/dashboard", Queries: true, Methods: rest.Methods{http.MethodPost: s.dashboard}},
		{Path: "/sessions/resolutions", Methods: rest.Methods{http.MethodGet: s.resolveSession}},
		{Path: "/runs/{run_id}/share", Methods: rest.Methods{
			http.MethodGet:    s.getShare,
			http.MethodPut:    s.shareRun,
			http.MethodDelete: s.unshareRun,
		}},
		{Path: "/public/{share_token}/{runs}", Public: true, Methods: rest.Methods{http.MethodGet: s.listSharedRuns}},
		{Path: "/public/{share_token}/feedbacks", Public: true, Methods: rest.Methods{http.MethodGet: s.listSharedFeedback}},
		{Path: "/settings", Methods: rest.Methods{http.MethodGet: s.settings}},
		{Path: "/runs/stats", Queries: true, Methods: rest.Methods{http.MethodPost: s.runStats}},
	})
}

func (s *Service) version2() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: s.queryRunsV2}},
		{Path: "/runs/{run_id}", Methods: rest.Methods{http.MethodGet: s.getRunV2}},
		{Path: "/runs/{run_id}/url", Methods: rest.Methods{http.MethodGet: s.getRunURL}},
		{Path: "/runs/{run_id}/share", Methods: rest.Methods{http.MethodPost: s.shareRun, http.MethodDelete: s.unshareRun}},
		{Path: "/public/{share_token}/runs/query", Public: true, Queries: true, Methods: rest.Methods{http.MethodPost: s.querySharedRuns}},
		{Path: "/public/{share_token}/run/{run_id}", Public: true, Methods: rest.Methods{http.MethodGet: s.getSharedRun}},
		{Path: "/traces/query", Queries: true, Methods: rest.Methods{http.MethodPost: s.queryTraces}},
		{Path: "/traces/{trace_id}/runs", Methods: rest.Methods{http.MethodGet: s.listTraceRuns}},
		{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: s.listSessionsV2}},
		{Path: "/threads/stats", Queries: true, Methods: rest.Methods{http.MethodPost: s.threadsStats}},
		{Path: "/threads/query", Queries: true, Methods: rest.Methods{http.MethodPost: s.queryThreads}},
		{Path: "/threads/{thread_id}/traces", Methods: rest.Methods{http.MethodGet: s.listThreadTraces}},
		{Path: "/threads/{thread_id}/stats", Methods: rest.Methods{http.MethodGet: s.threadStats}},
		// These appear only in the documentation.
		{Path: "/runs/batch", Streams: rest.Streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: rest.Streams{http.MethodPost: s.ingestMultipart}},
	}
}
