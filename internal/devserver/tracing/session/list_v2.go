package session

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
)

// sessionParams maps the parameters of version 2 to their names in version 1.
var sessionParams = map[string]string{
	"id": "id", "name": "name", "name_contains": "name_contains", "metadata": "metadata", "reference_dataset_id": "reference_dataset",
	"include_stats": "include_stats", "include_facets": "facets", "stats_select": "stats_select", "stats_filter": "stats_filter",
	"stats_start_time": "stats_start_time", "use_approx_stats": "use_approx_stats", "tag_value_id": "tag_value_id", "page_size": "limit",
	"cursor": "offset", "sort_by": "sort_by", "sort_by_feedback_key": "sort_by_feedback_key", "sort_by_feedback_source": "sort_by_feedback_source",
}

// sessionTypes are the types of projects. Here, all have the first one.
var sessionTypes = []string{"PROJECT", "AGENT", "EXPERIMENT"}

// listSessionsV2 returns pages. The cursor is the number of projects on previous pages.
func (s *Service) listSessionsV2(c *rest.Call) (rest.Answer, error) {
	p := rest.NewParams(c.Request)
	first := url.Values{}
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
			p.Add("type", refusal.EnumError, "Input should be one of "+strings.Join(sessionTypes, ", "))
		}
	}
	p.NoOthers()
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	q, err := readSessionQuery(&http.Request{URL: &url.URL{RawQuery: first.Encode()}})
	if err != nil {
		return rest.Answer{}, err
	}
	page := run.ItemsAnswer{Items: []map[string]any{}}
	if len(types) > 0 && !slices.Contains(types, sessionTypes[0]) {
		return rest.OK(page.Body()), nil
	}
	items, total, err := s.sessionPage(c, q)
	if err != nil {
		return rest.Answer{}, err
	}
	page.Items = items
	for _, item := range page.Items {
		item["type"], item["trace_tier"] = sessionTypes[0], "LONG_LIVED"
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
