package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// maxLogLines is the maximum that the service returns at once.
const maxLogLines = 1000

// RevisionLogs reads the last lines of a revision's log, at least one and at most limit or 1000, oldest first. The secrets of the
// context are masked, because builds print their environment.
func (c *Client) RevisionLogs(
	ctx context.Context, deploymentID, revisionID string, logType api.LogType, limit int,
) ([]api.LogEntry, error) {
	limit = min(max(limit, 1), maxLogLines)
	read := func(r request) (listing[api.LogEntry], response, error) {
		return fetchList(ctx, c, r, "logs", func(*api.LogEntry) error { return nil }, errNoLogs)
	}
	logs, _, err := read(logsRequest(deploymentID, revisionID, logType, limit))
	if c.Dialect().LangSmithAPI && hasNoRoute(err) {
		logs, _, err = read(projectLogsRequest(deploymentID, revisionID, logType, limit))
	}
	if err != nil {
		return nil, err
	}
	lines := logs.items[:min(limit, len(logs.items))]
	slices.Reverse(lines)
	mask := newMask(secretsIn(ctx)...)
	for i := range lines {
		lines[i].Message = mask(lines[i].Message)
	}
	return lines, nil
}

func logsRequest(deploymentID, revisionID string, logType api.LogType, limit int) request {
	path := pathTo(deploymentsPath, deploymentID, "revisions", revisionID, "logs")
	return request{method: http.MethodGet, path: path, query: url.Values{
		"type": {string(logType)}, "order": {string(api.LogOrderDesc)}, "limit": {strconv.Itoa(limit)},
	}}
}

// projectLogsRequest is the request for installations with an extended dialect that are older than the documented operation. They
// call a deployment a project.
func projectLogsRequest(deploymentID, revisionID string, logType api.LogType, limit int) request {
	path := pathTo("/v1/projects", deploymentID, "revisions", revisionID, string(logType)+"_logs")
	return request{method: http.MethodPost, path: path, body: struct {
		Limit int          `json:"limit"`
		Order api.LogOrder `json:"order"`
	}{limit, api.LogOrderDesc}}
}

var errNoLogs = errors.New(`the response is not a log: it has no list "logs"`)
