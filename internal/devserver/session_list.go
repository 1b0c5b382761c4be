package devserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// sessionStats says that statistics are wanted, and of which runs.
type sessionStats struct{ from *time.Time }

// sessionStats reads the parameters; nil when no statistics are wanted.
func (p *params) sessionStats() *sessionStats {
	with := p.flag("include_stats")
	text := p.text("stats_start_time")
	var stats sessionStats
	if text != nil {
		from, err := llmrun.ParseTime(*text)
		if err != nil {
			p.add("stats_start_time", "datetime_parsing", "Input should be a valid datetime, "+err.Error())
		}
		stats.from = &from
	}
	if !with {
		return nil
	}
	return &stats
}

// sessionFigures are the statistics that projects have. Their costs are texts, unlike those of runs.
var sessionFigures = []string{
	"run_count", "latency_p50", "latency_p99", "first_token_p50", "first_token_p99", "total_tokens", "prompt_tokens",
	"completion_tokens", "last_run_start_time", "error_rate", "streaming_rate", "feedback_stats", "run_facets",
}

// describeSession is a project as it is answered: with statistics of its root runs, which stand for their traces.
func (c *call) describeSession(row store.Project, with *sessionStats) (map[string]any, error) {
	fields, _ := complete(reflect.ValueOf(newTracingProject(row)), api.Neutral).(map[string]any) // That is what a struct becomes.
	if row.Extra == nil {
		fields["extra"] = nil
	}
	if with == nil {
		return fields, nil
	}
	root := true
	stats, err := c.stats(store.RunFilter{WorkspaceID: c.workspaceID, ProjectIDs: []string{row.ID}, Root: &root, From: with.from})
	if err != nil {
		return nil, err
	}
	figures := statsFields(stats)
	for _, name := range sessionFigures {
		fields[name] = figures[name]
	}
	for name, cost := range map[string]*json.Number{
		"total_cost": stats.TotalCost, "prompt_cost": stats.PromptCost, "completion_cost": stats.CompletionCost,
	} {
		fields[name] = (*string)(cost)
	}
	return fields, nil
}

func newTracingProject(row store.Project) api.TracingProject {
	p := api.TracingProject{
		ID: row.ID, TenantID: row.WorkspaceID, Name: row.Name, StartTime: dateTime(row.StartTime), Description: row.Description,
		ReferenceDatasetID: row.ReferenceDatasetID,
	}
	if row.EndTime != nil {
		ended := dateTime(*row.EndTime)
		p.EndTime = &ended
	}
	if row.Extra != nil {
		_ = json.Unmarshal([]byte(*row.Extra), &p.Extra) // An object was stored.
	}
	return p
}

// listSessions answers a bare array; no project of the name is an empty one, not a 404.
func listSessions(c *call) (answer, error) {
	p := newParams(c.request)
	f := store.ProjectFilter{Name: p.text("name"), NameContains: p.text("name_contains"), ReferenceDatasetID: p.id("reference_dataset")}
	if ids := p.query["id"]; len(ids) > 0 {
		f.IDs = p.uuids("id", ids)
	}
	if p.text("reference_free") != nil {
		free := p.flag("reference_free")
		f.ReferenceFree = &free
	}
	metadata := p.metadata()
	sorting := p.oneOf("sort_by", sortedKeys(sessionOrders))
	descending := p.text("sort_by_desc") == nil || p.flag("sort_by_desc")
	with := p.sessionStats()
	window := store.Page{Limit: p.integer("limit", 100, 1, 100), Offset: p.integer("offset", 0, 0, 0)}
	if err := p.err(); err != nil {
		return answer{}, err
	}
	rows, err := c.tx.Projects(c.workspaceID, f)
	if err != nil {
		return answer{}, err
	}
	rows = slices.DeleteFunc(rows, func(row store.Project) bool { return !hasMetadata(row, metadata) })
	total := len(rows)
	order := sessionOrders["start_time"]
	if sorting != nil {
		order = sessionOrders[*sorting]
	}
	sorted := make([]sortedSession, total)
	for i, row := range rows {
		sorted[i].row = row
		var sortBy *sessionStats // Statistics of what is not on the page are needed to sort by them only.
		if order.stats {
			sortBy = &sessionStats{}
		}
		if sorted[i].fields, err = c.describeSession(row, sortBy); err != nil {
			return answer{}, err
		}
	}
	order.sort(sorted, descending)
	page := []map[string]any{}
	for _, s := range sorted[min(window.Offset, total):min(window.Offset+window.Limit, total)] {
		fields, err := c.describeSession(s.row, with)
		if err != nil {
			return answer{}, err
		}
		page = append(page, fields)
	}
	a := ok(page)
	a.header = http.Header{"X-Pagination-Total": {strconv.Itoa(total)}}
	return a, nil
}

// sortedSession is a project with the fields that it is sorted by.
type sortedSession struct {
	row    store.Project
	fields map[string]any
}

// sessionOrder is what projects can be sorted by.
type sessionOrder struct {
	field string
	stats bool // It is a statistic.
}

var sessionOrders = map[string]sessionOrder{
	"start_time": {"start_time", false}, "name": {"name", false}, "last_run_start_time": {"last_run_start_time", true},
	"latency_p50": {"latency_p50", true}, "latency_p99": {"latency_p99", true}, "error_rate": {"error_rate", true},
	"runs_count": {"run_count", true},
}

// sort keeps the newest first of those that are equal. What has no value comes last.
func (o sessionOrder) sort(projects []sortedSession, descending bool) {
	slices.SortStableFunc(projects, func(a, b sortedSession) int {
		left, right := a.fields[o.field], b.fields[o.field]
		switch {
		case left == nil || right == nil:
			return cmp.Compare(boolNumber(left == nil), boolNumber(right == nil))
		case descending:
			return compareValues(right, left)
		default:
			return compareValues(left, right)
		}
	})
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareValues compares two values of one field.
func compareValues(a, b any) int {
	switch left := a.(type) {
	case string:
		right, _ := b.(string)
		return cmp.Compare(left, right)
	case int64:
		right, _ := b.(int64)
		return cmp.Compare(left, right)
	case float64:
		right, _ := b.(float64)
		return cmp.Compare(left, right)
	default:
		return 0
	}
}

// metadata reads the parameter by that name: a JSON object that the metadata of projects has to contain.
func (p *params) metadata() map[string]json.RawMessage {
	text := p.text("metadata")
	if text == nil || *text == "" {
		return nil
	}
	var wanted map[string]json.RawMessage
	if err := json.Unmarshal([]byte(*text), &wanted); err != nil {
		p.add("metadata", "json_invalid", "Input should be a JSON object: "+err.Error())
	}
	return wanted
}

func hasMetadata(row store.Project, wanted map[string]json.RawMessage) bool {
	if len(wanted) == 0 {
		return true
	}
	var extra struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if row.Extra == nil || json.Unmarshal([]byte(*row.Extra), &extra) != nil {
		return false
	}
	for key, value := range wanted {
		if !bytes.Equal(bytes.TrimSpace(extra.Metadata[key]), bytes.TrimSpace(value)) {
			return false
		}
	}
	return true
}
