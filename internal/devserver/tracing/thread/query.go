package thread

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/refusal"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// queryThreads returns conversations, the most recently started first.
func (s *Service) queryThreads(c *rest.Call) (rest.Answer, error) {
	q, _, limit, err := s.runs.ReadQueryV2(c, run.OfThreads)
	if err != nil {
		return rest.Answer{}, err
	}
	whole := form.Truth(true) // A conversation consists of whole traces.
	q.IncludeSubtreeUsage = &whole
	f, err := q.RunFilter(c)
	if err != nil {
		return rest.Answer{}, err
	}
	where, err := parseThreadFilter(q.ThreadFilter)
	if err != nil {
		return rest.Answer{}, err
	}
	threads, next, err := s.threadPage(c, f, where, run.CursorOf(c, q.Cursor), limit)
	if err != nil {
		return rest.Answer{}, err
	}
	page := run.ItemsAnswer{Items: []map[string]any{}, NextCursor: next}
	for _, t := range threads {
		item, err := s.describeThread(c, t, timestamp.Layout)
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

// threadOf reads the conversation named by the path, in the project named by a parameter.
func (s *Service) threadOf(c *rest.Call, project string, selectable []string) (thread, map[string]bool, error) {
	p := rest.NewParams(c.Request)
	projectID, filters := p.ID(project), run.Filters{Own: p.Text("filter"), Root: p.Text("trace_filter"), Tree: p.Text("tree_filter")}
	wanted := map[string]bool{}
	for _, name := range p.Values("selects") {
		wanted[strings.ToUpper(name)] = true
		if !slices.Contains(selectable, strings.ToUpper(name)) {
			p.Add("selects", refusal.EnumError, name+": can't be selected; use one of "+strings.Join(selectable, ", "))
		}
	}
	p.Integer("page_size", run.DefaultPageV2, 1, limits.LongPage) // Everything is on one page.
	p.Text("cursor")
	p.NoOthers()
	if err := p.Err(); err != nil {
		return thread{}, nil, err
	}
	id := c.Request.PathValue("thread_id")
	f := store.RunFilter{WorkspaceID: c.WorkspaceID, Subtrees: true}
	if err := filters.Apply(&f); err != nil {
		return thread{}, nil, err
	}
	if projectID != nil {
		f.ProjectIDs = []string{*projectID}
	}
	all, err := s.threads(c, f, []store.Thread{{ID: id}})
	if err != nil {
		return thread{}, nil, err
	}
	if len(all[0].turns) == 0 {
		return thread{}, nil, refusal.Missing("Thread '%s' not found.", id)
	}
	return all[0], wanted, nil
}

// listThreadTraces returns the traces of a conversation in the order in which they started, all on one page.
func (s *Service) listThreadTraces(c *rest.Call) (rest.Answer, error) {
	t, wanted, err := s.threadOf(c, "project_id", append(slices.Sorted(maps.Keys(run.FieldsV2)), "OP", "LATENCY", "TURN_NUMBER"))
	if err != nil {
		return rest.Answer{}, err
	}
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
	items, err := s.runs.AnswersV2(c, t.turns, fields, run.Subtree)
	if err != nil {
		return rest.Answer{}, err
	}
	if wanted["TURN_NUMBER"] {
		if err := s.numberTurns(c, t, items); err != nil {
			return rest.Answer{}, err
		}
	}
	return rest.OK(run.ItemsAnswer{Items: items}.Body()), nil
}

// numberTurns returns the number of each turn within the whole conversation, counted from 1.
func (s *Service) numberTurns(c *rest.Call, some thread, items []map[string]any) error {
	f := store.RunFilter{WorkspaceID: c.WorkspaceID}
	if projectID := rest.NewParams(c.Request).ID("project_id"); projectID != nil {
		f.ProjectIDs = []string{*projectID}
	}
	whole, err := s.threads(c, f, []store.Thread{{ID: some.id}})
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
func (s *Service) threadStats(c *rest.Call) (rest.Answer, error) {
	t, wanted, err := s.threadOf(c, "session_id", threadMetrics)
	if err != nil {
		return rest.Answer{}, err
	}
	sum, latencies, _, err := s.threadFigures(c, t)
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
func (s *Service) groupRuns(c *rest.Call) (rest.Answer, error) {
	request, err := form.Known[groupRequest](c.Body)
	if err != nil {
		return rest.Answer{}, err
	}
	var v form.Validator
	body := []api.LocStep{api.Key("body")}
	v.Choice(request.GroupBy, []string{"conversation"}, form.Loc(body, "group_by"))
	limit, offset := int64(limits.Page), int64(0)
	if request.Limit != nil {
		limit = *request.Limit
		v.Bounds(limit, limits.Page, form.Loc(body, "limit"))
	}
	if request.Offset != nil {
		offset = max(0, *request.Offset)
	}
	if err := v.Err(); err != nil {
		return rest.Answer{}, err
	}
	f, err := run.Selection{Session: []api.UUID{request.SessionID}, Filter: request.Filter, StartTime: request.StartTime,
		EndTime: request.EndTime}.RunFilter(c)
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
	threads, err := s.threads(c, f, found)
	if err != nil {
		return rest.Answer{}, err
	}
	groups := []map[string]any{}
	for _, t := range threads {
		group, err := s.describeThread(c, t, timestamp.NaiveLayout)
		if err != nil {
			return rest.Answer{}, err
		}
		group["group_key"], group["filter"] = t.id, `eq(thread_id, "`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(t.id)+`")`
		groups = append(groups, group)
	}
	return rest.OK(map[string]any{"groups": groups, "total": total}), nil
}
