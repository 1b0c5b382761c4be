package devserver

import "net/http"

// Endpoints are those of both versions of the API at each of their paths. Clients cut what they take for a prefix off the
// address that they are given, and put their own in front of paths.
func (s *tracing) Endpoints() []endpoint {
	return append(below(s.version1(), "", "/v1", "/api", "/api/v1"), below(s.version2(), "/v2", "/api/v2")...)
}

// DevEndpoints are what the service itself doesn't have.
func (s *tracing) DevEndpoints() []endpoint {
	return []endpoint{
		{Dev: true, Path: "/dev/sessions/{session_id}/series", Methods: methods{http.MethodGet: s.sessionSeries}},
	}
}

// below are endpoints at each of some prefixes.
func below(endpoints []endpoint, prefixes ...string) []endpoint {
	var all []endpoint
	for _, e := range endpoints {
		path := e.Path
		for _, prefix := range prefixes {
			e.Path, e.Neutral = prefix+path, true
			all = append(all, e)
		}
	}
	return all
}

func (s *tracing) version1() []endpoint {
	return []endpoint{
		{Path: "/info", Public: true, Methods: methods{http.MethodGet: s.info}},
		{Path: "/runs", Streams: streams{http.MethodPost: s.ingestRun}},
		{Path: "/runs/{run_id}", Methods: methods{http.MethodGet: s.getRun}},
		{Path: "/runs/query", Methods: methods{http.MethodPost: s.queryRuns}},
		{Path: "/runs/group", Methods: methods{http.MethodPost: s.groupRuns}},
		{Path: "/runs/{run_id}", Streams: streams{http.MethodPatch: s.ingestPatch}},
		{Path: "/runs/batch", Streams: streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: streams{http.MethodPost: s.ingestMultipart}},
		{Path: "/model-price-map", Methods: methods{
			http.MethodGet:  s.listModelPrices,
			http.MethodPost: s.createModelPrice,
		}},
		{Path: "/model-price-map/{price_id}", Methods: methods{
			http.MethodPut:    s.updateModelPrice,
			http.MethodDelete: s.deleteModelPrice,
		}},
		{Path: "/attachments/{attachment_id}", Public: true, Streams: streams{http.MethodGet: s.getAttachment}},
		{Path: "/sessions", Methods: methods{http.MethodGet: s.listSessions, http.MethodPost: s.createSession}},
		{Path: "/sessions/{session_id}", Methods: methods{
			http.MethodGet:    s.getSession,
			http.MethodPatch:  s.patchSession,
			http.MethodDelete: s.deleteSession,
		}},
		{Path: "/runs/stats", Methods: methods{http.MethodPost: s.runStats}},
	}
}

func (s *tracing) version2() []endpoint {
	return []endpoint{
		{Path: "/runs/query", Methods: methods{http.MethodPost: s.queryRunsV2}},
		{Path: "/runs/{run_id}", Methods: methods{http.MethodGet: s.getRunV2}},
		{Path: "/runs/{run_id}/url", Methods: methods{http.MethodGet: s.getRunURL}},
		{Path: "/traces/query", Methods: methods{http.MethodPost: s.queryTraces}},
		{Path: "/traces/{trace_id}/runs", Methods: methods{http.MethodGet: s.listTraceRuns}},
		{Path: "/threads/query", Methods: methods{http.MethodPost: s.queryThreads}},
		{Path: "/threads/{thread_id}/traces", Methods: methods{http.MethodGet: s.listThreadTraces}},
		{Path: "/threads/{thread_id}/stats", Methods: methods{http.MethodGet: s.threadStats}},
		// Nothing but the documentation knows these.
		{Path: "/runs/batch", Streams: streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: streams{http.MethodPost: s.ingestMultipart}},
	}
}
