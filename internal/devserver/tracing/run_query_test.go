package tracing_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// long is a value longer than the part of values that is stored for comparisons.
var long = strings.Repeat("long ", 400)

// conversation logs two traces into the project agents and one into another, and returns the IDs by name of the run.
func conversation(p *plane) map[string]string {
	p.T.Helper()
	root := devservertest.RootRun(object{
		"name": "root", "tags": []any{"prod", "a"}, "end_time": "2026-05-02T10:00:02Z", "inputs": object{"question": "Why is the SKY blue?"},
		"extra": object{"metadata": object{"thread_id": "t1", "revision": "r1", "depth": 2, "live": true}},
	})
	call := devservertest.ChildRun(root, object{
		"name": "call", "end_time": "2026-05-02T10:00:01.5Z",
		"inputs":  object{"model": "example-large", "messages": []any{object{"role": "user", "content": "Why?"}}},
		"outputs": object{"choices": []any{object{"message": object{"role": "assistant", "content": "Rayleigh."}}}, "usage_metadata": object{"input_tokens": 20, "output_tokens": 10, "total_cost": "0.5", "input_token_details": object{"cache_read": 5}}},
		"events":  []any{object{"name": "new_token", "time": "2026-05-02T10:00:00.75Z"}, object{"name": "new_token", "time": "2026-05-02T10:00:01Z"}},
		"extra":   object{"metadata": object{"revision": "r2", "other": "r1"}},
	})
	tool := devservertest.ChildRun(root, object{"name": "tool", "run_type": "tool", "error": "no such tool", "end_time": "2026-05-02T10:00:00.6Z"})
	later := devservertest.RootRun(object{"name": "later", "start_time": "2026-05-02T10:05:00Z", "extra": object{"metadata": object{
		"thread_id": "t1", "long": long, "ls_user_id": "u1",
		"config": object{"model": object{"temperature": 0.5}, "stop": []any{"a", "b"}},
	}}})
	elsewhere := devservertest.RootRun(object{"name": "elsewhere", "session_name": "others", "tags": []any{"a"}})
	ids := map[string]string{}
	all := []any{}
	for _, run := range []object{root, call, tool, later, elsewhere} {
		ids[run["name"].(string)] = run["id"].(string)
		all = append(all, run)
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": all}).Want(http.StatusAccepted)
	ids["agents"] = devservertest.Get[[]object](p, "/sessions?name=agents")[0]["id"].(string)
	return ids
}

// names returns the sorted names of a page's runs.
func names(t *testing.T, runs any) []string {
	t.Helper()
	list, _ := runs.([]any)
	found := []string{}
	for _, run := range list {
		name, _ := run.(object)["name"].(string)
		found = append(found, name)
	}
	slices.Sort(found)
	return found
}

// TestQueryFilters runs each filter in both versions of the API.
func TestQueryFilters(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	for filter, want := range map[string][]string{
		`eq(name, "root")`:                       {"root"},
		`eq(name, 'root')`:                       {"root"},
		`neq(run_type, "chain")`:                 {"call", "tool"},
		`eq(run_type, "LLM")`:                    {"call"},
		`eq(status, "success")`:                  {"call", "root"},
		`eq(status, "ERROR")`:                    {"tool"},
		`in(name, ["call", "tool"])`:             {"call", "tool"},
		`eq(is_root, true)`:                      {"elsewhere", "later", "root"},
		`eq(execution_order, 1)`:                 {"elsewhere", "later", "root"},
		`has(tags, "a")`:                         {"elsewhere", "root"},
		`and(has(tags, "a"), has(tags, "prod"))`: {"root"},
		`not(has(tags, "a"))`:                    {"call", "later", "tool"},
		`gt(latency, 1)`:                         {"root"},
		`gte(latency, 1)`:                        {"call", "root"},
		`lt(latency, 0.5)`:                       {"tool"},
		`eq(error, null)`:                        {"call", "elsewhere", "later", "root"},
		`neq(error, null)`:                       {"tool"},
		`eq(end_time, null)`:                     {"elsewhere", "later"},
		`gt(start_time, "2026-05-02T10:01:00Z")`: {"later"},
		`eq(thread_id, "t1")`:                    {"later", "root"},
		`eq(trace_id, "` + ids["root"] + `")`:    {"call", "root", "tool"},
		`eq(id, "` + strings.ReplaceAll(ids["call"], "-", "") + `")`:         {"call"},
		`and(eq(metadata_key, "revision"), eq(metadata_value, "r1"))`:        {"root"},
		`and(eq(metadata_key, "other"), eq(metadata_value, "r1"))`:           {"call"},
		`and(eq(metadata_key, "depth"), eq(metadata_value, 2))`:              {"root"},
		`and(eq(metadata_key, "depth"), gt(metadata_value, 1))`:              {"root"},
		`and(eq(metadata_key, "revision"), lt(metadata_value, 1))`:           {}, // Not a number.
		`and(eq(metadata_key, "live"), eq(metadata_value, true))`:            {"root"},
		`eq(metadata_value, "r1")`:                                           {"call", "root"},
		`and(eq(metadata_key, "revision"), in(metadata_value, ["r1", "x"]))`: {"root"},
		`and(in(metadata_key, ["other"]), eq(metadata_value, "r1"))`:         {"call"},
		`and(eq(metadata_key, "revision"), neq(metadata_value, "r1"))`:       {"call"},
		// No entry with the key; none with the value; an existing entry with another value.
		`neq(metadata_key, "revision")`:                                            {"elsewhere", "later", "tool"},
		`and(neq(metadata_key, "revision"), eq(run_type, "chain"))`:                {"elsewhere", "later"},
		`and(neq(metadata_key, "revision"), neq(metadata_value, "t1"))`:            {"elsewhere", "tool"},
		`and(neq(metadata_key, "revision"), eq(metadata_value, "t1"))`:             {"later"},
		`and(neq(metadata_key, "revision"), neq(metadata_key, "thread_id"))`:       {"elsewhere", "tool"},
		`neq(metadata_value, "r1")`:                                                {"elsewhere", "later", "tool"},
		`exists(tags)`:                                                             {"elsewhere", "root"},
		`not(exists(metadata))`:                                                    {"elsewhere", "tool"},
		`eq(metadata_key, null)`:                                                   {"elsewhere", "tool"},
		`exists(metadata_key)`:                                                     {"call", "later", "root"},
		`and(eq(metadata_key, "long"), eq(metadata_value, "` + long + `"))`:        {"later"},
		`and(eq(metadata_key, "long"), eq(metadata_value, "` + long + `x"))`:       {},
		`eq(metadata_key, "long")`:                                                 {"later"},
		`and(eq(metadata_key, "config.model.temperature"), lt(metadata_value, 1))`: {"later"},
		`has(metadata, '{"config": {"model": {"temperature": 0.5}}}')`:             {"later"},
		`has(metadata, '{"config": {"stop": ["a", "b"]}, "thread_id": "t1"}')`:     {"later"},
		`has(metadata, '{"revision": "r1", "live": true}')`:                        {"root"},
		`has(metadata, '{"revision": "r1", "other": "r1"}')`:                       {},
		`has(metadata, '{}')`:                                                      {"call", "elsewhere", "later", "root", "tool"},
		`eq(ls_user_id, "u1")`:                                                     {"later"},
		`and(eq(input_key, "question"), eq(input_value, "Why is the SKY blue?"))`:  {"root"},
		`and(eq(input_key, "model"), neq(input_value, "other"))`:                   {"call"},
		`neq(input_key, "model")`:                                                  {"elsewhere", "later", "root", "tool"},
		`and(eq(output_key, "usage_metadata.input_tokens"), gt(output_value, 19))`: {"call"},
		`like(inputs, "%sky%")`:                                                    {"root"},
		`notlike(name, "%o%")`:                                                     {"call", "elsewhere", "later"},
		`search(name, "oo")`:                                                       {"root", "tool"},
		`like(name, "t%l")`:                                                        {"tool"},
		`like(name, "t_ol")`:                                                       {},
		`gt(latency, "1s")`:                                                        {"root"},
		`lt(latency, "200ms")`:                                                     {"tool"},
		`exists(error)`:                                                            {"tool"},
		`in(metadata_value, ["r2", 2])`:                                            {"call", "root"},
		`in(name, [])`:                                                             {},
		`in(error, ["no such tool", null])`:                                        {"call", "elsewhere", "later", "root", "tool"},
		`not(gt(latency, 1))`:                                                      {"call", "elsewhere", "later", "tool"},
		`not(not(gt(latency, 1)))`:                                                 {"root"},
		`neq(thread_id, "t1")`:                                                     {"call", "elsewhere", "tool"},
		`eq(latency, null)`:                                                        {"elsewhere", "later"},
		`neq(thread_id, null)`:                                                     {"later", "root"},
		`search("sky BLUE")`:                                                       {"root"},
		`search("rayleigh")`:                                                       {"call"},
		`search("%")`:                                                              {},
		`or(eq(name, "root"), and(eq(run_type, "tool"), neq(error, null)))`:        {"root", "tool"},
		`eq(feedback_key, "thumbs")`:                                               {},
		`not(or(eq(name, "root"), eq(name, "call"), eq(name, "elsewhere")))`:       {"later", "tool"},
	} {
		first := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"filter": filter}).Want(http.StatusOK))
		devservertest.Same(t, filter, want, names(t, first["runs"]))
		second := devservertest.Into[object](p.Do(http.MethodPost, "/api/v2/runs/query", object{"filter": filter, "selects": []any{"NAME"}}).Want(http.StatusOK))
		devservertest.Same(t, "API v2, "+filter, want, names(t, second["items"]))
	}
}

