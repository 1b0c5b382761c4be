package tracing_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestDefaultProject checks that an unused workspace has the default project, for runs that name no project.
func TestDefaultProject(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{{Value: "k", Workspaces: []string{devservertest.WorkspaceA, devservertest.WorkspaceB}}}})
	p = p.As("X-Api-Key", "k", "X-Tenant-Id", devservertest.WorkspaceA)
	first := devservertest.Get[[]object](p, "/api/v1/sessions?limit=1")
	if diff := cmp.Diff([]string{"default"}, sessionNames(first)); diff != "" || first[0]["tenant_id"] != devservertest.WorkspaceA {
		t.Errorf("projects (-want +got):\n%s of %v", diff, first[0]["tenant_id"])
	}
	run := devservertest.RootRun(object{"session_name": nil})
	p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
	devservertest.Same(t, "session_id of a run without a project", first[0]["id"], devservertest.Get[object](p, "/runs/"+run["id"].(string))["session_id"])
	// It isn't created again after it has been deleted.
	p.Do(http.MethodDelete, "/sessions/"+first[0]["id"].(string), nil).Want(http.StatusAccepted)
	if left := devservertest.Get[[]object](p, "/sessions"); len(left) != 0 {
		t.Errorf("projects left = %v, want none", sessionNames(left))
	}
	if other := devservertest.Get[[]object](p.As("X-Api-Key", "k", "X-Tenant-Id", devservertest.WorkspaceB), "/sessions?name=default"); len(other) != 1 {
		t.Errorf("projects of another workspace = %v, want its own default", sessionNames(other))
	}
}

// TestDefaultProject_withoutKeys checks the same for the workspace of requests that name none. One that only a request names has no project.
func TestDefaultProject_withoutKeys(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for tenant, want := range map[string][]string{"": {"default"}, devserver.DefaultWorkspaceID: {"default"}, devservertest.WorkspaceA: {}} {
		if got := sessionNames(devservertest.Get[[]object](p.As("X-Tenant-Id", tenant), "/api/v1/sessions?limit=1")); !slices.Equal(got, want) {
			t.Errorf("projects of tenant %q = %q, want %q", tenant, got, want)
		}
	}
}

// TestResolutions finds an agent's project.
func TestResolutions(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	run := devservertest.RootRun(object{"session_name": nil, "address": "lrn:agents/bot/environments/production"})
	p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
	project := devservertest.Get[object](p, "/runs/"+run["id"].(string))["session_id"]
	path := "/sessions/resolutions?kind=AGENT&id=bot&environment="
	devservertest.Same(t, "resolved", object{"session_id": project}, devservertest.Get[object](p, path+"production"))
	p.Do(http.MethodGet, path+"staging", nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/sessions/resolutions?kind=EXPERIMENT&id=bot", nil).Want(http.StatusNotFound)
	refusedFor(p, "/sessions/resolutions?id=bot", "kind enum")
	refusedFor(p, "/sessions/resolutions?kind=agent&id=Bot", "id string_pattern_mismatch")
}

// TestPageStream reads a page as events, each of which patches the page as a JSON document.
func TestPageStream(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	streaming := p.As("X-Tenant-Id", devservertest.WorkspaceA, "Accept", "text/event-stream")
	r := streaming.Do(http.MethodPost, "/api/v2/runs/query", object{"ids": []any{ids["root"]}, "selects": []any{"NAME"}}).Want(http.StatusOK)
	want := `data: [{"op":"replace","path":"","value":{"items":[],"next_cursor":null}}]

data: [{"op":"add","path":"/items/-","value":{"id":"` + ids["root"] + `","name":"root"}}]

data: [{"op":"replace","path":"/next_cursor","value":null}]

event: end
data: {}

`
	if diff := cmp.Diff(want, string(r.Body)); diff != "" || r.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("Content-Type %s, want text/event-stream (-want +got):\n%s", r.Header.Get("Content-Type"), diff)
	}
	for path, body := range map[string]object{
		"/v2/traces/query": {"project_id": ids["agents"], "page_size": 1}, "/v2/threads/query": {"project_id": ids["agents"]},
	} {
		r := streaming.Do(http.MethodPost, path, body).Want(http.StatusOK)
		if !strings.HasSuffix(string(r.Body), "event: end\ndata: {}\n\n") || strings.Count(string(r.Body), `"/items/-"`) != 1 {
			t.Errorf("%s: want one item and the end event, got %s", path, r.Body)
		}
	}
}

