package run

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/runs", Streams: rest.Streams{http.MethodPost: s.ingestRun}},
		{Path: "/runs/{run_id}", Methods: rest.Methods{http.MethodGet: getRun}},
		{Path: "/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: rest.WithBody(queryRuns)}},
		{Path: "/runs/{run_id}", Streams: rest.Streams{http.MethodPatch: s.ingestPatch}},
		{Path: "/runs/batch", Streams: rest.Streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: rest.Streams{http.MethodPost: s.ingestMultipart}},
		{Path: "/attachments/{attachment_id}", Public: true, Streams: rest.Streams{http.MethodGet: s.getAttachment}},
		{Path: "/runs/stats", Queries: true, Methods: rest.Methods{http.MethodPost: rest.WithBody(runStats)}},
	}
}

// Version2 is Version1 for version 2.
func (s *Service) Version2() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: rest.WithBody(queryRunsV2)}},
		{Path: "/runs/{run_id}", Methods: rest.Methods{http.MethodGet: getRunV2}},
		{Path: "/runs/{run_id}/url", Methods: rest.Methods{http.MethodGet: getRunURL}},
		{Path: "/traces/query", Queries: true, Methods: rest.Methods{http.MethodPost: rest.WithBody(queryTraces)}},
		{Path: "/traces/{trace_id}/runs", Methods: rest.Methods{http.MethodGet: listTraceRuns}},
		// These appear only in the documentation.
		{Path: "/runs/batch", Streams: rest.Streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: rest.Streams{http.MethodPost: s.ingestMultipart}},
	}
}
