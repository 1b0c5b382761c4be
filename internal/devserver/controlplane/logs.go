package controlplane

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// listRevisionLogs returns a part of a log.
func (s *Service) listRevisionLogs(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	kind := p.OneOf("type", form.Texts(api.LogTypes))
	if kind == nil {
		p.Add("type", "missing", "Field required")
	}
	wanted := newLogQuery(c, p, "order", "limit", "offset", 50, limits.LongPage)
	row, err := revision(c, p)
	if err != nil {
		return rest.Answer{}, err
	}
	lines, err := s.Log(row, c.Now, api.LogType(*kind))
	return rest.OK(wanted.partOf(lines)), err
}

// logQuery selects a part of a log. Lines are numbered from 1, whatever is filtered, and after is the number of the last line of
// the previous part, so that new lines shift nothing.
type logQuery struct {
	newestFirst  bool
	after, limit int
	level, text  *string    // A line has this level, and contains this text in any case.
	from, to     *time.Time // Both included.
	ofRun        bool       // Only lines of one run: rollouts have none.
}

func newLogQuery(c *rest.Call, p *rest.Params, order, limit, after string, usual, most int) logQuery {
	first := p.OneOf(order, form.Texts(api.LogOrders))
	q := logQuery{
		newestFirst: first != nil && *first == string(api.LogOrderDesc),
		limit:       p.Integer(limit, usual, 1, most),
		after:       p.Integer(after, 0, 0, 0),
	}
	if c.Dialect.LangSmithAPI {
		q.level, q.text = p.OneOf("level", form.Texts(api.LogLevels)), p.Text("query")
		q.from, q.to = p.Time("start_time"), p.Time("end_time")
		q.ofRun = p.Text("run_id") != nil
	}
	return q
}

func (q logQuery) matches(line api.LogEntry) bool {
	at, _ := time.Parse(time.RFC3339, string(line.Timestamp)) // As Log has written it.
	return !q.ofRun && (q.level == nil || *q.level == string(line.Level)) && (q.from == nil || !at.Before(*q.from)) && (q.to == nil || !at.After(*q.to)) &&
		(q.text == nil || strings.Contains(strings.ToLower(line.Message), strings.ToLower(*q.text)))
}

func (q logQuery) partOf(lines []api.LogEntry) api.LogsResponse {
	part, last := api.LogsResponse{Logs: []api.LogEntry{}}, 0
	for i := range lines {
		n := i + 1
		if q.newestFirst {
			n = len(lines) - i
		}
		passed := q.after > 0 && (n == q.after || n < q.after != q.newestFirst)
		if passed || !q.matches(lines[n-1]) {
			continue
		}
		if len(part.Logs) == q.limit {
			next := strconv.Itoa(last)
			part.NextOffset = &next
			break
		}
		part.Logs, last = append(part.Logs, lines[n-1]), n
	}
	return part
}

// Log returns one line for each state that a revision has reached since it was QUEUED. A revision without a build has an empty build log.
func (s *Service) Log(row store.Revision, now time.Time, kind api.LogType) ([]api.LogEntry, error) {
	reached, err := s.History(row, now)
	if err != nil {
		return nil, err
	}
	lines := []api.LogEntry{}
	in := api.LogTypeDeploy
	if passes(steps[api.Source(row.Source)], api.RevisionBuilding) {
		in = api.LogTypeBuild
	}
	for _, is := range reached {
		if is.Status == api.RevisionAwaitingDeploy || is.Status == api.RevisionDeploying {
			in = api.LogTypeDeploy
		}
		if in != kind || is.Status == api.RevisionCreating {
			continue
		}
		level, message := lineOf(row, is)
		lines = append(lines, api.LogEntry{
			ID:        fmt.Sprintf("%s-%s-%d", row.ID, kind, len(lines)+1),
			Timestamp: api.LogTimestamp(form.DateTime(is.Since)),
			Level:     level,
			Message:   message,
		})
	}
	return lines, nil
}

// lineOf is the log line of a state. It depends on the revision alone, so it can't contain values of the environment.
func lineOf(row store.Revision, is Stage) (api.LogLevel, string) {
	switch is.Status {
	case api.RevisionQueued:
		return api.LogInfo, "Queued."
	case api.RevisionAwaitingBuild:
		return api.LogInfo, "Waiting for a builder."
	case api.RevisionBuilding:
		return api.LogInfo, "Building " + Artifact(row) + commands(row) + "."
	case api.RevisionAwaitingDeploy:
		return api.LogInfo, "Waiting for compute."
	case api.RevisionDeploying:
		return api.LogInfo, "Deploying " + Artifact(row) + "."
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

// commands names those that a revision was built with.
func commands(row store.Revision) string {
	text := ""
	if row.InstallCommand != nil {
		text += ", installing with " + *row.InstallCommand
	}
	if row.BuildCommand != nil {
		text += ", building with " + *row.BuildCommand
	}
	return text
}

// Artifact names what a revision is built from.
func Artifact(row store.Revision) string {
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
