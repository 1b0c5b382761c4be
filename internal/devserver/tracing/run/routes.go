package run

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/runs", Streams: rest.Streams{http.MethodPost: s.ingestRun}},
		{Path: "/runs/{run_id}", Methods: rest.Methods{http.MethodGet: s.getRun}},
		{Path: "/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: s.queryRuns}},
		{Path: "/runs/{run_id}", Streams: rest.Streams{http.MethodPatch: s.ingestPatch}},
		{Path: "/runs/batch", Streams: rest.Streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: rest.Streams{http.MethodPost: s.ingestMultipart}},
		{Path: "/attachments/{attachment_id}", Public: true, Streams: rest.Streams{http.MethodGet: s.getAttachment}},
		{Path: "/runs/{run_id}/share", Methods: rest.Methods{
			http.MethodGet:    s.getShare,
			http.MethodPut:    s.shareRun,
			http.MethodDelete: s.unshareRun,
		}},
		{Path: "/public/{share_token}/{runs}", Public: true, Methods: rest.Methods{http.MethodGet: s.listSharedRuns}},
		{Path: "/public/{share_token}/feedbacks", Public: true, Methods: rest.Methods{http.MethodGet: s.listSharedFeedback}},
		{Path: "/runs/stats", Queries: true, Methods: rest.Methods{http.MethodPost: s.runStats}},
	}
}

// Version2 is Version1 for version 2.
func (s *Service) Version2() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/runs/query", Queries: true, Methods: rest.Methods{http.MethodPost: s.queryRunsV2}},
		{Path: "/runs/{run_id}", Methods: rest.Methods{http.MethodGet: s.getRunV2}},
		{Path: "/runs/{run_id}/url", Methods: rest.Methods{http.MethodGet: s.getRunURL}},
		{Path: "/runs/{run_id}/share", Methods: rest.Methods{http.MethodPost: s.shareRun, http.MethodDelete: s.unshareRun}},
		{Path: "/public/{share_token}/runs/query", Public: true, Queries: true, Methods: rest.Methods{http.MethodPost: s.querySharedRuns}},
		{Path: "/public/{share_token}/run/{run_id}", Public: true, Methods: rest.Methods{http.MethodGet: s.getSharedRun}},
		{Path: "/traces/query", Queries: true, Methods: rest.Methods{http.MethodPost: s.queryTraces}},
		{Path: "/traces/{trace_id}/runs", Methods: rest.Methods{http.MethodGet: s.listTraceRuns}},
		// These appear only in the documentation.
		{Path: "/runs/batch", Streams: rest.Streams{http.MethodPost: s.ingestBatch}},
		{Path: "/runs/multipart", Streams: rest.Streams{http.MethodPost: s.ingestMultipart}},
	}
}
