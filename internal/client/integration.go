package client

import (
	"context"
	"iter"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const (
	gitHostPath      = "/v1/integrations/git_host"
	integrationsPath = gitHostPath + "/install"
)

// ListIntegrations lists the Git hosting integrations of the workspace. The service returns a bare array.
func (c *Client) ListIntegrations(ctx context.Context) iter.Seq2[api.Integration, error] {
	return wholeOrPages(c, integrationsPath, func(i api.Integration) string { return i.ID }).all(ctx)
}

// ListRepositories lists the repositories that an integration can access. The service returns a bare array.
func (c *Client) ListRepositories(ctx context.Context, integrationID string) iter.Seq2[api.Repository, error] {
	id := func(r api.Repository) string {
		if r.ID == 0 {
			return ""
		}
		return strconv.FormatInt(r.ID, 10)
	}
	return wholeOrPages(c, pathTo(gitHostPath, integrationID, "repos"), id).all(ctx)
}
