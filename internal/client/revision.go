package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func revisionsPath(deploymentID string) string {
	return pathTo(deploymentsPath, deploymentID, "revisions")
}

func revisionID(r api.Revision) string { return r.ID }

func (c *Client) revisions(deploymentID string) collection[api.Revision] {
	return collection[api.Revision]{
		client: c, kind: kind{indefinite: "a revision"}, path: revisionsPath(deploymentID), id: revisionID,
		list: func(ctx context.Context) iter.Seq2[api.Revision, error] {
			return func(yield func(api.Revision, error) bool) {
				for r, err := range c.ListRevisions(ctx, deploymentID, RevisionFilter{}) {
					if IsNotFound(err) || !yield(r, err) { // Without the deployment, there is no revision either.
						return
					}
				}
			}
		},
		check: func(id string) func(*api.Revision) error {
			return func(r *api.Revision) error {
				if r.ID == "" || r.Status == "" {
					return errors.New("the response is not a revision: it has no id or no status")
				}
				return checkID("revision", id, r.ID)
			}
		},
	}
}

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
	list := pages(c, revisionsPath(deploymentID), revisionID)
	list.query, list.size = query, size
	list.match = func(r api.Revision) bool { return len(f.Statuses) == 0 || slices.Contains(f.Statuses, r.Status) }
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
	return c.revisions(deploymentID).get(ctx, revisionID)
}

// FindRevision is GetRevision for callers that act on a missing revision: it counts as not found only if the list agrees.
func (c *Client) FindRevision(ctx context.Context, deploymentID, revisionID string) (*api.Revision, error) {
	return c.revisions(deploymentID).find(ctx, revisionID)
}

// RedeployRevision makes a new revision from the source of an earlier one. Its results are those of PatchDeployment.
func (c *Client) RedeployRevision(ctx context.Context, deploymentID, revisionID string) (*api.Deployment, error) {
	path := pathTo(revisionsPath(deploymentID), revisionID, "redeploy")
	return c.changeDeployment(ctx, deploymentID, request{method: http.MethodPost, path: path})
}

// InterruptRevision requests that a rollout stops, and returns the status of the response. The operation isn't documented, so no response
// proves anything: callers read the revision.
func (c *Client) InterruptRevision(ctx context.Context, deploymentID, revisionID string) (int, error) {
	path := pathTo(revisionsPath(deploymentID), revisionID, "interruption")
	answer, err := c.do(ctx, request{method: http.MethodPost, path: path})
	return answer.status, err
}
