package client

import (
	"context"
	"errors"
	"net/http"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// RunStats reads statistics of the runs that match a query.
func (c *Client) RunStats(ctx context.Context, query api.RunStatsQuery) (*api.RunStats, error) {
	// Every other field may be missing, so this one identifies a valid response.
	type answered struct {
		api.RunStats
		RunCount *int64 `json:"run_count"`
	}
	stats, _, err := fetch(ctx, c, request{
		method: http.MethodPost, path: runsPath + "/stats", body: query, tracing: true, repeatable: true,
	}, func(s *answered) error {
		if s.RunCount == nil || *s.RunCount < 0 {
			return errors.New("the response has no run_count, or a negative one")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	stats.RunStats.RunCount = *stats.RunCount
	return &stats.RunStats, nil
}
