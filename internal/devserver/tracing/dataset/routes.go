package dataset

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/datasets", Methods: rest.Methods{http.MethodGet: list, http.MethodPost: create}},
		{Path: "/datasets/{dataset_id}", Methods: rest.Methods{http.MethodGet: get, http.MethodPatch: patch, http.MethodDelete: remove}},
		{Path: "/datasets/{dataset_id}/version", Methods: rest.Methods{http.MethodGet: getVersion}},
		{Path: "/datasets/{dataset_id}/versions", Methods: rest.Methods{http.MethodGet: listVersions}},
		{Path: "/datasets/{dataset_id}/tags", Object: get, Methods: rest.Methods{http.MethodPut: putTag}},
		{Path: "/examples", Methods: rest.Methods{http.MethodGet: listExamples, http.MethodPost: s.createExample, http.MethodDelete: removeExamples}},
		{Path: "/examples/{example_id}", Methods: rest.Methods{
			http.MethodGet: getExample, http.MethodPatch: s.patchExample, http.MethodDelete: removeExample,
		}},
		{Path: "/platform/datasets/{dataset_id}/examples", Streams: rest.Streams{http.MethodPost: s.upload, http.MethodPatch: s.upload}},
	}
}
