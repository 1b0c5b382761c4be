package session

import (
	"encoding/json"
	"errors"
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

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func (s *Service) Version1() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: listSessions, http.MethodPost: rest.Decoded(createSession)}},
		{Path: "/sessions/{session_id}", Methods: rest.Methods{
			http.MethodGet:    rest.WithNamed(session, getSession),
			http.MethodPatch:  rest.Changing(session, patchSession),
			http.MethodDelete: rest.WithNamed(session, deleteSession),
		}},
		{Path: "/sessions/{session_id}/dashboard", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Changing(session, dashboard)}},
		{Path: "/sessions/resolutions", Methods: rest.Methods{http.MethodGet: resolveSession}},
	}
}

// Version2 is Version1 for version 2.
func (s *Service) Version2() []rest.Endpoint {
	return []rest.Endpoint{{Path: "/sessions", Prepare: s.ensureDefault, Methods: rest.Methods{http.MethodGet: listSessionsV2}}}
}

// Read reads a project.
func Read(tx *store.Tx, workspaceID, id string) (store.Project, error) {
	row, err := tx.Project(workspaceID, id)
	return row, rest.OrMissing(err, "Session ID %s not found.", id)
}

// session reads the project named by the path.
func session(c *rest.Call) (store.Project, error) {
	return rest.Named(c, "session_id", Read)
}

func getSession(c *rest.Call, row store.Project) (rest.Answer, error) {
	p := c.Params()
	p.Ignore("limit") // One client limits each request.
	with := readSessionStats(p)
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	if with == nil {
		return rest.OK(newSession(row, nil)), nil
	}
	stats, err := measureSession(c.Tx, row, with)
	return rest.OK(newSession(row, stats)), err
}

// createSession uses the ID that some clients send. With upsert, it changes an existing project with that name instead.
func createSession(c *rest.Call, request sessionCreation) (rest.Answer, error) {
	p := c.Params()
	upsert := p.Flag("upsert")
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	row := store.Project{ID: form.NewID(request.ID), WorkspaceID: c.WorkspaceID, StartTime: c.Now, ReferenceDatasetID: (*string)(request.ReferenceDatasetID)}
	if err := form.SetTime("start_time", request.StartTime, &row.StartTime); err != nil {
		return rest.Answer{}, err
	}
	request.sessionPatch.Name = &request.Name
	if err := request.apply(&row); err != nil {
		return rest.Answer{}, err
	}
	existing, err := c.Tx.ProjectNamed(c.WorkspaceID, request.Name)
	switch {
	case err == nil && upsert:
		if err := request.apply(&existing); err != nil {
			return rest.Answer{}, err
		}
		return storeSession(c, existing)
	case err == nil:
		return rest.Answer{}, form.Conflicting(sessionExists)
	case !errors.Is(err, store.ErrNotFound):
		return rest.Answer{}, err
	}
	if err := c.Tx.EnsureProject(row); err != nil {
		return rest.Answer{}, err
	}
	// The ID may be that of another project, even in a workspace that the caller can't access.
	row, err = c.Tx.ProjectNamed(c.WorkspaceID, row.Name)
	if store.Missing(&err) {
		err = form.Conflicting(sessionExists)
	}
	return rest.OK(newSession(row, nil)), err
}

func patchSession(c *rest.Call, row store.Project, request sessionPatch) (rest.Answer, error) {
	before := row.Name
	if err := request.apply(&row); err != nil {
		return rest.Answer{}, err
	}
	if row.Name != before {
		_, err := c.Tx.ProjectNamed(c.WorkspaceID, row.Name)
		if err := rest.OrTaken(err, sessionExists); err != nil {
			return rest.Answer{}, err
		}
	}
	return storeSession(c, row)
}

// storeSession stores a changed project, and returns it.
func storeSession(c *rest.Call, row store.Project) (rest.Answer, error) {
	return rest.OK(newSession(row, nil)), c.Tx.UpdateProject(row)
}

// deleteSession returns a body, because a client fails on an empty one labelled as JSON.
func deleteSession(c *rest.Call, row store.Project) (rest.Answer, error) {
	return rest.Answer{Status: http.StatusAccepted, Body: map[string]string{"message": "Session " + row.Name + " deleted."}},
		c.Tx.DeleteProject(c.WorkspaceID, row.ID)
}

// resolvable are the kinds of objects that have a project. Here, only agents are found.
var resolvable = []string{"AGENT", "EXPERIMENT", "EVALUATOR"}

// resolveSession finds the project of an agent in an environment, whose name contains both.
func resolveSession(c *rest.Call) (rest.Answer, error) {
	p := c.Params()
	kind, id, environment := strings.ToUpper(api.OrEmpty(p.Text("kind"))), api.OrEmpty(p.Text("id")), api.OrEmpty(p.Text("environment"))
	if !slices.Contains(resolvable, kind) {
		p.Add("kind", form.EnumError, "Input should be one of "+strings.Join(resolvable, ", "))
	}
	if kind == "AGENT" && !run.AgentID.MatchString(id) {
		p.Add("id", "string_pattern_mismatch", "Input should be the name of an agent, such as support-bot")
	}
	if err := p.Err(); err != nil {
		return rest.Answer{}, err
	}
	if kind != "AGENT" {
		return rest.Answer{}, form.Missing("This service has only projects of agents, not of kind '%s'.", kind)
	}
	project, err := c.Tx.ProjectNamed(c.WorkspaceID, run.AgentProject(id, environment))
	return rest.OK(map[string]string{"session_id": project.ID}), rest.OrMissing(err, "Agent '%s' has no project in environment '%s'.", id, environment)
}

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
			if text, is := item[cost].(string); is {
				item[cost] = json.Number(text)
			}
		}
	}
	if end := q.page.Offset + len(page.Items); end < total {
		page.NextCursor = strconv.Itoa(end)
	}
	return rest.OK(page.Body()), nil
}

// dashboard returns a project's figures over time, in the sections that the service is documented to have.
func dashboard(c *rest.Call, row store.Project, request dashboardRequest) (rest.Answer, error) {
	steps, err := request.steps(c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	sections := []any{}
	for i, section := range dashboardSections {
		runs, err := readChartRuns(c.Tx, row, section, request, steps)
		if err != nil {
			return rest.Answer{}, err
		}
		charts := []any{}
		for i, plan := range section.plans(runs) {
			charts = append(charts, runs.draw(row, section, plan, i))
		}
		sections = append(sections, map[string]any{
			"id": chartID(row, section.title), "title": section.title, "description": section.description, "index": i, "charts": charts,
		})
	}
	return rest.OK(map[string]any{
		"id": chartID(row, "dashboard"), "session_id": row.ID, "title": row.Name, "description": nil, "index": nil, "charts": []any{}, "sub_sections": sections,
	}), nil
}