// TestSharedRuns checks that the share token allows reading the run and its descendants only, until it is revoked.
func TestSharedRuns(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	p.Rate(object{"run_id": ids["call"], "key": "k", "score": 1})
	p.Rate(object{"run_id": ids["later"], "key": "other", "score": 1})
	path := "/api/v1/runs/" + ids["root"] + "/share"
	if body := p.Do(http.MethodGet, path, nil).Want(http.StatusOK).Body; strings.TrimSpace(string(body)) != "null" {
		t.Errorf("share before sharing = %s, want null", body)
	}
	want := object{"run_id": ids["root"], "share_token": feedbackA}
	for _, token := range []string{feedbackA, feedbackB} { // The first token stays.
		share := devservertest.Into[object](p.Do(http.MethodPut, path, object{"run_id": ids["root"], "share_token": token}).Want(http.StatusOK))
		devservertest.Same(t, "shared", want, share)
	}
	p.Do(http.MethodPut, "/runs/"+ids["later"]+"/share", object{"share_token": feedbackA}).Want(http.StatusConflict)
	second := devservertest.Into[object](p.Do(http.MethodPost, "/v2/runs/"+ids["root"]+"/share", object{"session_id": ids["agents"], "trace_id": ids["root"]}).Want(http.StatusOK))
	if second["share_token"] != feedbackA {
		t.Errorf("share in API v2 = %v, want the first token", second)
	}
	if got := devservertest.Get[object](p, "/v2/runs/"+ids["root"]+"?selects=SHARE_URL")["share_url"]; got != p.Web.URL+"/public/"+feedbackA+"/r" {
		t.Errorf("share_url = %v, want the public URL with the token", got)
	}
	if got := devservertest.Get[object](p, "/runs/"+ids["root"])["share_token"]; got != feedbackA {
		t.Errorf("share_token = %v, want the first token", got)
	}

	anybody := p.As()
	trace := []string{"call", "root", "tool"}
	for _, path := range []string{"/public/" + feedbackA + "/runs", "/api/v1/public/" + feedbackA + "/runsshare_token=" + feedbackA} {
		var runs []any
		for _, run := range devservertest.Get[[]object](anybody, path) {
			runs = append(runs, run)
		}
		devservertest.Same(t, path, trace, names(t, runs))
	}
	one := devservertest.Get[[]object](anybody, "/public/"+feedbackA+"/runsid="+ids["call"])
	if len(one) != 1 || one[0]["id"] != ids["call"] {
		t.Errorf("runs by ID = %v, want only call", one)
	}
	page := devservertest.Into[object](anybody.Do(http.MethodPost, "/api/v2/public/"+feedbackA+"/runs/query", object{"selects": []any{"NAME"}}).Want(http.StatusOK))
	devservertest.Same(t, "API v2", trace, names(t, page["items"]))
	var paged []any
	for cursor, pages := any(nil), 0; pages == 0 || cursor != nil; pages++ {
		body := object{"selects": []any{"NAME"}, "page_size": 2, "cursor": cursor}
		page := devservertest.Into[object](anybody.Do(http.MethodPost, "/api/v2/public/"+feedbackA+"/runs/query", body).Want(http.StatusOK))
		items, _ := page["items"].([]any)
		if len(items) == 0 || len(items) > 2 {
			t.Fatalf("page %d = %v, want one or two items", pages, page)
		}
		paged, cursor = append(paged, items...), page["next_cursor"]
	}
	devservertest.Same(t, "all pages", trace, names(t, paged))
	anybody.Do(http.MethodPost, "/api/v2/public/"+feedbackA+"/runs/query", object{"cursor": "-1"}).Want(http.StatusBadRequest)
	if rows := devservertest.Get[[]object](anybody, "/public/"+feedbackA+"/runs?limit=1&offset=2"); len(rows) != 1 {
		t.Errorf("the last page in API v1 has %d runs, want 1", len(rows))
	}
	if run := devservertest.Get[object](anybody, "/v2/public/"+feedbackA+"/run/"+ids["call"]+"?selects=NAME"); run["name"] != "call" {
		t.Errorf("run in API v2 = %v, want call", run)
	}
	anybody.Do(http.MethodGet, "/v2/public/"+feedbackA+"/run/"+ids["later"], nil).Want(http.StatusNotFound)
	anybody.Do(http.MethodGet, "/public/"+feedbackA+"/datasets", nil).Want(http.StatusNotFound)
	if all := devservertest.Get[[]object](anybody, "/public/"+feedbackA+"/feedbacks"); len(all) != 1 || all[0]["key"] != "k" {
		t.Errorf("feedback = %v, want one with the key k", all)
	}
	for _, request := range p.Recorded().Requests {
		if strings.Contains(request.Path+request.Query+string(request.Body), feedbackA) {
			t.Errorf("the request log contains the token: %+v", request)
		}
	}
	p.Do(http.MethodDelete, path, nil).Want(http.StatusOK)
	for _, path := range []string{"/public/" + feedbackA + "/runs", "/public/" + feedbackA + "/feedbacks", "/v2/public/" + feedbackA + "/run/" + ids["call"]} {
		anybody.Do(http.MethodGet, path, nil).Want(http.StatusNotFound)
	}
}

