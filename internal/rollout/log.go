package rollout

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// How much of a log is told of a rollout that failed.
const (
	logLines = 20
	logBytes = 4 << 10
)

// LogTail gives the last lines of the log of a revision that failed, oldest first, as the service wrote them but for the
// values of secrets under the context. There are none where the service offers no log.
func (r *Rollout) LogTail(ctx context.Context) ([]string, error) {
	for _, logType := range logsOf(r.Revision.Status) {
		entries, err := r.Client.RevisionLogs(ctx, r.DeploymentID, r.Revision.ID, logType, logLines)
		if err != nil {
			return nil, err
		}
		if len(entries) > 0 {
			return tail(logType, entries), nil
		}
	}
	return nil, nil
}

// tail are the last entries that fit. The newest is always told, if only its beginning.
func tail(logType api.LogType, entries []api.LogEntry) []string {
	var lines []string
	room := logBytes
	for i := range entries {
		entry := entries[len(entries)-1-i]
		line := fmt.Sprintf("%s log: %s %s", logType, entry.Level, strings.TrimRight(entry.Message, "\r\n"))
		if len(line) > room {
			if len(lines) > 0 {
				break
			}
			line = strings.ToValidUTF8(line[:room], "") + "…"
		}
		room -= len(line)
		lines = append([]string{line}, lines...)
	}
	return lines
}

// logsOf are the logs to look at, the likeliest first: what failed before it was deployed says why in the build's, and
// what never got as far as being built says nothing there.
func logsOf(status api.RevisionStatus) []api.LogType {
	if status == api.RevisionDeployFailed {
		return []api.LogType{api.LogTypeDeploy, api.LogTypeBuild}
	}
	return []api.LogType{api.LogTypeBuild, api.LogTypeDeploy}
}
