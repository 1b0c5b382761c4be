package tracing_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// sessionNames returns the names of the projects in a list.
func sessionNames(list []object) []string {
	all := []string{}
	for _, project := range list {
		all = append(all, project["name"].(string))
	}
	return all
}

func TestListSessions(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for i, request := range []object{
		{"id": projectA, "name": "alpha", "extra": object{"metadata": object{"team": "blue", "n": 1, "deep": object{"a": 1, "b": []any{1, object{"c": 2}}}}}},
		{"id": projectB, "name": "beta", "extra": object{"metadata": object{"team": "red", "n": 10}}},
		{"name": "alphabet", "reference_dataset_id": runA, "extra": object{"team": "blue"}},
		{"name": "gamma", "reference_dataset_id": runB},
	} {
		createSession(p, "", devservertest.With(request, object{"start_time": devservertest.Start.Add(time.Duration(-i) * time.Hour).Format(time.RFC3339)}))
	}
	createSession(p.As("X-Tenant-Id", devservertest.WorkspaceB), "", object{"name": "alpha"})
	for query, test := range map[string]struct {
		want  []string
		total string
	}{
		"":                                          {[]string{"alpha", "beta", "alphabet", "gamma"}, "4"}, // By start, newest first.
		"name=alpha&limit=1&include_stats=False":    {[]string{"alpha"}, "1"},
		"name=Alpha":                                {[]string{}, "0"},
		"name_contains=alph":                        {[]string{"alpha", "alphabet"}, "2"},
		"id=" + projectA:                            {[]string{"alpha"}, "1"},
		"id=" + projectA + "&id=" + projectB:        {[]string{"alpha", "beta"}, "2"},
		"id=" + runA:                                {[]string{}, "0"},
		"reference_free=true":                       {[]string{"alpha", "beta"}, "2"},
		"reference_free=false":                      {[]string{"alphabet", "gamma"}, "2"},
		"reference_dataset=" + runA:                 {[]string{"alphabet"}, "1"},
		`metadata={"team":"blue"}`:                  {[]string{"alpha"}, "1"},
		`metadata={"n": 1}`:                         {[]string{"alpha"}, "1"},
		`metadata={"n": "1"}`:                       {[]string{}, "0"},
		`metadata={"deep":{"b":[{"c":2}]}}`:         {[]string{"alpha"}, "1"},
		`metadata={"deep":{"b":[3]}}`:               {[]string{}, "0"},
		`metadata={"team":{"blue":1}}`:              {[]string{}, "0"},
		`metadata={"n":[1]}`:                        {[]string{}, "0"},
		`metadata={}`:                               {[]string{"alpha", "beta"}, "2"},
		"metadata=":                                 {[]string{"alpha", "beta", "alphabet", "gamma"}, "4"},
		"offset=1&limit=2":                          {[]string{"beta", "alphabet"}, "4"},
		"offset=9":                                  {[]string{}, "4"},
		"sort_by=name&sort_by_desc=false":           {[]string{"alpha", "alphabet", "beta", "gamma"}, "4"},
		"sort_by=name":                              {[]string{"gamma", "beta", "alphabet", "alpha"}, "4"},
		"sort_by=start_time&sort_by_desc=false":     {[]string{"gamma", "alphabet", "beta", "alpha"}, "4"},
		"sort_by=latency_p50&sort_by_desc=false":    {[]string{"gamma", "alphabet", "beta", "alpha"}, "4"}, // None has a value: newest first.
		"name_contains=alph&name=beta&facets=false": {[]string{}, "0"},
	} {
		r := p.Do(http.MethodGet, "/api/v1/sessions?"+escaped(query), nil).Want(http.StatusOK)
		devservertest.Same(t, query, test.want, sessionNames(devservertest.Into[[]object](r)))
		if total := r.Header.Get("X-Pagination-Total"); total != test.total {
			t.Errorf("%s: X-Pagination-Total = %s, want %s", query, total, test.total)
		}
	}
}

// escaped returns a query as clients send it, percent-encoded.
func escaped(query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	return values.Encode()
}

