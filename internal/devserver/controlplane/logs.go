package controlplane

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// listRevisionLogs returns a part of a log. Lines are numbered from 1, and the offset is the number of the last line of the
// previous part, so that new lines shift nothing. Filters by time, level and text are not supported.
func (s *Service) listRevisionLogs(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	kind := p.OneOf("type", rest.Texts(api.LogTypes))
	if kind == nil {
		p.Add("type", "missing", "Field required")
	}
	order, limit := p.OneOf("order", rest.Texts(api.LogOrders)), p.Integer("limit", 50, 1, limits.LongPage)
	after := p.Integer("offset", 0, 0, 0)
	row, err := s.revision(c, p)
	if err != nil {
		return rest.Answer{}, err
	}
	lines, err := s.Log(row, c.Now, api.LogType(*kind))
	if err != nil {
		return rest.Answer{}, err
	}
	newestFirst := order != nil && *order == string(api.LogOrderDesc)
	return rest.OK(partOf(lines, newestFirst, after, limit)), nil
}

func partOf(lines []api.LogEntry, newestFirst bool, after, limit int) api.LogsResponse {
	from := min(after, len(lines))
	if newestFirst {
		lines = slices.Clone(lines)
		slices.Reverse(lines)
		from = 0
		if after > 0 {
			from = len(lines) - min(after-1, len(lines))
		}
	}
	to := min(from+limit, len(lines))
	part := api.LogsResponse{Logs: lines[from:to]}
	if to < len(lines) {
		last := to
		if newestFirst {
			last = len(lines) - to + 1
		}
		next := strconv.Itoa(last)
		part.NextOffset = &next
	}
	return part
}

// Log returns one line for each state that a revision has reached. A revision without a build has an empty build log.
func (s *Service) Log(row store.Revision, now time.Time, kind api.LogType) ([]api.LogEntry, error) {
	reached, err := s.History(row, now)
	if err != nil {
		return nil, err
	}
	lines := []api.LogEntry{}
	in := api.LogTypeDeploy
	if passes(api.Source(row.Source), api.RevisionBuilding) {
		in = api.LogTypeBuild
	}
	for _, is := range reached {
		if is.Status == api.RevisionAwaitingDeploy || is.Status == api.RevisionDeploying {
			in = api.LogTypeDeploy
		}
		if in != kind {
			continue
		}
		level, message := s.lineOf(row, is)
		lines = append(lines, api.LogEntry{
			ID:        fmt.Sprintf("%s-%s-%d", row.ID, kind, len(lines)+1),
			Timestamp: api.LogTimestamp(rest.DateTime(is.Since)),
			Level:     level,
			Message:   message,
		})
	}
	return lines, nil
}

// lineOf is the log line of a state. It depends on the revision alone, so it can't contain values of the environment.
func (s *Service) lineOf(row store.Revision, is Stage) (api.LogLevel, string) {
	switch is.Status {
	case api.RevisionQueued:
		return api.LogInfo, "Queued."
	case api.RevisionAwaitingBuild:
		return api.LogInfo, "Waiting for a builder."
	case api.RevisionBuilding:
		return api.LogInfo, "Building " + s.Artifact(row) + "."
	case api.RevisionAwaitingDeploy:
		return api.LogInfo, "Waiting for compute."
	case api.RevisionDeploying:
		return api.LogInfo, "Deploying " + s.Artifact(row) + "."
	case api.RevisionDeployed:
		return api.LogInfo, "Deployed."
	case api.RevisionSkipped:
		return api.LogWarning, "Superseded by a newer revision."
	case api.RevisionInterrupted:
		return api.LogWarning, "Interrupted."
	default: // Failures, and statuses of faults.
		if !isFinal(is.Status) {
			return api.LogWarning, "The revision is " + string(is.Status) + "."
		}
		return api.LogError, cmp.Or(is.Message, string(is.Status))
	}
}

// Artifact names what a revision is built from.
func (s *Service) Artifact(row store.Revision) string {
	switch {
	case row.ImageURI != nil:
		return *row.ImageURI
	case row.RepoRef != nil && row.RepoCommitSHA != nil:
		return *row.RepoRef + " at commit " + *row.RepoCommitSHA
	case row.RepoRef != nil:
		return *row.RepoRef
	default:
		return "the revision"
	}
}
