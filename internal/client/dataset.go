package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// FindDataset reads the dataset with exactly that name. If there is none, IsNotFound is true for the error.
func (c *Client) FindDataset(ctx context.Context, name string) (*api.Dataset, error) {
	return fetchOne(ctx, c, request{method: http.MethodGet, path: tracingPrefix + "/datasets", query: url.Values{"name": {name}}, tracing: true},
		listFormat[api.Dataset]{
			check: hasKey(func(d api.Dataset) string { return d.ID }), missing: errors.New("the response is not a list of datasets"),
		},
		func(d api.Dataset) bool { return d.Name == name }, fmt.Sprintf("there is no dataset named %q", name))
}

// NewestExperiment reads the experiment of a dataset that was started last. If there is none, IsNotFound is true for the error.
func (c *Client) NewestExperiment(ctx context.Context, datasetID string) (*api.Experiment, error) {
	query := url.Values{
		"reference_dataset": {datasetID}, "sort_by": {"start_time"}, "sort_by_desc": {"true"}, "limit": {"1"}, "include_stats": {"true"},
	}
	return fetchOne(ctx, c, request{method: http.MethodGet, path: sessionsPath, query: query, tracing: true},
		listFormat[api.Experiment]{
			check: hasKey(func(e api.Experiment) string { return e.ID }), missing: errors.New("the response is not a list of tracing projects"),
		},
		// A service that ignores the parameter lists others.
		func(e api.Experiment) bool { return api.OrEmpty(e.ReferenceDatasetID) == datasetID }, "the dataset has no experiment")
}
