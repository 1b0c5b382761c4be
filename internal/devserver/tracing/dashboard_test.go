package tracing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// charts requests a dashboard. It returns each chart's points by section and title, formatted as the name of
// the series, the group, the start of the step and the value.
func charts(p *plane, project string, request object) map[string][]string {
	p.T.Helper()
	board := devservertest.Into[object](p.Do(http.MethodPost, "/api/v1/sessions/"+project+"/dashboard", request).Want(http.StatusOK))
	if charts := board["charts"].([]any); len(charts) != 0 || board["id"] == nil || board["title"] == "" {
		p.T.Errorf("dashboard %v %v with %d charts outside of sections, want an ID, a title and none", board["id"], board["title"], len(charts))
	}
	all := map[string][]string{}
	for _, section := range board["sub_sections"].([]any) {
		section := section.(object)
		for _, drawn := range section["charts"].([]any) {
			drawn := drawn.(object)
			names, points := map[any]any{}, []string{}
			for _, series := range drawn["series"].([]any) {
				names[series.(object)["id"]] = series.(object)["name"]
			}
			for _, point := range drawn["data"].([]any) {
				point := point.(object)
				group, _ := point["group"].(string)
				at := strings.TrimSuffix(strings.TrimPrefix(point["timestamp"].(string), "2026-05-02T"), ":00.000000Z")
				points = append(points, strings.Join(strings.Fields(fmt.Sprint(names[point["series_id"]], " ", group, " ", at, " ", point["value"])), " "))
			}
			all[fmt.Sprint(section["title"], "/", drawn["title"])] = points
		}
	}
	return all
}

// chartedRuns logs the traces of conversation, and one at 10:20 whose tool is a grandchild of the root.
func chartedRuns(p *plane) map[string]string {
	p.T.Helper()
	ids := conversation(p)
	root := devservertest.RootRun(object{"name": "root", "start_time": "2026-05-02T10:20:00Z", "end_time": "2026-05-02T10:20:04Z", "tags": []any{"a"}})
	plan := devservertest.ChildRun(root, object{"name": "plan", "run_type": "chain", "start_time": "2026-05-02T10:20:00Z", "end_time": "2026-05-02T10:20:03Z"})
	tool := devservertest.ChildRun(plan, object{"name": "search", "run_type": "tool", "start_time": "2026-05-02T10:20:01Z", "end_time": "2026-05-02T10:20:02Z"})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{root, plan, tool}}).Want(http.StatusAccepted)
	p.Rate(object{"run_id": ids["root"], "key": "correct", "score": 0.5})
	p.Rate(object{"run_id": ids["later"], "key": "correct", "score": 1})
	p.Rate(object{"run_id": root["id"], "key": "tone", "value": "rude"})
	return ids
}

// quarters has three steps, the last of which is cut off.
var quarters = object{"start_time": "2026-05-02T10:00:00Z", "end_time": "2026-05-02T10:35:00Z"}

