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
	return []rest.Endpoint{
		{Path: "/v2/deployments", Methods: rest.Methods{
			http.MethodGet:  s.listDeployments,
			http.MethodPost: s.createDeployment,
		}},
		{Path: "/v2/deployments/{deployment_id}", Methods: rest.Methods{
			http.MethodGet:    ofDeployment(s.respond),
			http.MethodPatch:  changesDeployment(s.patchDeployment),
			http.MethodDelete: s.deleteDeployment,
		}},
		{Path: "/v2/deployments/{deployment_id}/revisions", Methods: rest.Methods{http.MethodGet: listRevisions}},
		{Path: "/v2/deployments/{deployment_id}/revisions/{revision_id}", Methods: rest.Methods{http.MethodGet: getRevision}},
		{Path: "/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy", Object: ofDeployment(s.respond), Methods: rest.Methods{
			http.MethodPost: s.redeployRevision,
		}},
		{Path: "/v2/deployments/{deployment_id}/revisions/{revision_id}/logs", Methods: rest.Methods{
			http.MethodGet: s.listRevisionLogs,
		}},
		{Path: "/v2/listeners", Methods: rest.Methods{
			http.MethodGet:  listListeners,
			http.MethodPost: rest.Decoded(createListener),
		}},
		{Path: "/v2/listeners/{listener_id}", Methods: rest.Methods{
			http.MethodGet:    getListener,
			http.MethodPatch:  rest.Decoded(patchListener),
			http.MethodDelete: deleteListener,
		}},
		{Path: "/v1/integrations/git_host/install", Methods: rest.Methods{http.MethodGet: listIntegrations(false)}},
		{Path: "/v1/integrations/git_host/{integration_id}/repos", Methods: rest.Methods{http.MethodGet: listRepositories(false)}},
	}
}

// extended are further endpoints that clients of extended dialects use.
func (s *Service) extended() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/v2/deployments", Methods: rest.Methods{http.MethodDelete: s.deleteDeployments}},
		{Path: "/v2/deployments/{deployment_id}/revisions", Methods: rest.Methods{http.MethodPost: changesDeployment(s.createRevision)}},
		{Path: "/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption", Methods: rest.Methods{
			http.MethodPost: interruptRevision,
		}},
		{Path: "/v2/deployments/{deployment_id}/push-token", Methods: rest.Methods{http.MethodPost: ofDeployment(s.createPushToken)}},
		{Path: "/v2/deployments/{deployment_id}/upload-url", Methods: rest.Methods{http.MethodPost: ofDeployment(createUploadURL)}},
		{Path: "/v2/deployments/{deployment_id}/deployment-tier", Object: ofDeployment(s.respond), Methods: rest.Methods{
			http.MethodPatch: changesDeployment(s.patchDeploymentTier),
		}},
		{Path: "/v2/deployments/{deployment_id}/resource-tiers", Object: ofDeployment(s.respond), Methods: rest.Methods{
			http.MethodPatch: changesDeployment(s.patchResourceTiers),
		}},
		{Path: "/v2/deployments/free-count", Methods: rest.Methods{http.MethodGet: countFreeDeployments}},
		{Path: "/v1/integrations/forge/git_host/install", Methods: rest.Methods{http.MethodGet: listIntegrations(true)}},
		{Path: "/v1/integrations/forge/git_host/{integration_id}/repos", Methods: rest.Methods{http.MethodGet: listRepositories(true)}},
		{Path: "/v2/integrations/github/installations", Methods: rest.Methods{http.MethodGet: listInstallations(false)}},
		{Path: "/v2/integrations/github/installations/{integration_id}/repositories", Methods: rest.Methods{
			http.MethodGet: listInstallationRepositories,
		}},
		{Path: "/v2/integrations/github/installation-link", Methods: rest.Methods{http.MethodPost: s.createInstallLink}},
		{Path: "/v2/integrations/forge-github/installations", Methods: rest.Methods{http.MethodGet: listInstallations(true)}},
		{Path: "/v2/integrations/forge-github/installation-link", Methods: rest.Methods{http.MethodPost: s.createForgeLink}},
		{Path: "/v2/integrations/forge-github/picker-sessions/{session_id}", Methods: rest.Methods{http.MethodGet: s.getPickerSession}},
		{Path: "/v2/integrations/forge-github/picker-sessions/{session_id}/selection", Methods: rest.Methods{
			http.MethodPost: rest.Decoded(s.selectInstallation),
		}},
		{Path: "/v2/deployment-logs", Methods: rest.Methods{http.MethodGet: s.listDeploymentLogs}},
		{Path: "/v1/projects/{deployment_id}/revisions/{revision_id}/build_logs", Methods: rest.Methods{
			http.MethodPost: s.revisionLogs(api.LogTypeBuild),
		}},
		{Path: "/v1/projects/{deployment_id}/revisions/{revision_id}/deploy_logs", Methods: rest.Methods{
			http.MethodPost: s.revisionLogs(api.LogTypeDeploy),
		}},
		{Path: "/v1/projects/{deployment_id}/deploy_logs", Methods: rest.Methods{http.MethodPost: changesDeployment(s.deployLogs)}},
	}
}

// DevEndpoints are endpoints that only a development server has: pushes, and registrations that elsewhere are made in the
// UI.
func (s *Service) DevEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		{Dev: true, Path: "/dev/push", Methods: rest.Methods{http.MethodPost: s.push}},
		{Dev: true, Everybody: true, Path: "/dev/status", Methods: rest.Methods{http.MethodPost: s.setStatus}},
		{Dev: true, Path: "/dev/listeners", Methods: rest.Methods{http.MethodPost: registerListener}},
		{Dev: true, Path: "/dev/integrations", Methods: rest.Methods{http.MethodPost: createIntegration}},
	}
}