// TestSessionStatistics checks that the figures of a project are those of its traces.
func TestSessionStatistics(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seeded := seedRuns(p)
	p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"session_name": "others"})).Want(http.StatusAccepted)
	path := "/sessions/" + seeded.project
	plain := devservertest.Get[object](p, path+"?")
	if _, has := plain["run_count"]; has {
		t.Errorf("project = %v, want no statistics unless requested", plain)
	}
	all := maps.Clone(plain)
	maps.Copy(all, object{
		"run_count": 4.0, "error_rate": 0.25, "streaming_rate": 0.5, "last_run_start_time": "2026-05-02T10:03:00.000000Z",
		"latency_p50": 2.0, "latency_p99": 3.96, "first_token_p50": 0.75, "first_token_p99": 0.995,
		"prompt_tokens": 130.0, "completion_tokens": 65.0, "total_tokens": 195.0,
		"prompt_cost": "0.03", "completion_cost": "0.06", "total_cost": "0.59",
		"feedback_stats": nil, "session_feedback_stats": nil, "run_facets": nil, "test_run_number": nil,
	})
	for way, got := range map[string]object{
		"by id":   devservertest.Get[object](p, path+"?include_stats=true"),
		"by name": devservertest.Get[[]object](p, "/sessions?name=agents&include_stats=true")[0],
		"sorted":  devservertest.Get[[]object](p, "/sessions?sort_by=runs_count&include_stats=true")[0],
	} {
		devservertest.Same(t, way, all, got, nearly)
	}
	later := devservertest.Get[object](p, path+"?include_stats=true&stats_start_time=2026-05-02T10:02:00Z")
	for key, value := range (object{"run_count": 2.0, "latency_p50": 1.0, "first_token_p50": nil, "total_tokens": 0.0, "prompt_cost": nil, "total_cost": "0.5"}) {
		devservertest.Same(t, fmt.Sprintf("%s of the last runs", key), value, later[key])
	}
}

// TestSortSessions sorts projects by figures of their runs. Projects without a value come last.
func TestSortSessions(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	log := func(project, began string, seconds int, more object) {
		at, err := time.Parse(time.RFC3339, began)
		devservertest.Must(t, err)
		run := devservertest.RootRun(object{"session_name": project, "start_time": began}, more)
		if seconds > 0 {
			run["end_time"] = at.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339)
		}
		p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
	}
	createSession(p, "", object{"name": "empty"})
	log("quick", "2026-05-02T09:00:00Z", 1, nil)
	log("quick", "2026-05-02T09:30:00Z", 2, nil)
	log("quick", "2026-05-02T09:40:00Z", 90, nil)
	log("slow", "2026-05-02T11:00:00Z", 60, object{"error": "boom"})
	log("slow", "2026-05-02T11:10:00Z", 61, nil)
	log("pending", "2026-05-02T10:00:00Z", 0, nil)
	for query, want := range map[string][]string{
		"runs_count":                             {"quick", "slow", "pending", "empty"},
		"runs_count&sort_by_desc=false":          {"empty", "pending", "slow", "quick"},
		"latency_p50":                            {"slow", "quick", "pending", "empty"},
		"latency_p50&sort_by_desc=false":         {"quick", "slow", "pending", "empty"},
		"latency_p99":                            {"quick", "slow", "pending", "empty"},
		"error_rate":                             {"slow", "pending", "quick", "empty"},
		"last_run_start_time":                    {"slow", "pending", "quick", "empty"},
		"last_run_start_time&sort_by_desc=false": {"quick", "pending", "slow", "empty"},
		// The parameters of the statistics also apply to the order.
		"latency_p50&stats_start_time=2026-05-02T09:35:00Z&include_stats=true": {"quick", "slow", "pending", "empty"},
	} {
		got := devservertest.Get[[]object](p, "/sessions?sort_by="+query)
		devservertest.Same(t, query, want, sessionNames(got))
	}
	if page := devservertest.Get[[]object](p, "/sessions?sort_by=runs_count&offset=1&limit=1"); len(page) != 1 || page[0]["name"] != "slow" || page[0]["run_count"] != nil {
		t.Errorf("second project = %v, want slow without statistics", page)
	}
}

// TestSortSessionsByFeedback sorts projects by the average score of a key, on their runs or on the projects themselves.
func TestSortSessionsByFeedback(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for project, scores := range map[string][]float64{"good": {1, 0.5}, "bad": {0, 0.25}, "unrated": nil} {
		id, _ := createSession(p, "", object{"name": project})["id"].(string)
		for _, score := range scores {
			run := devservertest.RootRun(object{"session_name": project}, nil)
			p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
			p.Rate(object{"run_id": run["id"], "key": "helpful", "score": score})
			p.Rate(object{"session_id": id, "key": "helpful", "score": 1 - score})
		}
	}
	const byFeedback = "sort_by=feedback&sort_by_feedback_key=helpful"
	for query, want := range map[string][]string{
		byFeedback:                                      {"good", "bad", "unrated"},
		byFeedback + "&sort_by_desc=false":              {"bad", "good", "unrated"},
		byFeedback + "&sort_by_feedback_source=run":     {"good", "bad", "unrated"},
		byFeedback + "&sort_by_feedback_source=session": {"bad", "good", "unrated"},
	} {
		devservertest.Same(t, query, want, sessionNames(devservertest.Get[[]object](p, "/sessions?"+query)))
	}
	page := devservertest.Get[struct {
		Items   []object
		HasMore bool `json:"has_more"`
	}](p, "/api/v2/sessions?sort_by=FEEDBACK&sort_by_feedback_key=helpful&sort_by_feedback_source=RUN")
	devservertest.Same(t, "API v2", []string{"good", "bad", "unrated"}, sessionNames(page.Items))
	p.Do(http.MethodGet, "/sessions?sort_by=feedback", nil).Want(http.StatusUnprocessableEntity)
	p.Do(http.MethodGet, "/sessions?"+byFeedback+"&sort_by_feedback_source=moon", nil).Want(http.StatusUnprocessableEntity)
}

