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
	logs, _, err := fetch(ctx, c, logsRequest(deploymentID, revisionID, logType, limit), isLog)
	if c.Dialect().LangSmithAPI && hasNoRoute(err) {
		logs, _, err = fetch(ctx, c, projectLogsRequest(deploymentID, revisionID, logType, limit), isLog)
	}
	if err != nil {
		return nil, err
	}
	lines := logs.Logs[:min(limit, len(logs.Logs))]
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

func isLog(l *api.LogsResponse) error {
	if l.Logs == nil {
		return errors.New(`the response is not a log: it has no list "logs"`)
	}
	return nil
}