// TestSessionsV2 lists projects in pages, with costs as numbers.
func TestSessionsV2(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	conversation(p)
	read := func(query string) []string {
		page := devservertest.Get[object](p, "/api/v2/sessions?"+query)
		found := []string{}
		for {
			for _, item := range page["items"].([]any) {
				project := item.(object)
				devservertest.Same(t, "type", "PROJECT", project["type"])
				found = append(found, project["name"].(string))
			}
			if page["has_more"] != true {
				return found
			}
			page = devservertest.Get[object](p, "/api/v2/sessions?"+query+"&cursor="+page["next_cursor"].(string))
		}
	}
	for query, want := range map[string][]string{
		"sort_by=NAME&sort_order=asc&page_size=1": {"agents", "others"},
		"sort_by=NAME&sort_order=desc":            {"others", "agents"},
		"name_contains=other":                     {"others"},
		"type=EXPERIMENT":                         {},
		"type=PROJECT&type=AGENT&name=agents":     {"agents"},
	} {
		devservertest.Same(t, query, want, read(query))
	}
	agents := devservertest.Get[object](p, "/v2/sessions?name=agents&include_stats=true&include_facets=true")["items"].([]any)[0].(object)
	if agents["total_cost"] != 0.5 || agents["total_tokens"] != 30.0 || len(agents["run_facets"].([]any)) == 0 {
		t.Errorf("statistics = %v, want cost 0.5, 30 tokens and facets", agents)
	}
	refusedFor(p, "/v2/sessions?type=HOBBY", "type enum")
}

// TestThreadsStats reads the figures of all conversations of a project together.
func TestThreadsStats(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	query := object{"project_id": ids["agents"], "select": []any{"THREAD_COUNT", "TRACE_COUNT", "TOTAL_TOKENS", "TOTAL_COST", "ERROR_RATE",
		"STREAMING_RATE", "LATENCY_P50", "FIRST_TOKEN_P99", "MEDIAN_TOKENS", "PROMPT_TOKEN_DETAILS"}}
	want := object{
		"thread_count": 1.0, "trace_count": 2.0, "total_tokens": 30.0, "total_cost": 0.5, "error_rate": 0.0, "streaming_rate": 0.5,
		"latency_p50_seconds": 2.0, "first_token_p99_seconds": 0.75, "median_tokens": 15.0, "prompt_token_details": object{"cache_read": 5.0},
	}
	got := devservertest.Into[object](p.Do(http.MethodPost, "/api/v2/threads/stats", query).Want(http.StatusOK))
	devservertest.Same(t, "figures", want, got, nearly)
	some := devservertest.With(query, object{"select": []any{"TRACE_COUNT"}, "trace_filter": `gt(total_tokens, 10)`})
	if got := devservertest.Into[object](p.Do(http.MethodPost, "/v2/threads/stats", some).Want(http.StatusOK)); got["trace_count"] != 1.0 {
		t.Errorf("figures with a filter = %v, want one trace", got)
	}
	for _, selected := range []any{[]any{}, []any{"JOY"}} {
		p.Do(http.MethodPost, "/v2/threads/stats", devservertest.With(query, object{"select": selected})).Want(http.StatusUnprocessableEntity)
	}
}
