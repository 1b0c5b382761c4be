package session

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

func readSessionQuery(p *rest.Params) (sessionQuery, error) {
	q := sessionQuery{
		filter: store.ProjectFilter{
			Name: p.Text("name"), NameContains: p.Text("name_contains"), ReferenceFree: p.OptionalFlag("reference_free"),
			ReferenceDatasetIDs: p.UUIDs("reference_dataset", p.Values("reference_dataset")), IDs: p.UUIDs("id", p.Values("id")),
		},
		metadata:   p.JSONObject("metadata"),
		order:      readSessionOrder(p),
		descending: true,
		page:       store.Page{Limit: p.Integer("limit", limits.Page, 1, limits.Page), Offset: p.Integer("offset", 0, 0, 0)},
		stats:      readSessionStats(p),
	}
	if descending := p.OptionalFlag("sort_by_desc"); descending != nil {
		q.descending = *descending
	}
	var err error
	if q.where, err = run.ParseFilter(p.Text("filter"), filter.ParseSession); err != nil {
		p.Add("filter", "value_error", err.Error())
	}
	q.tagged = len(p.UUIDs("tag_value_id", p.Values("tag_value_id"))) > 0
	return q, p.Err()
}

// listSessions returns a bare array; if no project has the name, it is empty, not a 404.
func listSessions(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	p.Ignore("dataset_version") // Datasets have only one.
	q, err := readSessionQuery(p)
	if err != nil {
		return rest.Answer{}, err
	}
	page, total, err := sessionPage(c.Tx, c.WorkspaceID, q)
	if err != nil {
		return rest.Answer{}, err
	}
	a := rest.OK(page)
	a.Header = http.Header{"X-Pagination-Total": {strconv.Itoa(total)}}
	return a, nil
}

// readSessionOrder reads the sort field: by default, start_time.
func readSessionOrder(p *rest.Params) sessionOrder {
	key := p.Text("sort_by_feedback_key")
	source := p.OneOf("sort_by_feedback_source", []string{"session", "run"})
	by := p.OneOf("sort_by", append(slices.Sorted(maps.Keys(sessionOrders)), "feedback"))
	switch {
	case by == nil:
		return sessionOrders["start_time"]
	case *by != "feedback":
		return sessionOrders[*by]
	case api.OrEmpty(key) == "":
		p.Add("sort_by_feedback_key", "missing", "Field required to sort by feedback")
		return sessionOrder{}
	}
	return orderByFeedback(*key, source != nil && *source == "session")
}

// readSessionStats reads the parameters; nil if no statistics are requested.
func readSessionStats(p *rest.Params) *sessionStats {
	stats := sessionStats{from: p.AnyTime("stats_start_time"), selects: p.Values("stats_select"), facets: p.Flag("facets")}
	p.Flag("use_approx_stats") // Exact statistics satisfy it, too.
	metrics := run.Selectable()
	for _, name := range stats.selects {
		if !slices.Contains(metrics, name) {
			p.Add("stats_select", form.EnumError, name+": not a metric; the metrics are "+strings.Join(metrics, ", "))
		}
	}
	var err error
	if stats.where, err = run.ParseFilter(p.Text("stats_filter"), filter.Parse); err != nil {
		p.Add("stats_filter", "value_error", err.Error())
	}
	if !p.Flag("include_stats") && !stats.facets {
		return nil
	}
	return &stats
}

// sessionParams maps the parameters of version 2 to their names in version 1.
var sessionParams = map[string]string{
	"id": "id", "name": "name", "name_contains": "name_contains", "metadata": "metadata", "reference_dataset_id": "reference_dataset",
	"include_stats": "include_stats", "include_facets": "facets", "stats_select": "stats_select", "stats_filter": "stats_filter",
	"stats_start_time": "stats_start_time", "use_approx_stats": "use_approx_stats", "tag_value_id": "tag_value_id", "page_size": "limit",
	"cursor": "offset", "sort_by": "sort_by", "sort_by_feedback_key": "sort_by_feedback_key", "sort_by_feedback_source": "sort_by_feedback_source",
}

// sessionTypes are the types of projects. Here, those of agents have the first one.
var sessionTypes = []string{projectType, "AGENT", experimentType}

const projectType, experimentType = "PROJECT", "EXPERIMENT"

// listSessionsV2 returns pages. The cursor is the number of projects on previous pages.
func listSessionsV2(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	first := url.Values{}
	p.Ignore("dataset_version")
	for name, called := range sessionParams {
		if values := p.Values(name); len(values) > 0 {
			first[called] = values
		}
	}
	for _, name := range []string{"sort_by", "sort_by_feedback_source"} { // Upper case here, but not in version 1.
		if value := first.Get(name); value != "" {
			first.Set(name, strings.ToLower(value))
		}
	}
	if order := p.OneOf("sort_order", []string{"asc", "desc"}); order != nil {
		first.Set("sort_by_desc", strconv.FormatBool(*order == "desc"))
	}
	types := p.Values("type")
	for _, name := range types {
		if !slices.Contains(sessionTypes, name) {
			p.Add("type", form.EnumError, "Input should be one of "+strings.Join(sessionTypes, ", "))
		}
	}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	q, err := readSessionQuery(rest.NewParams(&http.Request{URL: &url.URL{RawQuery: first.Encode()}}))
	if err != nil {
		return rest.Answer{}, err
	}
	page := run.ItemsAnswer{Items: []map[string]any{}}
	if !q.ofTypes(types) {
		return rest.OK(page.Body()), nil
	}
	items, total, err := sessionPage(c.Tx, c.WorkspaceID, q)
	if err != nil {
		return rest.Answer{}, err
	}
	page.Items = items
	for _, item := range page.Items {
		tier := "LONG_LIVED"
		if item["trace_tier"] == ShortLived {
			tier = "SHORT_LIVED"
		}
		item["type"], item["trace_tier"] = projectType, tier
		if dataset, _ := item["reference_dataset_id"].(string); dataset != "" {
			item["type"] = experimentType
		}
		for _, cost := range []string{"total_cost", "prompt_cost", "completion_cost"} {
			if text, _ := item[cost].(*string); text != nil {
				item[cost] = json.Number(*text)
			}
		}
	}
	if end := q.page.Offset + len(page.Items); end < total {
		page.NextCursor = strconv.Itoa(end)
	}
	return rest.OK(page.Body()), nil
}