// TestSessionsBeyondTheEnd lists projects with the largest offset.
func TestSessionsBeyondTheEnd(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	p.Do(http.MethodPost, "/sessions", object{"name": "one"}).Want(http.StatusOK)
	for _, path := range []string{"/sessions", "/model-price-map"} {
		if got := devservertest.Get[[]any](p, path+"?offset=9223372036854775807"); len(got) != 0 {
			t.Errorf("%s with an offset beyond the end lists %v, want nothing", path, got)
		}
	}
}

// TestSessionParameters tests other parameters of lists of projects, and checks that unknown values aren't ignored.
func TestSessionParameters(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	seeded := seedRuns(p)
	filter := "&stats_filter=" + url.QueryEscape(`gt(total_tokens, 100)`)
	for _, path := range []string{"/sessions/" + seeded.project + "?", "/sessions?name=agents&"} {
		var session object
		read := func(parameters string) {
			if strings.Contains(path, "name") {
				session = devservertest.Get[[]object](p, path+parameters)[0]
			} else {
				session = devservertest.Get[object](p, path+parameters)
			}
		}
		read("include_stats=true&use_approx_stats=true" + filter)
		if session["run_count"] != 1.0 || session["total_tokens"] != 150.0 { // The figures of the only trace that large.
			t.Errorf("with a filter: %v runs with %v tokens, want 1 with 150", session["run_count"], session["total_tokens"])
		}
		read("include_stats=true&stats_select=run_count&stats_select=latency_p50")
		if _, more := session["total_tokens"]; more || session["run_count"] != 4.0 || session["latency_p50"] != 2.0 {
			t.Errorf("selected statistics = %v, want 4 runs, latency 2 and no tokens", session)
		}
		read("include_stats=true&stats_select=all_token_stats")
		if !cmp.Equal(session["prompt_token_details"], any(object{"cache_read": 7.0})) || session["total_cost"] != "0.59" || session["cost_p50"] != 0.295 {
			t.Errorf("selected tokens and costs = %v, want the details, a text as the sum, and a number as the median", session)
		}
		read("facets=true")
		want := object{"key": "tag", "value": "a", "n": 2.0, "query": `has(tags, "a")`}
		if !slices.ContainsFunc(session["run_facets"].([]any), func(one any) bool { return cmp.Equal(want, one) }) {
			t.Errorf("facets = %v, want %v among them", session["run_facets"], want)
		}
		refusedFor(p, path+"include_stats=true&stats_select=joy", "stats_select enum")
		refusedFor(p, path+"include_stats=true&stats_filter=eq(", "stats_filter value_error")
	}
	if tagged := devservertest.Get[[]object](p, "/sessions?tag_value_id="+runA); len(tagged) > 0 {
		t.Errorf("projects with a tag = %v, want none", tagged)
	}
}

// TestSessionFilter lists the projects for which a filter holds.
func TestSessionFilter(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for _, name := range []string{"alpha", "beta"} {
		p.Do(http.MethodPost, "/sessions", object{"name": name, "extra": object{"metadata": object{"team": name, "size": 2}},
			"start_time": map[string]string{"alpha": "2026-05-01T00:00:00Z", "beta": "2026-05-02T00:00:00Z"}[name]}).Want(http.StatusOK)
	}
	for filter, want := range map[string][]string{
		`eq(name, "alpha")`: {"alpha"}, `neq(name, "alpha")`: {"beta"}, `like(name, "%et%")`: {"beta"}, `search("ALPH")`: {"alpha"},
		`or(eq(name, "alpha"), eq(name, "beta"))`: {"beta", "alpha"}, `gt(start_time, "2026-05-01T12:00:00Z")`: {"beta"},
		`and(eq(metadata_key, "team"), eq(metadata_value, "beta"))`: {"beta"}, `and(eq(metadata_key, "size"), eq(metadata_value, 2))`: {"beta", "alpha"},
		`eq(id, "x")`: {}, "": {"beta", "alpha"},
	} {
		if got := sessionNames(devservertest.Get[[]object](p, "/sessions?filter="+url.QueryEscape(filter))); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", filter, got, want)
		}
	}
	refusedFor(p, "/sessions?filter="+url.QueryEscape(`eq(run_type, "llm")`), "filter value_error")
	refusedFor(p, "/sessions?filter=x", "filter value_error")
}
