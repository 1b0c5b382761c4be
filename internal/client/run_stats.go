package client

import (
	"context"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// RunStats reads the figures of the runs that a query chooses.
func (c *Client) RunStats(ctx context.Context, query api.RunStatsQuery) (*api.RunStats, error) {
	stats, _, err := fetch(ctx, c, request{
		method: http.MethodPost, path: runsPath + "/stats", body: query, tracing: true, repeatable: true,
	}, func(*api.RunStats) error { return nil })
	return stats, err
}
