package dataset

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/datasets", Methods: rest.Methods{http.MethodGet: list, http.MethodPost: rest.WithBody(create)}},
		{Path: "/datasets/{dataset_id}", Methods: rest.Methods{http.MethodGet: rest.WithNamed(named, get), http.MethodPatch: rest.WithNamed(named, patch), http.MethodDelete: rest.WithNamed(named, remove)}},
		{Path: "/datasets/{dataset_id}/version", Methods: rest.Methods{http.MethodGet: rest.WithNamed(named, getVersion)}},
		{Path: "/datasets/{dataset_id}/versions", Methods: rest.Methods{http.MethodGet: rest.WithNamed(named, listVersions)}},
		{Path: "/datasets/{dataset_id}/tags", Object: rest.WithNamed(named, get), Methods: rest.Methods{http.MethodPut: rest.WithNamed(named, putTag)}},
		{Path: "/examples", Methods: rest.Methods{http.MethodGet: listExamples, http.MethodPost: rest.WithBody(s.createExample), http.MethodDelete: removeExamples}},
		{Path: "/examples/{example_id}", Methods: rest.Methods{
			http.MethodGet: rest.WithNamed(namedExample, getExample), http.MethodPatch: rest.WithNamed(namedExample, s.patchExample), http.MethodDelete: rest.WithNamed(namedExample, removeExample),
		}},
		{Path: "/platform/datasets/{dataset_id}/examples", Streams: rest.Streams{http.MethodPost: s.upload, http.MethodPatch: s.upload}},
	}
}
