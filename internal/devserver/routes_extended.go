package devserver

import (
	"maps"
	"net/http"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// extendedEndpoints are what clients of extended dialects use besides endpoints.
var extendedEndpoints = []endpoint{
	{path: "/v2/deployments", methods: methods{http.MethodDelete: deleteDeployments}},
	{path: "/v2/deployments/{deployment_id}/revisions", methods: methods{http.MethodPost: createRevision}},
	{path: "/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption", methods: methods{
		http.MethodPost: interruptRevision,
	}},
	{path: "/v2/deployments/{deployment_id}/push-token", methods: methods{http.MethodPost: createPushToken}},
	{path: "/v2/deployments/{deployment_id}/upload-url", methods: methods{http.MethodPost: createUploadURL}},
	{path: "/v2/deployment-logs", methods: methods{http.MethodGet: listDeploymentLogs}},
	{path: "/v1/projects/{deployment_id}/revisions/{revision_id}/build_logs", methods: methods{
		http.MethodPost: revisionLogs(api.LogTypeBuild),
	}},
	{path: "/v1/projects/{deployment_id}/revisions/{revision_id}/deploy_logs", methods: methods{
		http.MethodPost: revisionLogs(api.LogTypeDeploy),
	}},
	{path: "/v1/projects/{deployment_id}/deploy_logs", methods: methods{http.MethodPost: deployLogs}},
}

// offered are the endpoints of a dialect, those of one path together.
func offered(dialect *api.Dialect) []endpoint {
	if !dialect.Extended {
		return endpoints
	}
	all := slices.Clone(endpoints)
	for _, more := range extendedEndpoints {
		i := slices.IndexFunc(all, func(e endpoint) bool { return e.path == more.path })
		if i < 0 {
			all = append(all, more)
			continue
		}
		together := maps.Clone(all[i].methods)
		maps.Copy(together, more.methods)
		all[i].methods = together
	}
	return all
}
