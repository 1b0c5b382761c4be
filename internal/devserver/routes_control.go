package devserver

import (
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Endpoints are those of the dialect.
func (s *controlPlane) Endpoints() []endpoint {
	if !s.cfg.Dialect.Extended {
		return s.described()
	}
	return append(s.described(), s.extended()...)
}

// described are the endpoints of the service's own description.
func (s *controlPlane) described() []endpoint {
	return []endpoint{
		{Path: "/v2/deployments", Methods: methods{
			http.MethodGet:  s.listDeployments,
			http.MethodPost: s.createDeployment,
		}},
		{Path: "/v2/deployments/{deployment_id}", Methods: methods{
			http.MethodGet:    s.getDeployment,
			http.MethodPatch:  s.patchDeployment,
			http.MethodDelete: s.deleteDeployment,
		}},
		{Path: "/v2/deployments/{deployment_id}/revisions", Methods: methods{http.MethodGet: s.listRevisions}},
		{Path: "/v2/deployments/{deployment_id}/revisions/{revision_id}", Methods: methods{http.MethodGet: s.getRevision}},
		{Path: "/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy", Methods: methods{
			http.MethodPost: s.redeployRevision,
		}},
		{Path: "/v2/deployments/{deployment_id}/revisions/{revision_id}/logs", Methods: methods{
			http.MethodGet: s.listRevisionLogs,
		}},
		{Path: "/v2/listeners", Methods: methods{
			http.MethodGet:  s.listListeners,
			http.MethodPost: s.createListener,
		}},
		{Path: "/v2/listeners/{listener_id}", Methods: methods{
			http.MethodGet:    s.getListener,
			http.MethodPatch:  s.patchListener,
			http.MethodDelete: s.deleteListener,
		}},
		{Path: "/v1/integrations/git_host/install", Methods: methods{http.MethodGet: s.listIntegrations}},
		{Path: "/v1/integrations/git_host/{integration_id}/repos", Methods: methods{http.MethodGet: s.listRepositories}},
	}
}

// extended are what clients of extended dialects use besides.
func (s *controlPlane) extended() []endpoint {
	return []endpoint{
		{Path: "/v2/deployments", Methods: methods{http.MethodDelete: s.deleteDeployments}},
		{Path: "/v2/deployments/{deployment_id}/revisions", Methods: methods{http.MethodPost: s.createRevision}},
		{Path: "/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption", Methods: methods{
			http.MethodPost: s.interruptRevision,
		}},
		{Path: "/v2/deployments/{deployment_id}/push-token", Methods: methods{http.MethodPost: s.createPushToken}},
		{Path: "/v2/deployments/{deployment_id}/upload-url", Methods: methods{http.MethodPost: s.createUploadURL}},
		{Path: "/v2/deployment-logs", Methods: methods{http.MethodGet: s.listDeploymentLogs}},
		{Path: "/v1/projects/{deployment_id}/revisions/{revision_id}/build_logs", Methods: methods{
			http.MethodPost: s.revisionLogs(api.LogTypeBuild),
		}},
		{Path: "/v1/projects/{deployment_id}/revisions/{revision_id}/deploy_logs", Methods: methods{
			http.MethodPost: s.revisionLogs(api.LogTypeDeploy),
		}},
		{Path: "/v1/projects/{deployment_id}/deploy_logs", Methods: methods{http.MethodPost: s.deployLogs}},
	}
}

// DevEndpoints are what only a development server can do: pushes, and what people would click together elsewhere.
func (s *controlPlane) DevEndpoints() []endpoint {
	return []endpoint{
		{Dev: true, Path: "/dev/push", Methods: methods{http.MethodPost: s.push}},
		{Dev: true, Path: "/dev/listeners", Methods: methods{http.MethodPost: s.registerListener}},
		{Dev: true, Path: "/dev/integrations", Methods: methods{http.MethodPost: s.createIntegration}},
	}
}
