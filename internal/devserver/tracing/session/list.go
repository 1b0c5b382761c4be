package session

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
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
	where      filter.Expr // Nil for no filter.
	// tagged says that only projects with certain tags are requested. Here, none has any.
	tagged bool
}

// sessionPage returns a page of projects, and their number on all pages.
func sessionPage(r Reader, workspaceID string, q sessionQuery) (page []map[string]any, total int, _ error) {
	rows, err := r.Projects(workspaceID, q.filter)
	if err != nil {
		return nil, 0, err
	}
	all := make([]listedSession, 0, len(rows))
	for _, row := range rows {
		if !q.tagged && hasMetadata(row, q.metadata) && (q.where == nil || filter.Holds(q.where, filtered{row})) {
			all = append(all, listedSession{row: row})
		}
	}
	if q.order.stats {
		if err := measureSessions(r, all, q.stats); err != nil {
			return nil, 0, err
		}
	}
	q.order.sort(all, q.descending)
	listed := store.Window(all, q.page)
	if q.stats != nil && !q.order.stats {
		if err := measureSessions(r, listed, q.stats); err != nil {
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
func measureSessions(r Reader, all []listedSession, wanted *sessionStats) (err error) {
	for i := range all {
		if all[i].stats, err = measureSession(r, all[i].row, wanted); err != nil {
			return err
		}
	}
	return nil
}

// hasMetadata reports whether the metadata of a project contains what is requested.
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

// contains reports whether one JSON value contains another, like a query of a document store: objects contain their keys,
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
