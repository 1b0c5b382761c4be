package rollout

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// Limits of the part of a log that an error shows.
const (
	logLines = 20
	logBytes = 4 << 10
)

// LogTail returns the last lines of the log of a failed revision, oldest first, as the service wrote them, with the secrets
// of the context masked. It returns none if the service has no log.
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

// tail returns the last entries that fit. The newest is always included, if necessary truncated.
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

// logsOf returns the logs to read, the likeliest first. A revision that failed before it was deployed usually explains it in
// the build log, which is empty if the build never began.
func logsOf(status api.RevisionStatus) []api.LogType {
	if status == api.RevisionDeployFailed {
		return []api.LogType{api.LogTypeDeploy, api.LogTypeBuild}
	}
	return []api.LogType{api.LogTypeBuild, api.LogTypeDeploy}
}
