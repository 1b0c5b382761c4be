package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// sessionsPath is the path of tracing projects; the tracing API calls them sessions.
const sessionsPath = tracingPrefix + "/sessions"

// TracingProjects are the tracing projects of the workspace.
func (c *Client) TracingProjects() Collection[api.TracingProject] {
	return Collection[api.TracingProject]{
		client: c, kind: kind{indefinite: "a tracing project"}, path: sessionsPath, tracing: true, id: func(p api.TracingProject) string { return p.ID },
	}
}

// ListTracingProjects lists the tracing projects of the workspace whose name contains a text; with an empty one, all.
func (c *Client) ListTracingProjects(ctx context.Context, nameContains string) iter.Seq2[api.TracingProject, error] {
	list := c.TracingProjects().Pages()
	list.query = parameters(map[string]string{"name_contains": nameContains})
	return list.all(ctx)
}

// FindTracingProject reads the tracing project with exactly that name. If there is none, IsNotFound is true for the error.
func (c *Client) FindTracingProject(ctx context.Context, name string) (*api.TracingProject, error) {
	return fetchOne(ctx, c, request{method: http.MethodGet, path: sessionsPath, query: url.Values{"name": {name}}, tracing: true},
		listFormat[api.TracingProject]{
			check: hasKey(c.TracingProjects().id), missing: errors.New("the response is not a list of tracing projects"),
		},
		func(p api.TracingProject) bool { return p.Name == name }, // A service that ignores the parameter also lists others.
		fmt.Sprintf("there is no tracing project named %q", name))
}

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
