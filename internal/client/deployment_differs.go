package client

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// deploymentDiffers describes how a deployment differs from the request.
func deploymentDiffers(dialect *api.Dialect, req api.DeploymentCreateRequest, d api.Deployment) string {
	if d.Source != req.Source {
		return fmt.Sprintf("its source is %s", d.Source)
	}
	if path, different := mismatch(req.SourceConfig, d.SourceConfig); different {
		return "its source_config" + path + " differs"
	}
	if path, different := mismatch(req.SourceRevisionConfig, asAsked(dialect, req, d)); different {
		return "its source_revision_config" + path + " differs"
	}
	if len(d.Secrets) > 0 && !slices.Equal(secretNames(req.Secrets), secretNames(d.Secrets)) {
		return "its secrets differ"
	}
	// Fields of extended dialects may also be missing in responses.
	if asked, _ := req.SecretReferences.Get(); len(d.SecretReferences) > 0 && !SameReferences(asked, d.SecretReferences) {
		return "its secret_references differ"
	}
	if asked, sent := req.Shareable.Get(); sent && d.Shareable != nil && *d.Shareable != asked {
		return fmt.Sprintf("its shareable is %t", *d.Shareable)
	}
	if !Shows(req.RouteThroughGateway, d.RouteThroughGateway) && d.RouteThroughGateway != nil {
		return fmt.Sprintf("its route_through_gateway is %t", *d.RouteThroughGateway)
	}
	return ""
}

// asAsked returns the revision's configuration with the requested ref, if the service returns what it resolved that to. A commit
// proves nothing, because many refs resolve to it. The branch does.
func asAsked(dialect *api.Dialect, req api.DeploymentCreateRequest, d api.Deployment) api.SourceRevisionConfig {
	reported := d.SourceRevisionConfig
	asked, sent := req.SourceRevisionConfig.RepoRef.Get()
	branch := d.SourceConfig.RepoBranch
	if dialect.ResolvesRepoRef && sent && branch != nil && (reported.RepoRef == nil || *reported.RepoRef != asked) {
		reported.RepoRef = branch
	}
	return reported
}

// SameReferences compares references in any order.
func SameReferences(a, b []api.SecretReference) bool {
	byName := func(x, y api.SecretReference) int { return cmp.Compare(x.Name, y.Name) }
	return slices.Equal(slices.SortedFunc(slices.Values(a), byName), slices.SortedFunc(slices.Values(b), byName))
}

func secretNames(secrets []api.Secret) []string {
	names := make([]string, len(secrets))
	for i, s := range secrets {
		names[i] = s.Name
	}
	slices.Sort(names)
	return slices.Compact(names)
}
