package controlplane

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// projectLogsRequest requests a part of a log.
type projectLogsRequest struct {
	Limit     api.Optional[int64]        `json:"limit,omitzero" null:"refused"`
	Order     api.Optional[api.LogOrder] `json:"order,omitzero" null:"refused"`
	Offset    api.Optional[string]       `json:"offset,omitzero" null:"refused"`
	Level     api.Optional[api.LogLevel] `json:"level,omitzero" null:"refused"`
	Query     api.Optional[string]       `json:"query,omitzero" null:"refused"`
	StartTime api.Optional[string]       `json:"start_time,omitzero" null:"refused"`
	EndTime   api.Optional[string]       `json:"end_time,omitzero" null:"refused"`
}

// query validates the request.
func (r projectLogsRequest) query() (logQuery, error) {
	var v form.Validator
	q := logQuery{limit: 50, level: (*string)(r.Level.Value), text: r.Query.Value}
	q.newestFirst = r.Order.Value != nil && *r.Order.Value == api.LogOrderDesc
	q.from, q.to = v.Time(r.StartTime.Value, form.Body("start_time")), v.Time(r.EndTime.Value, form.Body("end_time"))
	if lines, sent := r.Limit.Get(); sent {
		v.Bounds(lines, limits.LongPage, form.Body("limit"))
		q.limit = int(lines)
	}
	if offset, sent := r.Offset.Get(); sent && offset != "" {
		var err error
		if q.after, err = strconv.Atoi(offset); err != nil || q.after < 0 {
			v.Add(form.Body("offset"), "value_error", "Input should be the next_offset of another response")
		}
	}
	return q, v.Err()
}

// revisionLogs is another endpoint for a log of a revision.
func (s *Service) revisionLogs(kind api.LogType) func(*rest.Call, store.Revision, projectLogsRequest) (rest.Answer, error) {
	return func(c *rest.Call, row store.Revision, request projectLogsRequest) (rest.Answer, error) {
		return s.projectLogs(c, row, kind, request)
	}
}

// deployLogs returns those of the latest revision.
func (s *Service) deployLogs(c *rest.Call, d store.Deployment, request projectLogsRequest) (rest.Answer, error) {
	return s.projectLogs(c, d.Latest, api.LogTypeDeploy, request)
}

func (s *Service) projectLogs(c *rest.Call, row store.Revision, kind api.LogType, request projectLogsRequest) (rest.Answer, error) {
	wanted, err := request.query()
	if err != nil {
		return rest.Answer{}, err
	}
	lines, err := s.Log(row, c.Now, kind)
	return rest.OK(wanted.partOf(lines)), err
}

// logTypesOfDeployments maps the log types that listDeploymentLogs accepts, which are spelt differently there.
var logTypesOfDeployments = map[string]api.LogType{"BUILD": api.LogTypeBuild, "DEPLOY": api.LogTypeDeploy}

type deploymentLogs struct {
	Items      []api.LogEntry `json:"items"`
	NextCursor *string        `json:"next_cursor"`
}

// listDeploymentLogs returns a log of one revision, or those of all, in the order of time: the documentation doesn't say what a request
// without a revision returns.
func (s *Service) listDeploymentLogs(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	deploymentID, revisionID := p.ID("deployment_id"), p.ID("revision_id")
	if deploymentID == nil {
		p.Add("deployment_id", "missing", "Field required")
	}
	kind := p.OneOf("log_type", slices.Sorted(maps.Keys(logTypesOfDeployments)))
	wanted := newLogQuery(c, p, "sort_order", "page_size", "cursor", 20, limits.Page)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	d, err := ReadDeployment(c.Tx, c.WorkspaceID, *deploymentID)
	if err != nil {
		return rest.Answer{}, err
	}
	of := api.LogTypeDeploy
	if kind != nil {
		of = logTypesOfDeployments[*kind]
	}
	var revisions []store.Revision
	if revisionID == nil {
		revisions, err = c.Tx.Revisions(c.WorkspaceID, d.ID, store.RevisionFilter{}, store.Page{Limit: -1})
	} else {
		revisions = make([]store.Revision, 1)
		revisions[0], err = revisionWith(c, d.ID, *revisionID)
	}
	if err != nil {
		return rest.Answer{}, err
	}
	var all []api.LogEntry
	for _, row := range slices.Backward(revisions) { // The oldest first.
		lines, err := s.Log(row, c.Now, of)
		if err != nil {
			return rest.Answer{}, err
		}
		all = append(all, lines...)
	}
	slices.SortStableFunc(all, func(a, b api.LogEntry) int { return cmp.Compare(a.Timestamp, b.Timestamp) })
	part := wanted.partOf(all)
	return rest.OK(deploymentLogs{Items: part.Logs, NextCursor: part.NextOffset}), nil
}
