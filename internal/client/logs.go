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

// maxLogLines is the most that the service gives at once.
const maxLogLines = 1000

// RevisionLogs reads the last lines of a revision's log, at least one and at most limit or 1000, the newest last.
// The secrets of the context are masked in them: builds print their environment.
func (c *Client) RevisionLogs(
	ctx context.Context, deploymentID, revisionID string, logType api.LogType, limit int,
) ([]api.LogEntry, error) {
	path, err := revisionPath(deploymentID, revisionID)
	if err != nil {
		return nil, err
	}
	limit = min(max(limit, 1), maxLogLines)
	logs, _, err := fetch(ctx, c, request{method: http.MethodGet, path: path + "/logs", query: url.Values{
		"type": {string(logType)}, "order": {string(api.LogOrderDesc)}, "limit": {strconv.Itoa(limit)},
	}}, func(l *api.LogsResponse) error {
		if l.Logs == nil {
			return errors.New(`the answer is not a log: it has no list "logs"`)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	lines := logs.Logs[:min(limit, len(logs.Logs))]
	slices.Reverse(lines)
	for i := range lines {
		lines[i].Message = Mask(ctx, lines[i].Message)
	}
	return lines, nil
}
