package api

import (
	"encoding/json"
	"fmt"
	"time"
)

// RevisionStatus is the state of one rollout.
type RevisionStatus string

// The states of a revision. According to the specification, DEPLOYED means success and every failure contains FAILED;
// the service may return newer states than these.
const (
	RevisionCreating       RevisionStatus = "CREATING"
	RevisionQueued         RevisionStatus = "QUEUED"
	RevisionAwaitingBuild  RevisionStatus = "AWAITING_BUILD"
	RevisionBuilding       RevisionStatus = "BUILDING"
	RevisionAwaitingDeploy RevisionStatus = "AWAITING_DEPLOY"
	RevisionDeploying      RevisionStatus = "DEPLOYING"
	RevisionDeployed       RevisionStatus = "DEPLOYED"
	RevisionCreateFailed   RevisionStatus = "CREATE_FAILED"
	RevisionBuildFailed    RevisionStatus = "BUILD_FAILED"
	RevisionDeployFailed   RevisionStatus = "DEPLOY_FAILED"
	// RevisionSkipped means superseded by a newer revision before it was deployed.
	RevisionSkipped     RevisionStatus = "SKIPPED"
	RevisionInterrupted RevisionStatus = "INTERRUPTED"
	RevisionUnknown     RevisionStatus = "UNKNOWN"
)

// RevisionStatuses lists every RevisionStatus.
var RevisionStatuses = []RevisionStatus{
	RevisionCreating, RevisionQueued, RevisionAwaitingBuild, RevisionBuilding, RevisionAwaitingDeploy, RevisionDeploying,
	RevisionDeployed, RevisionCreateFailed, RevisionBuildFailed, RevisionDeployFailed, RevisionSkipped,
	RevisionInterrupted, RevisionUnknown,
}

// Revision is one rollout of a deployment. The specification documents ID, status and the source revision config; installations
// are known to return the rest.
type Revision struct {
	ID                   string               `json:"id" format:"uuid"`
	CreatedAt            string               `json:"created_at"`
	UpdatedAt            string               `json:"updated_at"`
	Status               RevisionStatus       `json:"status"`
	Source               Source               `json:"source"`
	SourceRevisionConfig SourceRevisionConfig `json:"source_revision_config"`
	// StatusMessage is the reason for a failure, if the service gives one.
	StatusMessage *string `json:"status_message"`
}

// LogType selects one of a revision's logs.
type LogType string

// The logs of a revision.
const (
	LogTypeBuild  LogType = "build"
	LogTypeDeploy LogType = "deploy"
)

// LogTypes lists every LogType.
var LogTypes = []LogType{LogTypeBuild, LogTypeDeploy}

// LogLevel is the severity of a line.
type LogLevel string

// The levels of a line.
const (
	LogDebug    LogLevel = "DEBUG"
	LogInfo     LogLevel = "INFO"
	LogWarning  LogLevel = "WARNING"
	LogError    LogLevel = "ERROR"
	LogCritical LogLevel = "CRITICAL"
)

// LogLevels lists every LogLevel.
var LogLevels = []LogLevel{LogDebug, LogInfo, LogWarning, LogError, LogCritical}

// LogOrder is the order in which lines are read.
type LogOrder string

// The orders of lines: oldest first, which is the default, and newest first.
const (
	LogOrderAsc  LogOrder = "asc"
	LogOrderDesc LogOrder = "desc"
)

// LogOrders lists every LogOrder.
var LogOrders = []LogOrder{LogOrderAsc, LogOrderDesc}

// LogsResponse is a part of a log.
type LogsResponse struct {
	Logs []LogEntry `json:"logs"`
	// NextOffset is the offset of the next part; nil if there is none.
	NextOffset *string `json:"next_offset"`
}

// LogEntry is one line of a log.
type LogEntry struct {
	ID        string       `json:"id"`
	Timestamp LogTimestamp `json:"timestamp"`
	Level     LogLevel     `json:"level"`
	Message   string       `json:"message"`
}

// LogTimestamp is a date-time. Some installations write milliseconds since 1970 instead.
type LogTimestamp string

// UnmarshalJSON converts milliseconds into a date-time, and keeps a string unchanged.
func (t *LogTimestamp) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(t))
	}
	var milliseconds *float64
	if err := json.Unmarshal(data, &milliseconds); err != nil {
		return fmt.Errorf("timestamp %s is neither a text nor a number: %w", data, err)
	}
	*t = ""
	if milliseconds != nil {
		*t = LogTimestamp(time.UnixMilli(int64(*milliseconds)).UTC().Format(time.RFC3339Nano))
	}
	return nil
}
