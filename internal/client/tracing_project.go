package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// sessionsPath is where tracing projects are; the tracing API calls them sessions.
const sessionsPath = tracingPrefix + "/sessions"

// FindTracingProject reads the tracing project of exactly that name. IsNotFound holds for the error when there is none.
func (c *Client) FindTracingProject(ctx context.Context, name string) (*api.TracingProject, error) {
	r := request{method: http.MethodGet, path: sessionsPath, query: url.Values{"name": {name}}, tracing: true}
	list, a, err := fetch(ctx, c, r, func(l *[]api.TracingProject) error {
		if *l == nil {
			return errors.New("the response is not a list of tracing projects")
		}
		return haveIDs(*l, func(p api.TracingProject) string { return p.ID })
	})
	if err != nil {
		return nil, err
	}
	for _, project := range *list {
		if project.Name == name { // Something that ignores the parameter lists others too.
			return &project, nil
		}
	}
	// The tracing API answers an empty list where every other operation answers 404, and it means the same.
	missing := a.failureWith(r, fmt.Sprintf("there is no tracing project named %q", name))
	missing.Status, missing.Attempts = http.StatusNotFound, 1
	return nil, missing
}

// GetTracingProject reads one tracing project.
func (c *Client) GetTracingProject(ctx context.Context, id string) (*api.TracingProject, error) {
	path, err := pathTo(sessionsPath, id)
	if err != nil {
		return nil, err
	}
	r := request{method: http.MethodGet, path: path, tracing: true}
	project, _, err := fetch(ctx, c, r, func(p *api.TracingProject) error {
		if p.ID == "" {
			return errors.New("the response is not a tracing project: it has no id")
		}
		return isAsked("tracing project", id, p.ID)
	})
	return project, err
}
