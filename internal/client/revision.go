package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

func revisionsPath(deploymentID string) string {
	return pathTo(deploymentsPath, deploymentID, "revisions")
}

// Revisions are the revisions of a deployment.
func (c *Client) Revisions(deploymentID string) Collection[api.Revision] {
	return Collection[api.Revision]{
		client: c, kind: kind{indefinite: "a revision"}, path: revisionsPath(deploymentID), id: func(r api.Revision) string { return r.ID },
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
	statuses := make([]string, len(f.Statuses))
	for i, status := range f.Statuses {
		statuses[i] = string(status)
	}
	size := pageSize
	if f.Limit > 0 && len(f.Statuses) == 0 { // If the service ignores the filter, a small page may contain no match.
		size = min(f.Limit, pageSize)
	}
	list := c.Revisions(deploymentID).Pages()
	list.query, list.size = parameters(map[string]string{"status": strings.Join(statuses, ",")}), size
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

// maxLogLines is the maximum that the service returns at once.
const maxLogLines = 1000

// LogRange is a part of a deployment's log.
type LogRange struct {
	// RevisionID is empty for the lines of all revisions.
	RevisionID string
	// StartTime and EndTime are date-times, or empty.
	StartTime, EndTime string
}

// RevisionLogs reads the last lines of a revision's log, at least one and at most limit or 1000, oldest first. The secrets of the
// context are masked, because builds print their environment.
func (c *Client) RevisionLogs(
	ctx context.Context, deploymentID, revisionID string, logType api.LogType, limit int,
) ([]api.LogEntry, error) {
	limit = min(max(limit, 1), maxLogLines)
	format := listFormat[api.LogEntry]{
		field: "logs", check: isLogEntry, missing: errors.New(`the response is not a log: it has no list "logs"`),
	}
	logs, err := fetchList(ctx, c, request{
		method: http.MethodGet, path: pathTo(deploymentsPath, deploymentID, "revisions", revisionID, "logs"),
		query: url.Values{"type": {string(logType)}, "order": {string(api.LogOrderDesc)}, "limit": {strconv.Itoa(limit)}},
	}, format)
	if c.Dialect().LangSmithAPI && hasNoRoute(err) { // An installation that is older than that operation calls a deployment a project.
		logs, err = fetchList(ctx, c, request{
			method: http.MethodPost, path: pathTo("/v1/projects", deploymentID, "revisions", revisionID, string(logType)+"_logs"),
			body: map[string]any{"limit": limit, "order": api.LogOrderDesc},
		}, format)
	}
	if err != nil {
		return nil, err
	}
	return shownLines(ctx, logs.items, limit), nil
}

// DeploymentLogs reads the last lines of a part of a deployment's log, as RevisionLogs does.
func (c *Client) DeploymentLogs(
	ctx context.Context, deploymentID string, logType api.LogType, part LogRange, limit int,
) ([]api.LogEntry, error) {
	limit = min(max(limit, 1), maxLogLines)
	lines, err := fetchCursored(ctx, c, limit, "lines", func(cursor string, size int) request {
		return request{method: http.MethodGet, path: "/v2/deployment-logs", query: parameters(map[string]string{
			"deployment_id": deploymentID, "log_type": strings.ToUpper(string(logType)), "sort_order": string(api.LogOrderDesc),
			"revision_id": part.RevisionID, "start_time": part.StartTime, "end_time": part.EndTime,
			"page_size": strconv.Itoa(min(size, pageSize)), "cursor": cursor,
		})}
	}, listFormat[api.LogEntry]{check: isLogEntry, missing: errors.New(`the response is not a log: it has no list "items"`)})
	if err != nil {
		return nil, err
	}
	return shownLines(ctx, lines, limit), nil
}

// shownLines returns at most limit lines, oldest first, with masked secrets. lines begins with the newest.
func shownLines(ctx context.Context, lines []api.LogEntry, limit int) []api.LogEntry {
	lines = lines[:min(limit, len(lines))]
	slices.Reverse(lines)
	hide := mask.New(mask.Secrets(ctx)...)
	for i := range lines {
		lines[i].Message = hide(lines[i].Message)
	}
	return lines
}

// isLogEntry accepts every line: none of its fields is required.
func isLogEntry(*api.LogEntry) error { return nil }
