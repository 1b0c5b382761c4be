package controlplane

import (
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// projectLogsRequest requests a part of a log. Filters by time, level and text are not supported.
type projectLogsRequest struct {
	Limit  api.Optional[int64]        `json:"limit,omitzero"`
	Order  api.Optional[api.LogOrder] `json:"order,omitzero"`
	Offset api.Optional[string]       `json:"offset,omitzero"`
}

// part validates the request and returns the requested part of the log.
func (r projectLogsRequest) part() (newestFirst bool, after, limit int, _ error) {
	var v rest.BodyValidator
	body := []api.LocStep{api.Key("body")}
	v.Choice((*string)(r.Order.Value), rest.Texts(api.LogOrders), rest.Loc(body, "order"))
	lines := int64(50)
	rest.Set(&lines, r.Limit)
	if lines < 1 || lines > 1000 {
		v.Add(rest.Loc(body, "limit"), "value_error", "Input should be 1 to 1000")
	}
	if offset, sent := r.Offset.Get(); sent && offset != "" {
		var err error
		if after, err = strconv.Atoi(offset); err != nil || after < 0 {
			v.Add(rest.Loc(body, "offset"), "value_error", "Input should be the next_offset of another response")
		}
	}
	newestFirst = r.Order.Value != nil && *r.Order.Value == api.LogOrderDesc
	return newestFirst, after, int(lines), v.Err()
}

// revisionLogs is another endpoint for a log of a revision.
func (s *Service) revisionLogs(kind api.LogType) rest.Handler {
	return func(c *rest.Call) (rest.Answer, error) {
		row, err := s.revision(c, rest.NewParams(c.Request))
		if err != nil {
			return rest.Answer{}, err
		}
		return s.projectLogs(c, row, kind)
	}
}

// deployLogs returns those of the latest revision.
func (s *Service) deployLogs(c *rest.Call) (rest.Answer, error) {
	d, err := s.deployment(c, rest.NewParams(c.Request))
	if err != nil {
		return rest.Answer{}, err
	}
	return s.projectLogs(c, d.Latest, api.LogTypeDeploy)
}

func (s *Service) projectLogs(c *rest.Call, row store.Revision, kind api.LogType) (rest.Answer, error) {
	request, err := rest.DecodeBody[projectLogsRequest](c)
	if err != nil {
		return rest.Answer{}, err
	}
	newestFirst, after, limit, err := request.part()
	if err != nil {
		return rest.Answer{}, err
	}
	lines, err := s.Log(row, c.Now, kind)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.OK(partOf(lines, newestFirst, after, limit)), nil
}

// logTypesOfDeployments maps the log types that listDeploymentLogs accepts, which are spelt differently there.
var logTypesOfDeployments = map[string]api.LogType{"BUILD": api.LogTypeBuild, "DEPLOY": api.LogTypeDeploy}

type deploymentLogs struct {
	Items      []api.LogEntry `json:"items"`
	NextCursor *string        `json:"next_cursor"`
}

// listDeploymentLogs returns a log of a revision; by default, of the latest one.
func (s *Service) listDeploymentLogs(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	deploymentID, revisionID := p.ID("deployment_id"), p.ID("revision_id")
	if deploymentID == nil {
		p.Add("deployment_id", "missing", "Field required")
	}
	kind := p.OneOf("log_type", rest.SortedKeys(logTypesOfDeployments))
	order := p.OneOf("sort_order", rest.Texts(api.LogOrders))
	size, after := p.Integer("page_size", 20, 1, limits.Page), p.Integer("cursor", 0, 0, 0)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	d, err := s.Deployment(c, *deploymentID)
	if err != nil {
		return rest.Answer{}, err
	}
	row := d.Latest
	if revisionID != nil {
		if row, err = s.revisionWith(c, d.ID, *revisionID); err != nil {
			return rest.Answer{}, err
		}
	}
	wanted := api.LogTypeDeploy
	if kind != nil {
		wanted = logTypesOfDeployments[*kind]
	}
	lines, err := s.Log(row, c.Now, wanted)
	if err != nil {
		return rest.Answer{}, err
	}
	part := partOf(lines, order != nil && *order == string(api.LogOrderDesc), after, size)
	return rest.OK(deploymentLogs{Items: part.Logs, NextCursor: part.NextOffset}), nil
}
