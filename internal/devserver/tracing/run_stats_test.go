package tracing_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// seededRuns has the IDs of the project and runs below.
type seededRuns struct {
	project string
	ids     map[string]string
}

// seedRuns logs four traces into the project "agents":
//
//	agent    10:00 to 10:00:04  tags a, b
//	  model  token after 1 s    10 + 5 tokens, 0.01 + 0.02
//	  search
//	    model2  token after 2.5 s  20 + 10 tokens, 0.02 + 0.04
//	chat     10:01 to 10:01:02  tag a; failed; token after 0.5 s; 100 + 50 tokens
//	waiting  10:02
//	buyer    10:03 to 10:03:01
//	  purchase                  0.5 in all
func seedRuns(p *plane) seededRuns {
	p.T.Helper()
	usage := func(in, out int, more object) object {
		return object{"usage_metadata": devservertest.With(object{"input_tokens": in, "output_tokens": out}, more)}
	}
	token := func(at string) []any { return []any{object{"name": "new_token", "time": "2026-05-02T" + at + "Z"}} }
	agent := devservertest.RootRun(object{"name": "agent", "end_time": "2026-05-02T10:00:04Z", "tags": []any{"a", "b"},
		"extra": object{"metadata": object{"team": "blue", "turn": 1}}})
	model := devservertest.ChildRun(agent, object{"end_time": "2026-05-02T10:00:02Z", "events": token("10:00:01"),
		"outputs": usage(10, 5, object{"input_cost": 0.01, "output_cost": 0.02, "input_token_details": object{"cache_read": 4}})})
	search := devservertest.ChildRun(agent, object{"name": "search", "run_type": "tool"})
	model2 := devservertest.ChildRun(search, object{"name": "model2", "events": token("10:00:02.5"),
		"outputs": usage(20, 10, object{"input_cost": 0.02, "output_cost": 0.04, "input_token_details": object{"cache_read": 3}})})
	chat := devservertest.RootRun(object{"name": "chat", "run_type": "llm", "start_time": "2026-05-02T10:01:00Z", "end_time": "2026-05-02T10:01:02Z",
		"error": "boom", "tags": []any{"a"}, "events": token("10:01:00.5"), "outputs": usage(100, 50, nil),
		"extra": object{"metadata": object{"team": "red"}}})
	waiting := devservertest.RootRun(object{"name": "waiting", "start_time": "2026-05-02T10:02:00Z", "reference_example_id": runB})
	buyer := devservertest.RootRun(object{"name": "buyer", "start_time": "2026-05-02T10:03:00Z", "end_time": "2026-05-02T10:03:01Z",
		"extra": object{"metadata": object{"team": "blue"}}})
	purchase := devservertest.ChildRun(buyer, object{"name": "purchase", "run_type": "tool", "inputs": object{"what": "a Bicycle"},
		"outputs": object{"usage_metadata": object{"total_cost": 0.5}}})
	var all []any
	ids := map[string]string{}
	for _, run := range []object{agent, model, search, model2, chat, waiting, buyer, purchase} {
		all = append(all, run)
		ids[run["name"].(string)] = run["id"].(string)
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	project := devservertest.Get[[]object](p, "/sessions?name=agents")[0]
	return seededRuns{project["id"].(string), ids}
}

func stats(p *plane, query object) object {
	p.T.Helper()
	return devservertest.Into[object](p.Do(http.MethodPost, "/api/v1/runs/stats", query).Want(http.StatusOK))
}

var nearly = cmpopts.EquateApprox(0, 1e-9)

// TestRunStats compares every figure with one computed by hand.
func TestRunStats(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seeded := seedRuns(p)
	got := stats(p, object{"session": []any{seeded.project}, "is_root": true, "start_time": nil, "filter": nil, "group_by": nil})
	want := object{
		"run_count": 4.0, "error_rate": 0.25, "streaming_rate": 0.5, "last_run_start_time": "2026-05-02T10:03:00.000000Z",
		"latency_p50": 2.0, "latency_p99": 3.96, // Of 4, 2 and 1; one hasn't ended.
		"first_token_p50": 0.75, "first_token_p99": 0.995, // Of 1 and 0.5.
		"prompt_tokens": 130.0, "completion_tokens": 65.0, "total_tokens": 195.0,
		// Of 45, 150, 0 and 0, of which 30, 100, 0 and 0 are input tokens.
		"median_tokens": 23.0, "tokens_p99": 147.0, "prompt_tokens_p50": 15.0, "prompt_tokens_p99": 98.0, // Of 22.5, 146.85 and so on.
		"completion_tokens_p50": 8.0, "completion_tokens_p99": 49.0,
		"prompt_cost": 0.03, "completion_cost": 0.06, "total_cost": 0.59, "cost_p50": 0.295, "cost_p99": 0.4959, // Of 0.09 and 0.5.
		"prompt_token_details": object{"cache_read": 7.0}, "completion_token_details": object{}, "prompt_cost_details": object{},
		"completion_cost_details": object{}, "feedback_stats": nil, "run_facets": nil,
	}
	devservertest.Same(t, "root runs", want, got, nearly)
	sums := []string{"prompt_tokens", "completion_tokens", "total_tokens", "prompt_cost", "completion_cost", "total_cost", "prompt_token_details"}
	selected := object{}
	for _, name := range sums {
		selected[name] = want[name]
	}
	// All runs have the same sums, although the models' figures are also included in their ancestors'.
	got = stats(p, object{"session": []any{seeded.project}, "select": sums})
	devservertest.Same(t, "all runs", selected, got, nearly)
	// A child run has its own start: the model's is half a second after the trace's.
	got = stats(p, object{"run_type": "llm", "select": []any{"run_count", "first_token_p50", "streaming_rate", "total_cost"}})
	devservertest.Same(t, "models", object{"run_count": 3.0, "first_token_p50": 0.5, "streaming_rate": 1.0, "total_cost": 0.09}, got, nearly)
}

// TestStatsTypes checks that tokens are integers and times have a zone, as Go clients expect; otherwise, they would ignore the figures.
func TestStatsTypes(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seedRuns(p)
	reply := p.Do(http.MethodPost, "/runs/stats", object{"is_root": true}).Want(http.StatusOK)
	var figures struct {
		Median           int64     `json:"median_tokens"`
		PromptP99        int64     `json:"prompt_tokens_p99"`
		CompletionP50    int64     `json:"completion_tokens_p50"`
		LastRunStartTime time.Time `json:"last_run_start_time"`
	}
	devservertest.Must(t, json.Unmarshal(reply.Body, &figures))
	if figures.Median != 23 || figures.PromptP99 != 98 || figures.CompletionP50 != 8 || !figures.LastRunStartTime.Equal(devservertest.Start.Add(3*time.Minute)) {
		t.Errorf("figures = %+v, want 23, 98 and 8 tokens, and the last start at 10:03", figures)
	}
}

// TestStatsNames selects names that stand for several figures, and figures that are only returned if selected.
func TestStatsNames(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seeded := seedRuns(p)
	for name, test := range map[string]struct {
		selected []any
		want     object
	}{
		"on demand": {[]any{"latency_avg", "run_count"}, object{"latency_avg": 7.0 / 3, "run_count": 4.0}}, // Of 4, 2 and 1.
		"all of runs": {[]any{"all_run_stats"}, object{
			"run_count": 4.0, "error_rate": 0.25, "streaming_rate": 0.5, "last_run_start_time": "2026-05-02T10:03:00.000000Z",
			"latency_p50": 2.0, "latency_p99": 3.96, "first_token_p50": 0.75, "first_token_p99": 0.995,
		}},
	} {
		got := stats(p, object{"session": []any{seeded.project}, "is_root": 1, "select": test.selected})
		devservertest.Same(t, name, test.want, got, nearly)
	}
	tokens := stats(p, object{"session": []any{seeded.project}, "is_root": true, "select": []any{"all_token_stats"}})
	if tokens["total_tokens"] != 195.0 || tokens["total_cost"] != 0.59 || tokens["prompt_token_details"].(object)["cache_read"] != 7.0 {
		t.Errorf("tokens = %v, want 195, a cost of 0.59 and the details", tokens)
	}
	some := stats(p, object{"group_by": object{"attribute": "name"}, "groups": []any{"agent", nil, "nobody"}, "select": []any{"run_count"}})
	devservertest.Same(t, "selected figures of groups", object{"agent": object{"run_count": 1.0}}, some)
}

// TestStatsAreExact checks that costs have no errors of binary floating-point numbers.
func TestStatsAreExact(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	var runs []any
	for range 10 {
		runs = append(runs, devservertest.RootRun(object{"outputs": object{"usage_metadata": object{"input_cost": 0.1, "output_cost": 0.000007}}}))
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": runs}).Want(http.StatusAccepted)
	body := string(p.Do(http.MethodPost, "/runs/stats", object{}).Want(http.StatusOK).Body)
	for _, want := range []string{`"prompt_cost":1,`, `"completion_cost":0.00007,`, `"total_cost":1.00007,`, `"cost_p50":0.100007,`} {
		if !strings.Contains(body, want) {
			t.Errorf("the response doesn't contain %s: %s", want, body)
		}
	}
	if project := string(p.Do(http.MethodGet, "/sessions?include_stats=true", nil).Want(http.StatusOK).Body); !strings.Contains(project, `"total_cost":"1.00007"`) {
		t.Errorf("the project doesn't have the cost 1.00007: %s", project)
	}
}

func TestStatsOfNothing(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	got := stats(p, object{"select": []any{"run_count", "total_tokens", "latency_p50", "error_rate", "total_cost", "cost_p99", "median_tokens", "last_run_start_time"}})
	want := object{"run_count": 0.0, "total_tokens": 0.0, "latency_p50": nil, "error_rate": nil, "total_cost": nil, "cost_p99": nil,
		"median_tokens": nil, "last_run_start_time": nil}
	devservertest.Same(t, "result", want, got)
	if groups := stats(p, object{"group_by": object{"attribute": "name"}}); len(groups) != 0 {
		t.Errorf("groups without runs = %v, want none", groups)
	}
}

// TestStatsSelection counts selected runs and their tokens. TestQuerySelections has the other parameters, which queries and statistics share.
func TestStatsSelection(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seeded := seedRuns(p)
	for name, test := range map[string]struct {
		query        object
		runs, tokens float64
	}{
		"nothing":            {object{}, 8, 195},
		"no ids":             {object{"id": []any{}}, 0, 0},
		"type in capitals":   {object{"run_type": "TOOL"}, 2, 30},
		"no roots":           {object{"is_root": false}, 4, 45},
		"failed":             {object{"error": true}, 1, 150},
		"three filters":      {object{"filter": "eq(run_type, 'tool')", "trace_filter": "eq(is_root, true)", "tree_filter": `eq(name, "purchase")`}, 1, 0},
		"text and filter":    {object{"query": "bicycle", "filter": `eq(name, "agent")`}, 0, 0},
		"another example":    {object{"reference_example": []any{runA}}, 0, 0},
		"no example":         {object{"reference_example": []any{}}, 0, 0},
		"project and filter": {object{"session": []any{seeded.project}, "filter": "neq(error, null)"}, 1, 150},
	} {
		got := stats(p, devservertest.With(object{"select": []any{"run_count", "total_tokens"}}, test.query))
		devservertest.Same(t, name, object{"run_count": test.runs, "total_tokens": test.tokens}, got)
	}
	b := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	if got := stats(b, object{"session": []any{seeded.project}, "select": []any{"run_count"}}); got["run_count"] != 0.0 {
		t.Errorf("run_count from another workspace = %v, want 0", got["run_count"])
	}
}

func TestStatsGroups(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seedRuns(p)
	group := func(runs, tokens float64) object { return object{"run_count": runs, "total_tokens": tokens} }
	for name, test := range map[string]struct {
		by   object
		want object
	}{
		"by name": {object{"attribute": "name"}, object{
			"agent": group(1, 45), "chat": group(1, 150), "waiting": group(1, 0), "buyer": group(1, 0),
		}},
		"by type":             {object{"attribute": "run_type"}, object{"chain": group(3, 45), "llm": group(1, 150)}},
		"by tag":              {object{"attribute": "tag", "path": nil}, object{"a": group(2, 195), "b": group(1, 45)}},
		"by metadata":         {object{"attribute": "metadata", "path": "team"}, object{"blue": group(2, 45), "red": group(1, 150)}},
		"by a number":         {object{"attribute": "metadata", "path": "turn"}, object{"1": group(1, 45)}},
		"by what nobody says": {object{"attribute": "metadata", "path": "none"}, object{}},
		"the largest":         {object{"attribute": "tag", "max_groups": 1}, object{"a": group(2, 195)}},
		"more than there are": {object{"attribute": "run_type", "max_groups": 9}, object{"chain": group(3, 45), "llm": group(1, 150)}},
	} {
		got := stats(p, object{"is_root": true, "group_by": test.by, "select": []any{"run_count", "total_tokens"}})
		devservertest.Same(t, name, test.want, got)
	}
	// In a group by name, a descendant of another run of the group doesn't count twice.
	got := stats(p, object{"group_by": object{"attribute": "run_type"}, "select": []any{"total_tokens"}})
	want := object{"chain": object{"total_tokens": 45.0}, "llm": object{"total_tokens": 180.0 + 15}, "tool": object{"total_tokens": 30.0}}
	devservertest.Same(t, "groups of all runs", want, got)
}

// TestStatsOfIncompleteTraces checks that runs count for their trace before the runs in between are logged.
func TestStatsOfIncompleteTraces(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	usage := object{"outputs": object{"usage_metadata": object{"input_tokens": 3, "output_tokens": 4}}}
	root := devservertest.RootRun(object{"id": runA, "trace_id": runA, "dotted_order": orderOf(runA)})
	missing := devservertest.ChildRun(root)
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{root, devservertest.ChildRun(missing, usage)}}).Want(http.StatusAccepted)
	if got := devservertest.Get[object](p, "/sessions/"+devservertest.Get[[]object](p, "/sessions?name=agents")[0]["id"].(string)+"?include_stats=true"); got["total_tokens"] != 7.0 {
		t.Errorf("total_tokens of the project = %v, want 7", got["total_tokens"])
	}
	// The run's place isn't known yet, but it has its own figures.
	p.Do(http.MethodPost, "/runs", devservertest.With(object{"id": runB, "parent_run_id": missing["id"], "run_type": "llm"}, usage)).Want(http.StatusAccepted)
	for _, test := range []struct {
		query  object
		tokens float64
	}{{object{"is_root": true}, 7}, {object{"id": []any{runB}}, 7}, {object{}, 14}} {
		if got := stats(p, devservertest.With(object{"select": []any{"total_tokens"}}, test.query)); got["total_tokens"] != test.tokens {
			t.Errorf("%v: %v tokens, want %v", test.query, got["total_tokens"], test.tokens)
		}
	}
}

func TestStatsRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for name, test := range map[string]struct {
		body any
		want []string
	}{
		"no JSON":             {"{", []string{"1 json_invalid"}},
		"a list":              {[]any{}, []string{" dict_type"}},
		"a name for an id":    {object{"session": []any{"agents"}}, []string{"session.0 uuid_parsing"}},
		"a time":              {object{"start_time": "yesterday"}, []string{"start_time datetime_parsing"}},
		"a number for a flag": {object{"is_root": 2}, []string{"is_root bool_type"}},
		"a metric":            {object{"select": []any{"run_count", "joy"}}, []string{"select.1 literal_error"}},
		"an attribute":        {object{"group_by": object{"attribute": "mood"}}, []string{"group_by.attribute literal_error"}},
		"no attribute":        {object{"group_by": object{}}, []string{"group_by.attribute missing"}},
		"no key":              {object{"group_by": object{"attribute": "metadata"}}, []string{"group_by.path missing"}},
		"no groups":           {object{"group_by": object{"attribute": "tag", "max_groups": 0}}, []string{"group_by.max_groups greater_than_equal"}},
	} {
		got := devservertest.Problems(p.Do(http.MethodPost, "/runs/stats", test.body).Want(http.StatusUnprocessableEntity))
		devservertest.Same(t, name, test.want, got)
	}
	for _, field := range []string{"filter", "trace_filter", "tree_filter"} {
		r := p.Do(http.MethodPost, "/runs/stats", object{field: `eq(name, `}).Want(http.StatusBadRequest)
		if !strings.Contains(string(r.Body), "invalid filter at character 10") {
			t.Errorf("%s: the error doesn't contain the position: %s", field, r.Body)
		}
	}
}