// TestQueryFigures checks that filters use the figures in responses. In API v1, they include all descendants of a run,
// in v2, only the run itself, unless the query says otherwise.
func TestQueryFigures(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	conversation(p)
	for filter, want := range map[string]struct{ whole, own []string }{
		`gt(total_tokens, 29)`:                                          {[]string{"call", "root"}, []string{"call"}},
		`in(total_tokens, [29, 30.0])`:                                  {[]string{"call", "root"}, []string{"call"}},
		`eq(prompt_tokens, 20)`:                                         {[]string{"call", "root"}, []string{"call"}},
		`lt(completion_tokens, 1)`:                                      {[]string{"elsewhere", "later", "tool"}, []string{"elsewhere", "later", "root", "tool"}},
		`gte(total_cost, 0.5)`:                                          {[]string{"call", "root"}, []string{"call"}},
		`neq(total_cost, null)`:                                         {[]string{"call", "root"}, []string{"call"}},
		`eq(prompt_cost, null)`:                                         {[]string{"call", "elsewhere", "later", "root", "tool"}, []string{"call", "elsewhere", "later", "root", "tool"}},
		`eq(prompt_token_details.cache_read, 5)`:                        {[]string{"call", "root"}, []string{"call"}},
		`gt(first_token_time, "2026-05-02T10:00:00")`:                   {[]string{"call", "root"}, []string{"call"}},
		`and(eq(run_type,"chain"), gt(latency,1), gt(total_tokens,20))`: {[]string{"root"}, []string{}},
	} {
		for _, way := range []struct {
			path, list string
			query      object
			want       []string
		}{
			{"/runs/query", "runs", object{"filter": filter}, want.whole},
			{"/v2/runs/query", "items", object{"filter": filter, "selects": []any{"NAME"}}, want.own},
			{"/v2/runs/query", "items", object{"filter": filter, "selects": []any{"NAME"}, "include_subtree_usage": false}, want.own},
			{"/v2/runs/query", "items", object{"filter": filter, "selects": []any{"NAME"}, "include_subtree_usage": true}, want.whole},
		} {
			page := devservertest.Into[object](p.Do(http.MethodPost, way.path, way.query).Want(http.StatusOK))
			devservertest.Same(t, fmt.Sprintf("%s %v", way.path, way.query), way.want, names(t, page[way.list]))
		}
	}
}

