package devserver

import (
	"maps"
	"net/http"
)

// tracingEndpoint is what a path of the tracing service offers.
type tracingEndpoint struct {
	// version is that of the API: 1 or 2.
	version int
	// path is without the prefix that tells the version.
	path    string
	methods methods
	streams streams
	// public endpoints ask for no key.
	public bool
}

// tracingPrefixes are where each version of the API is found. Clients cut what they take for a prefix off the address
// that they are given, and put their own in front of paths.
var tracingPrefixes = map[int][]string{
	1: {"", "/v1", "/api", "/api/v1"},
	2: {"/v2", "/api/v2"},
}

// tracingEndpoints are those of the tracing service.
var tracingEndpoints = []tracingEndpoint{
	{version: 1, path: "/info", public: true, methods: methods{http.MethodGet: info}},
	{version: 1, path: "/runs", streams: streams{http.MethodPost: ingestRun}},
	{version: 1, path: "/runs/{run_id}", methods: methods{http.MethodGet: getRun}},
	{version: 1, path: "/runs/query", methods: methods{http.MethodPost: queryRuns}},
	{version: 1, path: "/runs/group", methods: methods{http.MethodPost: groupRuns}},
	{version: 2, path: "/runs/query", methods: methods{http.MethodPost: queryRunsV2}},
	{version: 2, path: "/runs/{run_id}", methods: methods{http.MethodGet: getRunV2}},
	{version: 2, path: "/runs/{run_id}/url", methods: methods{http.MethodGet: getRunURL}},
	{version: 2, path: "/traces/query", methods: methods{http.MethodPost: queryTraces}},
	{version: 2, path: "/traces/{trace_id}/runs", methods: methods{http.MethodGet: listTraceRuns}},
	{version: 2, path: "/threads/query", methods: methods{http.MethodPost: queryThreads}},
	{version: 2, path: "/threads/{thread_id}/traces", methods: methods{http.MethodGet: listThreadTraces}},
	{version: 2, path: "/threads/{thread_id}/stats", methods: methods{http.MethodGet: threadStats}},
	{version: 1, path: "/runs/{run_id}", streams: streams{http.MethodPatch: ingestPatch}},
	{version: 1, path: "/runs/batch", streams: streams{http.MethodPost: ingestBatch}},
	{version: 1, path: "/runs/multipart", streams: streams{http.MethodPost: ingestMultipart}},
	// Nothing but the documentation knows these.
	{version: 2, path: "/runs/batch", streams: streams{http.MethodPost: ingestBatch}},
	{version: 2, path: "/runs/multipart", streams: streams{http.MethodPost: ingestMultipart}},
	{version: 1, path: "/model-price-map", methods: methods{
		http.MethodGet:  listModelPrices,
		http.MethodPost: createModelPrice,
	}},
	{version: 1, path: "/model-price-map/{price_id}", methods: methods{
		http.MethodPut:    updateModelPrice,
		http.MethodDelete: deleteModelPrice,
	}},
	{version: 1, path: "/attachments/{attachment_id}", public: true, streams: streams{http.MethodGet: getAttachment}},
	{version: 1, path: "/sessions", methods: methods{http.MethodGet: listSessions, http.MethodPost: createSession}},
	{version: 1, path: "/sessions/{session_id}", methods: methods{
		http.MethodGet:    getSession,
		http.MethodPatch:  patchSession,
		http.MethodDelete: deleteSession,
	}},
	{version: 1, path: "/runs/stats", methods: methods{http.MethodPost: runStats}},
}

// traced are the endpoints of the tracing service at each of their paths. Entries of one path make one endpoint.
func traced() []endpoint {
	var all []endpoint
	at := map[string]int{}
	for _, t := range tracingEndpoints {
		for _, prefix := range tracingPrefixes[t.version] {
			path := prefix + t.path
			if _, known := at[path]; !known {
				at[path] = len(all)
				all = append(all, endpoint{path: path, methods: methods{}, streams: streams{}, tracing: true, public: t.public})
			}
			maps.Copy(all[at[path]].methods, t.methods)
			maps.Copy(all[at[path]].streams, t.streams)
		}
	}
	return all
}
