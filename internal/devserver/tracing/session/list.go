package session

import (
	"net/http"
	"strconv"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// sessionQuery contains the parameters of a list of projects.
type sessionQuery struct {
	filter     store.ProjectFilter
	metadata   any // What the metadata must contain; nil for no condition.
	order      sessionOrder
	descending bool
	page       store.Page
	stats      *sessionStats
	// tagged says that only projects with certain tags are requested. Here, none has any.
	tagged bool
}

func readSessionQuery(r *http.Request) (sessionQuery, error) {
	p := rest.NewParams(r)
	q := sessionQuery{
		filter: store.ProjectFilter{
			Name: p.Text("name"), NameContains: p.Text("name_contains"), ReferenceDatasetID: p.ID("reference_dataset"),
			ReferenceFree: p.OptionalFlag("reference_free"),
		},
		metadata:   p.JSONObject("metadata"),
		order:      readSessionOrder(p),
		descending: true,
		page:       store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)},
		stats:      readSessionStats(p),
	}
	if ids := p.Values("id"); len(ids) > 0 {
		q.filter.IDs = p.UUIDs("id", ids)
	}
	if descending := p.OptionalFlag("sort_by_desc"); descending != nil {
		q.descending = *descending
	}
	q.tagged = len(p.UUIDs("tag_value_id", p.Values("tag_value_id"))) > 0
	p.NoOthers()
	return q, p.Err()
}

// listSessions returns a bare array; if no project has the name, it is empty, not a 404.
func (s *Service) listSessions(c *rest.Call) (rest.Answer, error) {
	q, err := readSessionQuery(c.Request)
	if err != nil {
		return rest.Answer{}, err
	}
	page, total, err := s.sessionPage(c, q)
	if err != nil {
		return rest.Answer{}, err
	}
	a := rest.OK(page)
	a.Header = http.Header{"X-Pagination-Total": {strconv.Itoa(total)}}
	return a, nil
}

// sessionPage returns a page of projects, and their number on all pages.
func (s *Service) sessionPage(c *rest.Call, q sessionQuery) (page []map[string]any, total int, _ error) {
	rows, err := c.Tx.Projects(c.WorkspaceID, q.filter)
	if err != nil {
		return nil, 0, err
	}
	all := make([]listedSession, 0, len(rows))
	for _, row := range rows {
		if !q.tagged && hasMetadata(row, q.metadata) {
			all = append(all, listedSession{row: row})
		}
	}
	if q.order.stats {
		if err := s.measureSessions(c, all, q.stats); err != nil {
			return nil, 0, err
		}
	}
	q.order.sort(all, q.descending)
	listed := rest.Window(all, q.page)
	if q.stats != nil && !q.order.stats {
		if err := s.measureSessions(c, listed, q.stats); err != nil {
			return nil, 0, err
		}
	}
	page = make([]map[string]any, len(listed))
	for i, s := range listed {
		if q.stats == nil {
			s.stats = nil
		}
		page[i] = newSession(s.row, s.stats)
	}
	return page, len(all), nil
}

// measureSessions sets the statistics of projects.
func (s *Service) measureSessions(c *rest.Call, all []listedSession, wanted *sessionStats) (err error) {
	for i := range all {
		if all[i].stats, err = s.measureSession(c, all[i].row, wanted); err != nil {
			return err
		}
	}
	return nil
}

// hasMetadata says whether the metadata of a project contains what is requested.
func hasMetadata(row store.Project, wanted any) bool {
	if wanted == nil {
		return true
	}
	if row.Extra == nil {
		return false
	}
	extra, err := form.Parse([]byte(*row.Extra))
	if err != nil {
		return false
	}
	object, _ := extra.(map[string]any) // Nothing else is stored.
	return contains(object["metadata"], wanted)
}

// contains says whether one JSON value contains another, like a query of a document store: objects contain their keys,
// lists their elements in any order, and any other value only itself.
func contains(value, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		object, is := value.(map[string]any)
		for key, inner := range wanted {
			outer, has := object[key]
			is = is && has && contains(outer, inner)
		}
		return is
	case []any:
		list, is := value.([]any)
		for _, inner := range wanted {
			is = is && containsElement(list, inner)
		}
		return is
	default:
		return value == wanted
	}
}

func containsElement(list []any, wanted any) bool {
	for _, element := range list {
		if contains(element, wanted) {
			return true
		}
	}
	return false
}