// TestDashboard checks the documented charts of a project's dashboard, in each step.
func TestDashboard(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := chartedRuns(p)
	got := charts(p, ids["agents"], quarters)
	for title, want := range map[string][]string{
		"Traces/Trace Count":       {"Count 10:00 2", "Count 10:15 1", "Count 10:30 0"},
		"Traces/Trace Latency":     {"P50 10:00 2", "P50 10:15 4", "P50 10:30 <nil>", "P99 10:00 2", "P99 10:15 4", "P99 10:30 <nil>"},
		"Traces/Trace Error Rate":  {"Error Rate 10:00 0", "Error Rate 10:15 0", "Error Rate 10:30 <nil>"},
		"LLM Calls/LLM Call Count": {"Count 10:00 1", "Count 10:15 0", "Count 10:30 0"},
		"Cost & Tokens/Total Cost": {
			"Total 10:00 0.5", "Total 10:15 <nil>", "Total 10:30 <nil>", "Input 10:00 <nil>", "Input 10:15 <nil>", "Input 10:30 <nil>",
			"Output 10:00 <nil>", "Output 10:15 <nil>", "Output 10:30 <nil>",
		},
		"Cost & Tokens/Tokens": {
			"Total 10:00 30", "Total 10:15 0", "Total 10:30 0", "Input 10:00 20", "Input 10:15 0", "Input 10:30 0",
			"Output 10:00 10", "Output 10:15 0", "Output 10:30 0",
		},
		"Cost & Tokens/Tokens per Trace": {
			"P50 10:00 15", "P50 10:15 0", "P50 10:30 <nil>", "P99 10:00 30", "P99 10:15 0", "P99 10:30 <nil>", // Of 0 and 30.
		},
		"Tools/Run Count":          {"Count search 10:15 1", "Count tool 10:00 1"},
		"Tools/Error Rate":         {"Error Rate search 10:15 0", "Error Rate tool 10:00 1"},
		"Run Types/Run Count":      {"Count call 10:00 1", "Count plan 10:15 1", "Count tool 10:00 1"},
		"Run Types/Median Latency": {"P50 call 10:00 1", "P50 plan 10:15 3", "P50 tool 10:00 0.1"},
		"Feedback Scores/correct":  {"correct 10:00 0.75", "correct 10:15 <nil>", "correct 10:30 <nil>"},
		"Feedback Scores/tone":     {"tone 10:00 <nil>", "tone 10:15 map[rude:1]", "tone 10:30 <nil>"},
	} {
		devservertest.Same(t, title, want, got[title])
	}
	byTag := charts(p, ids["agents"], devservertest.With(quarters, object{"group_by": object{"attribute": "tag", "max_groups": 1}}))
	devservertest.Same(t, "the largest tag", []string{"Count a 10:00 1", "Count a 10:15 1"}, byTag["Traces/Trace Count"])
	devservertest.Same(t, "tools, which are always grouped by name", got["Tools/Run Count"], byTag["Tools/Run Count"])
	for title, points := range charts(p, ids["agents"], devservertest.With(quarters, object{"omit_data": true})) {
		if len(points) != 0 {
			t.Errorf("%s without data = %v, want no points", title, points)
		}
	}
}

// TestDashboardSteps checks that steps of a day are calendar days of the time zone, and that steps are adjacent.
func TestDashboardSteps(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	for name, test := range map[string]struct {
		request object
		want    []string
	}{
		// In 2026, clocks go forward in Berlin on 29 March, which has 23 hours.
		"short day": {object{"start_time": "2026-03-28T23:00:00Z", "end_time": "2026-03-30T22:00:00Z", "stride": object{"days": 1}, "timezone": "Europe/Berlin"},
			[]string{"Count 2026-03-28T23:00 0", "Count 2026-03-29T22:00 0"}},
		"hours and minutes": {object{"start_time": "2026-05-02T09:00:00Z", "end_time": "2026-05-02T12:00:00Z", "stride": object{"hours": 1, "minutes": 30}},
			[]string{"Count 09:00 2", "Count 10:30 0"}},
		// A run at the end of a step belongs to the next one; at the end of the last step, to none.
		"edges": {object{"start_time": "2026-05-02T09:55:00Z", "end_time": "2026-05-02T10:05:00Z", "stride": object{"minutes": 5}},
			[]string{"Count 09:55 0", "Count 10:00 1"}},
	} {
		devservertest.Same(t, name, test.want, charts(p, ids["agents"], test.request)["Traces/Trace Count"])
	}
	// The default is the last day in steps of 15 minutes.
	if points := charts(p, ids["agents"], object{})["Traces/Trace Count"]; len(points) != 96 {
		t.Errorf("%d steps by default, want 96", len(points))
	}
}

func TestDashboardRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	createSession(p, "", object{"id": projectA, "name": "chat"})
	path := "/sessions/" + projectA + "/dashboard"
	for problem, request := range map[string]object{
		"start_time datetime_parsing":      {"start_time": "noon"},
		"start_time value_error":           {"start_time": "2026-05-02T10:00:00Z", "end_time": "2026-05-02T10:00:00Z"},
		"stride value_error":               {"stride": object{"hours": 0}},
		"timezone value_error":             {"timezone": "Mars/Olympus"},
		"group_by.attribute literal_error": {"group_by": object{"attribute": "mood"}},
	} {
		got := devservertest.Problems(p.Do(http.MethodPost, path, request).Want(http.StatusUnprocessableEntity))
		devservertest.Same(t, fmt.Sprint(request), []string{problem}, got)
	}
	for _, request := range []object{
		{"stride": object{"days": -1, "hours": 25}}, {"stride": object{"minutes": int64(1) << 62}},
		{"start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-01T16:41:00Z", "stride": object{"minutes": 1}}, // 1001 steps.
	} {
		got := devservertest.Problems(p.Do(http.MethodPost, path, request).Want(http.StatusUnprocessableEntity))
		devservertest.Same(t, fmt.Sprint(request), []string{"stride value_error"}, got)
	}
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodPost, path, object{}).Want(http.StatusNotFound)
}
