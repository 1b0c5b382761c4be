package devserver

import (
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// projectLogsRequest asks for a part of a log. Filters by time, level and text are not offered.
type projectLogsRequest struct {
	Limit  api.Optional[int64]        `json:"limit,omitzero"`
	Order  api.Optional[api.LogOrder] `json:"order,omitzero"`
	Offset api.Optional[string]       `json:"offset,omitzero"`
}

// part checks the request and says which part of the log it wants.
func (r projectLogsRequest) part() (newestFirst bool, after, limit int, _ error) {
	var f form
	body := []api.LocStep{api.Key("body")}
	f.choice((*string)(r.Order.Value), texts(api.LogOrders), in(body, "order"))
	lines := int64(50)
	set(&lines, r.Limit)
	if lines < 1 || lines > 1000 {
		f.add(in(body, "limit"), "value_error", "Input should be 1 to 1000")
	}
	if offset, sent := r.Offset.Get(); sent && offset != "" {
		var err error
		if after, err = strconv.Atoi(offset); err != nil || after < 0 {
			f.add(in(body, "offset"), "value_error", "Input should be the next_offset of another answer")
		}
	}
	newestFirst = r.Order.Value != nil && *r.Order.Value == api.LogOrderDesc
	return newestFirst, after, int(lines), f.err()
}

// revisionLogs is another way to read a log of a revision.
func (s *controlPlane) revisionLogs(kind api.LogType) handler {
	return func(c *call) (answer, error) {
		row, err := s.revision(c, newParams(c.request))
		if err != nil {
			return answer{}, err
		}
		return s.projectLogs(c, row, kind)
	}
}

// deployLogs are those of the latest revision.
func (s *controlPlane) deployLogs(c *call) (answer, error) {
	d, err := s.deployment(c, newParams(c.request))
	if err != nil {
		return answer{}, err
	}
	return s.projectLogs(c, d.Latest, api.LogTypeDeploy)
}

func (s *controlPlane) projectLogs(c *call, row store.Revision, kind api.LogType) (answer, error) {
	request, err := decodeBody[projectLogsRequest](c)
	if err != nil {
		return answer{}, err
	}
	newestFirst, after, limit, err := request.part()
	if err != nil {
		return answer{}, err
	}
	lines, err := s.logOf(row, c.now, kind)
	if err != nil {
		return answer{}, err
	}
	return ok(partOf(lines, newestFirst, after, limit)), nil
}

// logTypesOfDeployments are the logs that listDeploymentLogs knows, in its own spelling.
var logTypesOfDeployments = map[string]api.LogType{"BUILD": api.LogTypeBuild, "DEPLOY": api.LogTypeDeploy}

type deploymentLogs struct {
	Items      []api.LogEntry `json:"items"`
	NextCursor *string        `json:"next_cursor"`
}

// listDeploymentLogs answers a log of a revision, the latest one where none is named.
func (s *controlPlane) listDeploymentLogs(c *call) (answer, error) {
	p := newParams(c.request)
	deploymentID, revisionID := p.id("deployment_id"), p.id("revision_id")
	if deploymentID == nil {
		p.add("deployment_id", "missing", "Field required")
	}
	kind := p.oneOf("log_type", sortedKeys(logTypesOfDeployments))
	order := p.oneOf("sort_order", texts(api.LogOrders))
	size, after := p.integer("page_size", 20, 1, 100), p.integer("cursor", 0, 0, 0)
	if err := p.err(); err != nil {
		return answer{}, err
	}
	d, err := s.Deployment(c, *deploymentID)
	if err != nil {
		return answer{}, err
	}
	row := d.Latest
	if revisionID != nil {
		if row, err = s.revisionWith(c, d.ID, *revisionID); err != nil {
			return answer{}, err
		}
	}
	wanted := api.LogTypeDeploy
	if kind != nil {
		wanted = logTypesOfDeployments[*kind]
	}
	lines, err := s.logOf(row, c.now, wanted)
	if err != nil {
		return answer{}, err
	}
	part := partOf(lines, order != nil && *order == string(api.LogOrderDesc), after, size)
	return ok(deploymentLogs{Items: part.Logs, NextCursor: part.NextOffset}), nil
}
