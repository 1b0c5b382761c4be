package thread

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/filter"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// threadsQuery is the body of a query for conversations.
type threadsQuery struct {
	run.QueryV2
	ThreadFilter *string `json:"thread_filter,omitzero"`
}

// queryThreads returns conversations, the most recently started first.
func queryThreads(c *rest.Call, q threadsQuery) (rest.Answer, error) {
	_, limit, err := q.Read()
	if err != nil {
		return rest.Answer{}, err
	}
	whole := form.Truth(true) // A conversation consists of whole traces.
	q.IncludeSubtreeUsage = &whole
	f, err := q.RunFilter(c.Tx, c.WorkspaceID, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	where, err := run.ParseFilter(q.ThreadFilter, filter.ParseThread)
	if err != nil {
		return rest.Answer{}, err
	}
	threads, next, err := threadPage(c.Tx, f, where, run.CursorOf(c, q.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	page := run.ItemsAnswer{Items: []map[string]any{}, NextCursor: next}
	for _, t := range threads {
		item, err := describeThread(c.Tx, t, timestamp.Layout)
		if err != nil {
			return rest.Answer{}, err
		}
		page.Items = append(page.Items, withoutNothing(item))
	}
	return run.PageAnswer(c, page), nil
}

func withoutNothing(item map[string]any) map[string]any {
	for name, value := range item {
		if run.IsNothing(value) {
			delete(item, name)
		}
	}
	return item
}

// getThread returns the traces, the figures or the share of a conversation. Its ID, which may be any text, has slashes in the path of clients
// that don't escape them.
func getThread(c *rest.Call) (rest.Answer, error) {
	path := c.Request.PathValue("thread")
	slash := max(0, strings.LastIndexByte(path, '/'))
	switch id := path[:slash]; path[slash:] {
	case "/traces":
		return listThreadTraces(c, id)
	case "/stats":
		return threadStats(c, id)
	case "/share":
		return getThreadShare(c, id)
	default:
		return rest.Answer{}, rest.PathNotServed()
	}
}

// threadOf reads a conversation, in the project named by a parameter, and the parameters about its traces.
func threadOf(c *rest.Call, id, project string, selectable []string) (t thread, wanted map[string]bool, page store.Page, err error) {
	p := c.Params()
	projectID, filters := p.ID(project), run.Filters{Own: p.Text("filter"), Root: p.Text("trace_filter"), Tree: p.Text("tree_filter")}
	wanted = map[string]bool{}
	for _, name := range p.Values("selects") {
		wanted[strings.ToUpper(name)] = true
		if !slices.Contains(selectable, strings.ToUpper(name)) {
			p.Add("selects", form.EnumError, name+": can't be selected; use one of "+strings.Join(selectable, ", "))
		}
	}
	page.Limit = p.Integer("page_size", run.DefaultPageV2, 1, limits.LongPage)
	if api.OrEmpty(p.Text("cursor")) != "" {
		page.Offset = p.Integer("cursor", 0, 0, 0)
	}
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, Subtrees: true}
	if err := cmp.Or(p.Err(), filters.Apply(&f)); err != nil {
		return t, nil, page, err
	}
	if projectID != nil {
		f.ProjectIDs = []string{*projectID}
	}
	all, err := threads(c.Tx, f, []store.Thread{{ID: id}})
	if err != nil {
		return t, nil, page, err
	}
	if t = all[0]; len(t.turns) == 0 {
		err = form.Missing("Thread '%s' not found.", id)
	}
	return t, wanted, page, err
}

// listThreadTraces returns the traces of a conversation in the order in which they started. The cursor is the number of those on
// previous pages.
func listThreadTraces(c *rest.Call, id string) (rest.Answer, error) {
	t, wanted, page, err := threadOf(c, id, "project_id", append(slices.Sorted(maps.Keys(run.FieldsV2)), "OP", "LATENCY", "TURN_NUMBER"))
	if err != nil {
		return rest.Answer{}, err
	}
	var answer run.ItemsAnswer
	if page.Offset < len(t.turns)-page.Limit {
		answer.NextCursor = strconv.Itoa(page.Offset + page.Limit)
	}
	t.turns = store.Window(t.turns, page)
	fields := map[string]run.Field{}
	for name, field := range run.FieldsV2 {
		if len(wanted) == 0 || wanted[name] {
			fields[name] = field
		}
	}
	fields["TRACE_ID"], fields["THREAD_ID"] = run.FieldsV2["TRACE_ID"], run.FieldsV2["THREAD_ID"]
	if wanted["LATENCY"] {
		fields["LATENCY"] = run.FieldsV2["LATENCY_SECONDS"]
	}
	if answer.Items, err = run.AnswersV2(run.ViewOf(c), t.turns, fields, run.Subtree); err != nil {
		return rest.Answer{}, err
	}
	if wanted["TURN_NUMBER"] {
		if err := numberTurns(c, t, answer.Items); err != nil {
			return rest.Answer{}, err
		}
	}
	return rest.OK(answer.Body()), nil
}

// numberTurns returns the number of each turn within the whole conversation, counted from 1.
func numberTurns(c *rest.Call, some thread, items []map[string]any) error {
	f := store.RunFilter{WorkspaceID: c.WorkspaceID}
	if projectID := c.Params().ID("project_id"); projectID != nil {
		f.ProjectIDs = []string{*projectID}
	}
	whole, err := threads(c.Tx, f, []store.Thread{{ID: some.id}})
	if err != nil {
		return err
	}
	numbers := map[string]int{}
	for i, turn := range whole[0].turns {
		numbers[turn.ID] = i + 1
	}
	for i, turn := range some.turns {
		items[i]["turn_number"] = numbers[turn.ID]
	}
	return nil
}

// threadMetrics are the figures of a conversation that can be selected.
var threadMetrics = []string{
	"TURNS", "FIRST_START_TIME", "LAST_START_TIME", "LAST_END_TIME", "LATENCY_P50", "LATENCY_P99", "PROMPT_TOKENS", "COMPLETION_TOKENS",
	"TOTAL_TOKENS", "PROMPT_COST", "COMPLETION_COST", "TOTAL_COST", "PROMPT_TOKEN_DETAILS", "COMPLETION_TOKEN_DETAILS",
	"PROMPT_COST_DETAILS", "COMPLETION_COST_DETAILS", "FEEDBACK_STATS",
}

// threadStats returns the figures of a conversation.
func threadStats(c *rest.Call, id string) (rest.Answer, error) {
	t, wanted, _, err := threadOf(c, id, "session_id", threadMetrics)
	if err != nil {
		return rest.Answer{}, err
	}
	sum, latencies, _, err := threadFigures(c.Tx, t)
	if err != nil {
		return rest.Answer{}, err
	}
	rated, err := feedback.OnRuns(c.Tx, c.WorkspaceID, t.turns)
	if err != nil {
		return rest.Answer{}, err
	}
	all := withoutNothing(map[string]any{
		"turns":               len(t.turns),
		"first_start_time":    run.Formatted(&t.turns[0].StartTime, timestamp.Layout),
		"last_start_time":     run.Formatted(&t.turns[len(t.turns)-1].StartTime, timestamp.Layout),
		"last_end_time":       run.Formatted(t.last().EndTime, timestamp.Layout),
		"latency_p50_seconds": figure.Percentile(latencies, 0.5), "latency_p99_seconds": figure.Percentile(latencies, 0.99),
		"prompt_tokens": sum.PromptTokens, "completion_tokens": sum.CompletionTokens, "total_tokens": sum.TotalTokens,
		"prompt_cost": run.CostNumber(sum.PromptCost), "completion_cost": run.CostNumber(sum.CompletionCost), "total_cost": run.CostNumber(sum.TotalCost),
		"prompt_token_details": run.RawDetails(sum.PromptTokenDetails), "completion_token_details": run.RawDetails(sum.CompletionTokenDetails),
		"prompt_cost_details": run.RawDetails(sum.PromptCostDetails), "completion_cost_details": run.RawDetails(sum.CompletionCostDetails),
		"feedback_stats": rated.OfThread(),
	})
	maps.DeleteFunc(all, func(name string, _ any) bool {
		return len(wanted) > 0 && !wanted[strings.ToUpper(strings.TrimSuffix(name, "_seconds"))]
	})
	return rest.OK(all), nil
}

// groupRequest is the body of POST /runs/group, with which API version 1 lists conversations.
type groupRequest struct {
	SessionID api.UUID `json:"session_id"`
	GroupBy   *string  `json:"group_by,omitzero"`
	Filter    *string  `json:"filter,omitzero"`
	StartTime *string  `json:"start_time,omitzero"`
	EndTime   *string  `json:"end_time,omitzero"`
	Limit     *int64   `json:"limit,omitzero"`
	Offset    *int64   `json:"offset,omitzero"`
}

// groupRuns returns conversations, the most recently started first.
func groupRuns(c *rest.Call, request groupRequest) (rest.Answer, error) {
	var v form.Validator
	v.Choice(request.GroupBy, []string{"conversation"}, form.Body("group_by"))
	limit, offset := int64(limits.Page), int64(0)
	if request.Limit != nil {
		limit = *request.Limit
		v.Bounds(limit, limits.Page, form.Body("limit"))
	}
	if request.Offset != nil {
		offset = max(0, *request.Offset)
	}
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	f, err := run.Selection{Session: []api.UUID{request.SessionID}, Filter: request.Filter, StartTime: request.StartTime,
		EndTime: request.EndTime}.RunFilter(c.Tx, c.WorkspaceID)
	if err != nil {
		return rest.Answer{}, err
	}
	total, err := c.Tx.CountThreads(f)
	if err != nil {
		return rest.Answer{}, err
	}
	found, err := c.Tx.Threads(f, nil, int(limit), int(offset))
	if err != nil {
		return rest.Answer{}, err
	}
	threads, err := threads(c.Tx, f, found)
	if err != nil {
		return rest.Answer{}, err
	}
	groups := []map[string]any{}
	for _, t := range threads {
		group, err := describeThread(c.Tx, t, timestamp.NaiveLayout)
		if err != nil {
			return rest.Answer{}, err
		}
		group["group_key"], group["filter"] = t.id, `eq(thread_id, "`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(t.id)+`")`
		groups = append(groups, group)
	}
	return rest.OK(map[string]any{"groups": groups, "total": total}), nil
}

// threadsStatsRequest requests the figures of all conversations of a project together.
type threadsStatsRequest struct {
	ProjectID    api.UUID `json:"project_id"`
	Select       []string `json:"select"`
	MinStartTime *string  `json:"min_start_time,omitzero"`
	MaxStartTime *string  `json:"max_start_time,omitzero"`
	Filter       *string  `json:"filter,omitzero"`
	TraceFilter  *string  `json:"trace_filter,omitzero"`
	TreeFilter   *string  `json:"tree_filter,omitzero"`
	ThreadFilter *string  `json:"thread_filter,omitzero"`
}

// threadsMetrics maps the names of figures in requests to those in the response, which include the unit of times.
var threadsMetrics = map[string]string{ //nolint:gosec // These are the token counts of model calls.
	"THREAD_COUNT": "thread_count", "TRACE_COUNT": "trace_count", "TOTAL_TOKENS": "total_tokens", "PROMPT_TOKENS": "prompt_tokens",
	"COMPLETION_TOKENS": "completion_tokens", "TOTAL_COST": "total_cost", "PROMPT_COST": "prompt_cost", "COMPLETION_COST": "completion_cost",
	"ERROR_RATE": "error_rate", "STREAMING_RATE": "streaming_rate", "MEDIAN_TOKENS": "median_tokens",
	"LATENCY_P50": "latency_p50_seconds", "LATENCY_P99": "latency_p99_seconds",
	"FIRST_TOKEN_P50": "first_token_p50_seconds", "FIRST_TOKEN_P99": "first_token_p99_seconds",
	"PROMPT_TOKEN_DETAILS": "prompt_token_details", "COMPLETION_TOKEN_DETAILS": "completion_token_details",
	"PROMPT_COST_DETAILS": "prompt_cost_details", "COMPLETION_COST_DETAILS": "completion_cost_details",
	"THREAD_FEEDBACK_STATS": "thread_feedback_stats",
}

// threadsStats returns the figures of the traces that belong to conversations.
func threadsStats(c *rest.Call, request threadsStatsRequest) (rest.Answer, error) {
	var v form.Validator
	at := form.Body("select")
	if len(request.Select) == 0 {
		v.Add(at, "too_short", "List should have at least 1 item after validation")
	}
	for i := range request.Select {
		v.Choice(&request.Select[i], slices.Sorted(maps.Keys(threadsMetrics)), form.Loc(at, i))
	}
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	whole := form.Truth(true)
	f, err := run.QueryV2{
		ProjectID: &request.ProjectID, IsRoot: &whole, IncludeSubtreeUsage: &whole, MinStartTime: request.MinStartTime,
		MaxStartTime: request.MaxStartTime, Filter: request.Filter, TraceFilter: request.TraceFilter, TreeFilter: request.TreeFilter,
	}.RunFilter(c.Tx, c.WorkspaceID, c.Now)
	if err != nil {
		return rest.Answer{}, err
	}
	if err := onlyThreads(c.Tx, &f, request.ThreadFilter); err != nil {
		return rest.Answer{}, err
	}
	threads, err := c.Tx.CountThreads(f)
	if err != nil {
		return rest.Answer{}, err
	}
	f.Where = run.Both(f.Where, filter.Compare{Op: filter.NotEqual, Field: filter.ThreadID, Value: filter.Value{Null: true}})
	m, err := run.FiguresOf(c.Tx, f, true)
	if err != nil {
		return rest.Answer{}, err
	}
	said, err := feedback.OnThreads(c.Tx, f)
	if err != nil {
		return rest.Answer{}, err
	}
	all := run.StatsFields(m.Answer())
	all["thread_feedback_stats"] = said.OfThread()
	all["thread_count"], all["trace_count"] = threads, m.Runs
	answer := map[string]any{}
	for _, name := range request.Select {
		called := threadsMetrics[name]
		if value := all[strings.TrimSuffix(called, "_seconds")]; !run.IsNothing(value) {
			answer[called] = value
		}
	}
	return rest.OK(answer), nil
}

// Version1 are the endpoints of version 1 of the API, below its prefixes.
func Version1() []rest.Endpoint {
	return []rest.Endpoint{{Path: "/runs/group", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(groupRuns)}}}
}

// Version2 is Version1 for version 2.
func Version2() []rest.Endpoint {
	return []rest.Endpoint{
		{Path: "/threads/stats", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(threadsStats)}},
		{Path: "/threads/query", Queries: true, Methods: rest.Methods{http.MethodPost: rest.Decoded(queryThreads)}},
		{Path: "/threads/{thread...}", Methods: rest.Methods{
			http.MethodGet: getThread, http.MethodPost: rest.Decoded(shareThread), http.MethodDelete: unshareThread,
		}},
	}
}