// refusedFor requests a path, which must be refused for one problem.
func refusedFor(p *plane, path, problem string) {
	p.T.Helper()
	devservertest.Same(p.T, path, []string{problem}, devservertest.Problems(p.Do(http.MethodGet, path, nil).Want(http.StatusUnprocessableEntity)))
}

// TestUnknownParts checks that unknown fields of a query are ignored and named in the log, once, without their values.
func TestUnknownParts(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := devservertest.New(t, devserver.Config{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	ids := conversation(p)
	log.Reset() // In tests, PostgreSQL doesn't wait for the disk, and the server warns of that.
	wantIgnored := func(about string, names ...string) {
		t.Helper()
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		want := `msg="ignored unknown parameters" names="[` + strings.Join(names, " ") + `]"`
		if len(names) == 1 {
			want = `msg="ignored unknown parameters" names=[` + names[0] + "]"
		}
		if len(lines) != 1 || !strings.Contains(lines[0], want) || strings.Contains(lines[0], "secret") {
			t.Errorf("%s: log = %q, want one line with %s", about, lines, want)
		}
		log.Reset()
	}
	for path, accepted := range map[string]object{
		"/runs/query": {"skip_pagination": true, "skip_prev_cursor": true, "use_experimental_search": false, "data_source_type": "current",
			"is_root": 1, "search_filter": "x", "reference_dataset_id": runA},
		"/runs/stats":           {"include_details": true, "search_filter": "x", "reference_dataset_id": runA, "session_id": ids["agents"]},
		"/runs/group":           {"session_id": ids["agents"]},
		"/v2/runs/query":        {"is_root": 0, "reference_dataset_id": runA},
		"/v2/traces/query":      {"project_id": ids["agents"], "trace_ids": []any{ids["root"]}},
		"/v2/threads/query":     {"project_id": ids["agents"], "thread_filter": "gt(turn_count, 0)"},
		"/v2/threads/stats":     {"project_id": ids["agents"], "select": []any{"TRACE_COUNT"}},
		"/sessions?upsert=true": {"name": "agents", "trace_tier": "longlived", "num_examples": 1, "evaluator_keys": []any{}},
		"/feedback":             {"run_id": ids["root"], "key": "k", "extend_trace_retention": true, "feedback_group_id": nil},
	} {
		quiet := p.Do(http.MethodPost, path, devservertest.With(accepted, object{"colour": nil})).Want(http.StatusOK)
		if log.Len() > 0 {
			t.Errorf("%s: log = %s, want nothing about known names", path, log.Bytes())
			log.Reset()
		}
		loud := p.Do(http.MethodPost, path, devservertest.With(accepted, object{"shade": "secret", "colour": object{"red": "secret"}})).Want(http.StatusOK)
		if path != "/feedback" && !bytes.Equal(quiet.Body, loud.Body) {
			t.Errorf("%s: the response differs with unknown fields: %s and %s", path, quiet.Body, loud.Body)
		}
		wantIgnored(path, "colour", "shade")
	}
	p.Do(http.MethodPost, "/runs/stats", object{"group_by": object{"attribute": "name", "colour": "secret"}}).Want(http.StatusOK)
	wantIgnored("an inner object", "group_by.colour")
	p.Do(http.MethodPost, "/v2/runs/query", object{"thread_filter": "secret"}).Want(http.StatusOK)
	wantIgnored("a field of another query", "thread_filter")
	for _, path := range []string{
		"/v2/runs/" + ids["root"], "/v2/traces/" + ids["root"] + "/runs", "/v2/threads/t1/traces", "/v2/threads/t1/stats", "/runs/" + ids["root"],
		"/v2/runs/" + ids["root"] + "/url", "/sessions", "/v2/sessions", "/sessions/" + ids["agents"], "/feedback", "/feedback-configs", "/info", "/settings",
	} {
		p.Do(http.MethodGet, path+"?colour=secret&colour=secret", nil).Want(http.StatusOK)
		wantIgnored(path, "colour")
	}
	p.Do(http.MethodPost, "/runs/batch?colour=secret", object{}).Want(http.StatusAccepted)
	wantIgnored("a stream", "colour")
	many := url.Values{}
	for i := range 1000 {
		many.Set(fmt.Sprintf("%03d", i)+strings.Repeat("x", 500), "secret")
	}
	p.Do(http.MethodGet, "/sessions?"+many.Encode(), nil).Want(http.StatusOK)
	if n := log.Len(); n > 2000 {
		t.Errorf("the log has %d bytes about a thousand long names, want at most 2,000", n)
	}
	refusedFor(p, "/v2/threads/t1/stats?selects=TURNS&selects=JOY", "selects enum")
}

// TestCursorInPath sends cursors in the URL and repeats the body of the first page, as some clients do.
func TestCursorInPath(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	for path, query := range map[string]object{
		"/runs/query":       {"limit": 1, "select": []any{"id"}},
		"/v2/runs/query":    {"page_size": 1},
		"/v2/traces/query":  {"project_id": ids["agents"], "page_size": 1},
		"/v2/threads/query": {"project_id": ids["agents"], "page_size": 1},
	} {
		next := func(page object) string {
			if cursors, first := page["cursors"].(object); first {
				page["next_cursor"] = cursors["next"]
			}
			text, _ := page["next_cursor"].(string)
			return text
		}
		pages := 0
		for cursor := ""; pages == 0 || cursor != "" && pages < 10; pages++ {
			cursor = next(devservertest.Into[object](p.Do(http.MethodPost, path+"?cursor="+cursor, query).Want(http.StatusOK)))
		}
		if want := map[string]int{"/runs/query": 5, "/v2/runs/query": 5, "/v2/traces/query": 2, "/v2/threads/query": 1}[path]; pages != want {
			t.Errorf("%s: %d pages, want %d", path, pages, want)
		}
	}
}

// TestQueryLong checks that the database accepts a query with the maximum numbers of conditions and values.
func TestQueryLong(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	values := `in(id, [` + strings.Repeat(`"`+runA+`", `, 1998) + `"` + ids["root"] + `"])`
	for name, query := range map[string]object{
		"values": {
			"filter": values, "trace_filter": values, "tree_filter": values, "id": slices.Repeat([]any{ids["root"]}, 1000),
			"session": slices.Repeat([]any{ids["agents"]}, 1000),
		},
		"any of": {"filter": `or(` + strings.Repeat(`eq(name, "nobody"), `, 998) + `eq(name, "root"))`},
		"all of": {"filter": `and(` + strings.Repeat(`neq(name, "nobody"), `, 998) + `eq(name, "root"))`},
		"nested": {"filter": strings.Repeat("not(", 48) + `or(` + strings.Repeat(`eq(name, "nobody"), `, 950) + `eq(name, "root"))` + strings.Repeat(")", 48)},
	} {
		page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", query).Want(http.StatusOK))
		devservertest.Same(t, name, []string{"root"}, names(t, page["runs"]))
	}
}

// TestQuerySelections tests the parameters of queries other than filters.
func TestQuerySelections(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	for name, test := range map[string]struct {
		first, second object // The query in each version; nil if there is none.
		want          []string
	}{
		"a project":   {object{"session": []any{ids["agents"]}}, object{"project_ids": []any{ids["agents"]}}, []string{"call", "later", "root", "tool"}},
		"no project":  {object{"session": []any{}}, object{"project_ids": []any{}}, []string{}},
		"nulls":       {object{"session": nil, "start_time": nil, "filter": nil}, object{"project_ids": nil}, []string{"call", "elsewhere", "later", "root", "tool"}},
		"ids":         {object{"id": []any{ids["root"], ids["later"]}}, object{"ids": []any{ids["root"], ids["later"]}}, []string{"later", "root"}},
		"a trace":     {object{"trace": ids["root"]}, object{"trace_id": ids["root"]}, []string{"call", "root", "tool"}},
		"a parent":    {object{"parent_run": ids["root"]}, nil, []string{"call", "tool"}},
		"roots":       {object{"is_root": true}, object{"is_root": true}, []string{"elsewhere", "later", "root"}},
		"in order":    {object{"execution_order": 1}, nil, []string{"elsewhere", "later", "root"}},
		"failures":    {object{"error": true}, object{"has_error": true}, []string{"tool"}},
		"no failures": {object{"error": false, "run_type": "llm"}, object{"has_error": false, "run_type": "LLM"}, []string{"call"}},
		"a window":    {object{"start_time": "2026-05-02T10:00:00.2Z", "end_time": "2026-05-02T10:01:00"}, object{"min_start_time": "2026-05-02T10:00:00.2Z", "max_start_time": "2026-05-02T10:01:00"}, []string{"call", "tool"}},
		"of a root":   {object{"trace_filter": `has(tags, "prod")`}, object{"trace_filter": `has(tags, "prod")`}, []string{"call", "root", "tool"}},
		"of a tree":   {object{"tree_filter": `eq(name, "tool")`, "is_root": true}, object{"tree_filter": `eq(name, "tool")`, "is_root": true}, []string{"root"}},
		"an example":  {object{"reference_example": []any{runB}}, object{"reference_examples": []any{runB}}, []string{}},
		"a text":      {object{"query": "rayleigh"}, nil, []string{"call"}},
	} {
		first := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", test.first).Want(http.StatusOK))
		devservertest.Same(t, name, test.want, names(t, first["runs"]))
		if test.second == nil {
			continue
		}
		test.second["selects"] = []any{"NAME"}
		second := devservertest.Into[object](p.Do(http.MethodPost, "/v2/runs/query", test.second).Want(http.StatusOK))
		devservertest.Same(t, "API v2, "+name, test.want, names(t, second["items"]))
	}
	// Another workspace can't read them.
	other := p.As("X-Tenant-Id", devservertest.WorkspaceB)
	if runs := devservertest.Into[object](other.Do(http.MethodPost, "/runs/query", object{"id": []any{ids["root"]}}).Want(http.StatusOK))["runs"]; len(names(t, runs)) > 0 {
		t.Errorf("runs read by another workspace = %v, want none", runs)
	}
	// API v2 searches the last day by default.
	p.Clock.Advance(25 * 3600e9)
	day := devservertest.Into[object](p.Do(http.MethodPost, "/v2/runs/query", object{}).Want(http.StatusOK))
	if len(names(t, day["items"])) > 0 {
		t.Errorf("runs by default = %v, want none, because they are two days old", day["items"])
	}
	all := devservertest.Into[object](p.Do(http.MethodPost, "/v2/runs/query", object{"min_start_time": "2026-05-01T00:00:00Z"}).Want(http.StatusOK))
	if len(names(t, all["items"])) != 5 {
		t.Errorf("runs with a start time = %v, want 5", all["items"])
	}
}

// TestQueryRefused expects errors that say what is wrong with a query, and where.
func TestQueryRefused(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{devservertest.RootRun(), devservertest.RootRun()}}).Want(http.StatusAccepted)
	cursor := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"limit": 1}).Want(http.StatusOK))["cursors"].(object)["next"]
	for name, test := range map[string]struct {
		path   string
		query  any
		status int
		text   string
	}{
		"a filter that ends":      {"/runs/query", object{"filter": `eq(name, "a"`}, 400, "invalid filter at character 13"},
		"nothing to hold":         {"/runs/query", object{"filter": "and()"}, 400, "character 5"},
		"an unknown field":        {"/v2/runs/query", object{"filter": `eq(colour, "a")`}, 400, "character 4"},
		"a cursor that is none":   {"/runs/query", object{"cursor": "!"}, 400, "Invalid cursor '!'"},
		"a cursor of the other":   {"/runs/query", object{"cursor": cursor, "order": "asc"}, 400, "in the opposite order"},
		"an unknown field to see": {"/runs/query", object{"select": []any{"colour"}}, 422, "colour: not a field of a run; the fields are app_path"},
		"one of the other":        {"/v2/runs/query", object{"selects": []any{"name"}}, 422, "name: not a field of a run; the fields are APP_PATH"},
		"no type":                 {"/runs/query", object{"run_type": "agent"}, 422, "'llm', 'chain'"},
		"no type of the other":    {"/v2/runs/query", object{"run_type": "AGENT"}, 422, "'llm', 'chain'"},
		"too many ids":            {"/runs/query", object{"id": slices.Repeat([]any{runA}, 1001)}, 422, "at most 1000 items after validation, not 1001"},
		"too many projects":       {"/runs/query", object{"session": slices.Repeat([]any{runA}, 1001)}, 422, `"session"`},
		"too many examples":       {"/runs/query", object{"reference_example": slices.Repeat([]any{runA}, 1001)}, 422, `"reference_example"`},
		"too many of the other":   {"/v2/runs/query", object{"ids": slices.Repeat([]any{runA}, 1001)}, 422, `"ids"`},
		"too many traces":         {"/v2/traces/query", object{"trace_ids": slices.Repeat([]any{runA}, 1001)}, 422, `"trace_ids"`},
		"too many conditions":     {"/runs/query", object{"filter": "or(" + strings.Repeat(`eq(name, "a"), `, 1000) + `eq(name, "b"))`}, 400, "at most 2000"},
		"a cursor of nothing":     {"/runs/query", object{"cursor": "e30"}, 400, "Invalid cursor 'e30'"},
		"a cursor of threads":     {"/v2/runs/query", object{"cursor": "eyJ0IjoxLCJpIjoieCJ9"}, 400, "Invalid cursor"},
		"a cursor of runs":        {"/v2/threads/query", object{"cursor": cursor}, 400, "Invalid cursor"},
		"too few":                 {"/runs/query", object{"limit": 0}, 422, "greater than or equal to 1"},
		"too many":                {"/v2/runs/query", object{"page_size": 1001}, 422, "less than or equal to 1000"},
		"no order":                {"/runs/query", object{"order": "up"}, 422, "'asc' or 'desc'"},
		"no id":                   {"/runs/query", object{"session": []any{"agents"}}, 422, "valid UUID"},
		"no time":                 {"/runs/query", object{"start_time": "soon"}, 422, "valid datetime"},
		"no JSON":                 {"/runs/query", "{", 422, "JSON decode error"},
	} {
		r := p.Do(http.MethodPost, test.path, test.query).Want(test.status)
		if !strings.Contains(string(r.Body), test.text) {
			t.Errorf("%s: error %s doesn't contain %q", name, r.Body, test.text)
		}
	}
}
