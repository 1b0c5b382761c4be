package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// RevisionFilter filters a list of revisions; empty fields match everything.
type RevisionFilter struct {
	Statuses []api.RevisionStatus
	// Limit is the maximum number of revisions, newest first.
	Limit int
}

// ListRevisions lists the revisions of a deployment, newest first.
func (c *Client) ListRevisions(
	ctx context.Context, deploymentID string, f RevisionFilter,
) iter.Seq2[api.Revision, error] {
	query := url.Values{}
	if len(f.Statuses) > 0 {
		names := make([]string, len(f.Statuses))
		for i, status := range f.Statuses {
			names[i] = string(status)
		}
		query.Set("status", strings.Join(names, ","))
	}
	size := pageSize
	if f.Limit > 0 && len(f.Statuses) == 0 { // If the service ignores the filter, a small page may contain no match.
		size = min(f.Limit, pageSize)
	}
	list := &Pager[api.Revision]{
		client: c, path: pathTo(deploymentsPath, deploymentID, "revisions"), query: query, size: size, id: func(r api.Revision) string { return r.ID },
		match: func(r api.Revision) bool { return len(f.Statuses) == 0 || slices.Contains(f.Statuses, r.Status) },
	}
	return func(yield func(api.Revision, error) bool) {
		count := 0
		for r, err := range list.all(ctx) {
			count++
			if !yield(r, err) || count == f.Limit {
				return
			}
		}
	}
}

// GetRevision reads one revision of a deployment.
func (c *Client) GetRevision(ctx context.Context, deploymentID, revisionID string) (*api.Revision, error) {
	path := pathTo(deploymentsPath, deploymentID, "revisions", revisionID)
	revision, _, err := fetch(ctx, c, request{method: http.MethodGet, path: path}, func(r *api.Revision) error {
		if r.ID == "" || r.Status == "" {
			return errors.New("the response is not a revision: it has no id or no status")
		}
		return isAsked("revision", revisionID, r.ID)
	})
	return revision, err
}

// FindRevision is GetRevision for callers that act on a missing revision. A single wrong response must not cause that: the revision
// counts as not found only if the list agrees.
func (c *Client) FindRevision(ctx context.Context, deploymentID, revisionID string) (*api.Revision, error) {
	revision, notFound := c.GetRevision(ctx, deploymentID, revisionID)
	if !IsNotFound(notFound) {
		return revision, notFound
	}
	for listed, err := range c.ListRevisions(ctx, deploymentID, RevisionFilter{}) {
		switch {
		case IsNotFound(err):
			return nil, notFound // The deployment isn't found either.
		case err != nil:
			return nil, fmt.Errorf("%v; %w", notFound, stillUnknown(err)) //nolint:errorlint // It must not count as not found.
		case SameID(listed.ID, revisionID):
			return &listed, nil
		}
	}
	return nil, notFound
}

// InterruptRevision requests that a rollout stops, and returns the status of the response. The operation isn't documented, so no response
// proves anything: callers read the revision.
func (c *Client) InterruptRevision(ctx context.Context, deploymentID, revisionID string) (int, error) {
	a, err := c.do(ctx, request{method: http.MethodPost, path: pathTo(deploymentsPath, deploymentID, "revisions", revisionID, "interruption")})
	return a.status, err
}

// RedeployRevision makes a new revision from the source of an earlier one. Its results are those of PatchDeployment.
func (c *Client) RedeployRevision(ctx context.Context, deploymentID, revisionID string) (*api.Deployment, error) {
	path := pathTo(deploymentsPath, deploymentID, "revisions", revisionID, "redeploy")
	return c.changeDeployment(ctx, deploymentID, request{method: http.MethodPost, path: path})
}
