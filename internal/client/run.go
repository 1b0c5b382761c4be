package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Runs are read with version 2 of the API: the service removes version 1 of these reads after January 2027.
const (
	readRunsPath = "/api/v2/runs"
	// maxRunPage is the maximum that the service returns at once.
	maxRunPage = 1000
)

// QueryRuns returns the runs that match a query, at most limit of them. The query's own cursor and page size are ignored.
func (c *Client) QueryRuns(ctx context.Context, query api.RunQuery, limit int) ([]api.Run, error) {
	return fetchCursored(ctx, c, limit, "runs", func(cursor string, size int) request {
		query.Cursor, query.PageSize = cursor, min(size, maxRunPage)
		return request{method: http.MethodPost, path: readRunsPath + "/query", body: query, tracing: true, repeatable: true}
	}, listFormat[api.Run]{
		check: hasKey(func(r api.Run) string { return r.ID }), missing: errors.New(`the response has no list "items"; check tracing_url`),
	})
}

// GetRun reads one run of a project with the selected fields, whose names are in capitals.
func (c *Client) GetRun(ctx context.Context, projectID, id string, selects ...string) (*api.Run, error) {
	run, err := fetch(ctx, c, request{
		method: http.MethodGet, path: pathTo(readRunsPath, id), tracing: true,
		query: url.Values{"project_id": {projectID}, "selects": append([]string{"ID"}, selects...)},
	}, func(r *api.Run) error {
		if err := checkID("run", id, r.ID); err != nil {
			return err
		}
		if r.RunType == "" && slices.Contains(selects, "RUN_TYPE") {
			return errors.New("the response has no run_type")
		}
		return nil
	})
	return run, err
}

// FindRunProject reads the ID of the project that a run is in. Only version 1 of the API finds a run without its project.
func (c *Client) FindRunProject(ctx context.Context, id string) (string, error) {
	found, err := fetch(ctx, c, request{method: http.MethodGet, path: pathTo(runsPath, id), tracing: true}, func(place *api.RunPlace) error {
		if place.SessionID == "" {
			return errors.New("the response has no session_id")
		}
		return checkID("run", id, place.ID)
	})
	if err != nil {
		return "", err
	}
	return found.SessionID, nil
}

// GetRunURL reads the URL of a run in the service's UI.
func (c *Client) GetRunURL(ctx context.Context, projectID, traceID, id string) (string, error) {
	found, err := fetch(ctx, c, request{
		method: http.MethodGet, path: pathTo(readRunsPath, id, "url"), tracing: true,
		query: url.Values{"project_id": {projectID}, "trace_id": {traceID}},
	}, func(found *api.RunURL) error {
		if found.URL == "" {
			return errors.New("the response has no url")
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return found.URL, nil
}

// runsPath is the path at which runs are logged.
const runsPath = tracingPrefix + "/runs"

// LogRun logs a complete run. The caller sets its ID, so that a repeated request doesn't log it twice: a service that notices
// answers 409, which is not an error. After a refusal, which may come from something in front of
// the service, it searches for the run, like a create for its object.
func (c *Client) LogRun(ctx context.Context, run api.RunIngest) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: runsPath, body: run, tracing: true, repeatable: true})
	pauses := pausesAfter(err)
	switch {
	case isReceived(err):
		return nil
	case pauses == nil || IsAmbiguous(err):
		return err
	}
	ctx, cancel := c.WithGrace(ctx)
	defer cancel()
	for _, wait := range pauses {
		_ = c.sleep(ctx, wait) // Its error is the context's, with which the next request fails.
		if _, unread := c.FindRunProject(ctx, run.ID); unread == nil {
			return nil
		}
	}
	if refused, ok := errors.AsType[*Error](err); ok && !isRefusal(err) {
		refused.Doubt = "It may still appear, with the ID " + run.ID + ": look for it before you log it again."
	}
	return err
}

// isReceived reports whether the service already has the run, from an attempt whose reply was lost.
func isReceived(err error) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Status == http.StatusConflict && strings.Contains(refused.Detail, "already received")
}

// RunStats reads statistics of the runs that match a query.
func (c *Client) RunStats(ctx context.Context, query api.RunStatsQuery) (*api.RunStats, error) {
	type answered struct {
		api.RunStats
		RunCount *int64 `json:"run_count"`
	}
	stats, err := readStats(ctx, c, query, func(s *answered) *int64 { return s.RunCount })
	if err != nil {
		return nil, err
	}
	stats.RunStats.RunCount = *stats.RunCount
	return &stats.RunStats, nil
}

// RunCostStats reads statistics of the costs of the runs that match a query.
func (c *Client) RunCostStats(ctx context.Context, query api.RunStatsQuery) (*api.RunCostStats, error) {
	query.Select = []string{"run_count", "cost_incomplete_run_count", "cost_unchecked_run_count"}
	return readStats(ctx, c, query, func(s *api.RunCostStats) *int64 { return s.RunCount })
}

// readStats reads statistics in one of their forms. Every field may be missing but the number of runs, which identifies a valid response.
func readStats[T any](ctx context.Context, c *Client, query api.RunStatsQuery, runs func(*T) *int64) (*T, error) {
	return fetch(ctx, c, request{
		method: http.MethodPost, path: runsPath + "/stats", body: query, tracing: true, repeatable: true,
	}, func(s *T) error {
		if n := runs(s); n == nil || *n < 0 {
			return errors.New("the response has no run_count, or a negative one")
		}
		return nil
	})
}
