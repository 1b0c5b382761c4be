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

// FindTracingProject reads the tracing project with exactly that name. If there is none, IsNotFound is true for the error.
func (c *Client) FindTracingProject(ctx context.Context, name string) (*api.TracingProject, error) {
	r := request{method: http.MethodGet, path: sessionsPath, query: url.Values{"name": {name}}, tracing: true}
	return fetchOne(ctx, c, r, hasKey(func(p api.TracingProject) string { return p.ID }),
		errors.New("the response is not a list of tracing projects"),
		func(p api.TracingProject) bool { return p.Name == name }, // A service that ignores the parameter also lists others.
		fmt.Sprintf("there is no tracing project named %q", name))
}

// GetTracingProject reads one tracing project.
func (c *Client) GetTracingProject(ctx context.Context, id string) (*api.TracingProject, error) {
	r := request{method: http.MethodGet, path: pathTo(sessionsPath, id), tracing: true}
	project, _, err := fetch(ctx, c, r, func(p *api.TracingProject) error { return isAsked("tracing project", id, p.ID) })
	return project, err
}

// ListTracingProjects lists the tracing projects of the workspace whose name contains a text; with an empty one, all.
func (c *Client) ListTracingProjects(ctx context.Context, nameContains string) iter.Seq2[api.TracingProject, error] {
	list := &Pager[api.TracingProject]{
		client: c, path: sessionsPath, query: url.Values{}, size: pageSize, id: func(p api.TracingProject) string { return p.ID }, tracing: true,
	}
	if nameContains != "" {
		list.query.Set("name_contains", nameContains)
	}
	return list.all(ctx)
}
