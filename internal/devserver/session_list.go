package devserver

import (
	"net/http"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

// sessionQuery is what a list of projects is asked for.
type sessionQuery struct {
	filter     store.ProjectFilter
	metadata   any // What the metadata has to contain; nil for nothing.
	order      sessionOrder
	descending bool
	page       store.Page
	stats      *sessionStats
}

func readSessionQuery(r *http.Request) (sessionQuery, error) {
	p := newParams(r)
	q := sessionQuery{
		filter: store.ProjectFilter{
			Name: p.text("name"), NameContains: p.text("name_contains"), ReferenceDatasetID: p.id("reference_dataset"),
			ReferenceFree: p.optionalFlag("reference_free"),
		},
		metadata:   p.jsonObject("metadata"),
		order:      sessionOrders["start_time"],
		descending: true,
		page:       store.Page{Limit: p.integer("limit", 100, 1, 100), Offset: p.integer("offset", 0, 0, 0)},
		stats:      readSessionStats(p),
	}
	if ids := p.values("id"); len(ids) > 0 {
		q.filter.IDs = p.uuids("id", ids)
	}
	if by := p.oneOf("sort_by", sortedKeys(sessionOrders)); by != nil {
		q.order = sessionOrders[*by]
	}
	if descending := p.optionalFlag("sort_by_desc"); descending != nil {
		q.descending = *descending
	}
	return q, p.err()
}

// listSessions answers a bare array; no project of the name is an empty one, not a 404.
func (s *tracing) listSessions(c *call) (answer, error) {
	q, err := readSessionQuery(c.request)
	if err != nil {
		return answer{}, err
	}
	rows, err := c.tx.Projects(c.workspaceID, q.filter)
	if err != nil {
		return answer{}, err
	}
	all := make([]listedSession, 0, len(rows))
	for _, row := range rows {
		if hasMetadata(row, q.metadata) {
			all = append(all, listedSession{row: row})
		}
	}
	if q.order.stats {
		if err := s.measureSessions(c, all, q.stats.start()); err != nil {
			return answer{}, err
		}
	}
	q.order.sort(all, q.descending)
	shown := all[min(q.page.Offset, len(all)):min(q.page.Offset+q.page.Limit, len(all))]
	if q.stats != nil && !q.order.stats {
		if err := s.measureSessions(c, shown, q.stats.start()); err != nil {
			return answer{}, err
		}
	}
	page := make([]map[string]any, len(shown))
	for i, s := range shown {
		if q.stats == nil {
			s.stats = nil
		}
		page[i] = newSession(s.row, s.stats)
	}
	a := ok(page)
	a.header = http.Header{"X-Pagination-Total": {strconv.Itoa(len(all))}}
	return a, nil
}

// measureSessions fills in the statistics of projects.
func (s *tracing) measureSessions(c *call, all []listedSession, from *time.Time) (err error) {
	for i := range all {
		if all[i].stats, err = s.sessionFigures(c, all[i].row, from); err != nil {
			return err
		}
	}
	return nil
}

// hasMetadata says whether the metadata of a project contains what is wanted.
func hasMetadata(row store.Project, wanted any) bool {
	if wanted == nil {
		return true
	}
	if row.Extra == nil {
		return false
	}
	extra, err := parse([]byte(*row.Extra))
	if err != nil {
		return false
	}
	object, _ := extra.(map[string]any) // Nothing else is stored.
	return contains(object["metadata"], wanted)
}

// contains says whether one JSON value contains another, as a query of a document store does: objects their keys, lists
// their elements in any order, all else only itself.
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
