package client

import (
	"context"
	"iter"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

const integrationsPath = "/v1/integrations/git_host/install"

// ListIntegrations lists the git hosting integrations of the workspace. The service answers a bare array.
func (c *Client) ListIntegrations(ctx context.Context) iter.Seq2[api.Integration, error] {
	return items(pages(ctx, c, integrationsPath, nil, pageSize, func(i api.Integration) string { return i.ID }), all)
}
