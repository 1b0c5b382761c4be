package controlplane

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
)

// Endpoints returns the endpoints of the dialect.
func (s *Service) Endpoints() []rest.Endpoint {
	all := s.described()
	for i := range all {
		all[i].LogsAnswers = true // The others may answer with credentials.
	}
	if s.cfg.Dialect.LangSmithAPI {
		all = append(all, s.extended()...)
	}
	for i := range all {
		all[i].Lags = true
	}
	all = append(all, rest.Endpoint{Path: agentServers + "/{path...}", Public: true, Methods: rest.Methods{
		http.MethodGet: noAgent, http.MethodPost: noAgent,
	}})
	if s.cfg.Dialect.LangSmithAPI {
		all = append(all,
			rest.Endpoint{Path: uploads + "/{deployment_id}/{archive}", Public: true, Streams: rest.Streams{http.MethodPut: s.receiveUpload}},
			rest.Endpoint{Path: installLinks + "/{link}", Public: true, Writes: true, Methods: rest.Methods{http.MethodGet: s.followLink}},
		)
	}
	return all
}

// described are the endpoints in the service's API description.
func (s *Service) described() []rest.Endpoint {
	return append(rest.Routes(map[string]rest.Handler{
		"GET /v2/deployments":                                              s.listDeployments,
		"POST /v2/deployments":                                             s.createDeployment,
		"GET /v2/deployments/{deployment_id}":                              ofDeployment(s.respond),
		"PATCH /v2/deployments/{deployment_id}":                            changesDeployment(s.patchDeployment),
		"DELETE /v2/deployments/{deployment_id}":                           s.deleteDeployment,
		"GET /v2/deployments/{deployment_id}/revisions":                    listRevisions,
		"GET /v2/deployments/{deployment_id}/revisions/{revision_id}":      rest.WithNamed(namedRevision, getRevision),
		"GET /v2/deployments/{deployment_id}/revisions/{revision_id}/logs": s.listRevisionLogs,
		"GET /v2/listeners":                                                listListeners,
		"POST /v2/listeners":                                               rest.Decoded(createListener),
		"GET /v2/listeners/{listener_id}":                                  rest.WithNamed(listener, getListener),
		"PATCH /v2/listeners/{listener_id}":                                rest.Changing(listener, patchListener),
		"DELETE /v2/listeners/{listener_id}":                               rest.WithNamed(listener, deleteListener),
		"GET /v1/integrations/git_host/install":                            listIntegrations(false),
		"GET /v1/integrations/git_host/{integration_id}/repos":             listRepositories(false),
	}), s.answersDeployment(http.MethodPost, "/revisions/{revision_id}/redeploy", s.redeployRevision))
}

// answersDeployment is an endpoint below a deployment that changes it and answers with it.
func (s *Service) answersDeployment(method, path string, change rest.Handler) rest.Endpoint {
	return rest.Endpoint{
		Path: "/v2/deployments/{deployment_id}" + path, Object: ofDeployment(s.respond), Methods: rest.Methods{method: change},
	}
}

// extended are further endpoints that clients of extended dialects use.
func (s *Service) extended() []rest.Endpoint {
	return append(rest.Routes(map[string]rest.Handler{
		"DELETE /v2/deployments":                                                    s.deleteDeployments,
		"POST /v2/deployments/{deployment_id}/revisions":                            changesDeployment(s.createRevision),
		"POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interruption": rest.WithNamed(namedRevision, interruptRevision),
		"POST /v2/deployments/{deployment_id}/push-token":                           ofDeployment(s.createPushToken),
		"POST /v2/deployments/{deployment_id}/upload-url":                           ofDeployment(createUploadURL),
		"GET /v2/deployments/free-count":                                            countFreeDeployments,
		"GET /v1/integrations/forge/git_host/install":                               listIntegrations(true),
		"GET /v1/integrations/forge/git_host/{integration_id}/repos":                listRepositories(true),
		"GET /v2/integrations/github/installations":                                 listInstallations(false),
		"GET /v2/integrations/github/installations/{integration_id}/repositories":   listInstallationRepositories,
		"POST /v2/integrations/github/installation-link":                            s.createInstallLink,
		"GET /v2/integrations/forge-github/installations":                           listInstallations(true),
		"POST /v2/integrations/forge-github/installation-link":                      s.createForgeLink,
		"GET /v2/integrations/forge-github/picker-sessions/{session_id}":            s.getPickerSession,
		"POST /v2/integrations/forge-github/picker-sessions/{session_id}/selection": rest.Decoded(s.selectInstallation),
		"GET /v2/deployment-logs":                                                   s.listDeploymentLogs,
		"POST /v1/projects/{deployment_id}/revisions/{revision_id}/build_logs":      rest.Changing(namedRevision, s.revisionLogs(api.LogTypeBuild)),
		"POST /v1/projects/{deployment_id}/revisions/{revision_id}/deploy_logs":     rest.Changing(namedRevision, s.revisionLogs(api.LogTypeDeploy)),
		"POST /v1/projects/{deployment_id}/deploy_logs":                             changesDeployment(s.deployLogs),
	}),
		s.answersDeployment(http.MethodPatch, "/deployment-tier", changesDeployment(s.patchDeploymentTier)),
		s.answersDeployment(http.MethodPatch, "/resource-tiers", changesDeployment(s.patchResourceTiers)),
	)
}

// DevEndpoints are endpoints that only a development server has: pushes, and registrations that elsewhere are made in the
// UI.
func (s *Service) DevEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Dev: true, Path: "/dev/push", Methods: rest.Methods{http.MethodPost: rest.Decoded(s.push)}},
		{Dev: true, Everybody: true, Path: "/dev/status", Methods: rest.Methods{http.MethodPost: rest.Decoded(s.setStatus)}},
		{Dev: true, Path: "/dev/listeners", Methods: rest.Methods{http.MethodPost: rest.Decoded(registerListener)}},
		{Dev: true, Path: "/dev/integrations", Methods: rest.Methods{http.MethodPost: rest.Decoded(createIntegration)}},
	}
}
