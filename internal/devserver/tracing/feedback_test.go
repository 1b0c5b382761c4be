package tracing_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

const feedbackA, feedbackB = "fa000000-0000-4000-8000-000000000001", "fb000000-0000-4000-8000-000000000002"

// TestFeedback creates, reads, changes and deletes feedback.
func TestFeedback(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	want := object{
		"id": feedbackA, "key": "correct", "score": 0.75, "value": nil, "correction": object{"answer": "Mie"}, "comment": "nearly", "run_id": ids["call"],
		"trace_id": ids["root"], "session_id": ids["agents"], "is_root": false, "start_time": nil, "error": nil, "extra": nil,
		"comparative_experiment_id": nil, "feedback_group_id": nil, "feedback_thread_id": nil,
		"created_at": "2026-05-02T10:00:00.000000Z", "modified_at": "2026-05-02T10:00:00.000000Z",
		"feedback_source": object{"type": "model", "metadata": object{"judge": "j"}, "user_id": nil, "ls_user_id": nil, "user_name": nil},
	}
	said := object{
		"id": feedbackA, "key": "correct", "score": 0.75, "correction": object{"answer": "Mie"}, "comment": "nearly", "run_id": ids["call"],
		"feedback_source": object{"type": "model", "metadata": object{"judge": "j"}},
	}
	for range 2 { // Sending it again, as after a lost reply, changes nothing.
		devservertest.Same(t, "created", want, p.Rate(said))
	}
	devservertest.Same(t, "list", []object{want}, devservertest.Get[[]object](p, "/feedback"))
	// Null removes a value; absent fields are kept.
	changed := devservertest.Into[object](p.Do(http.MethodPatch, "/feedback/"+feedbackA, object{"score": true, "comment": nil}).Want(http.StatusOK))
	want["score"], want["comment"] = true, nil
	devservertest.Same(t, "changed", want, changed)
	devservertest.Same(t, "read", want, devservertest.Get[object](p, "/feedback/"+feedbackA))
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodGet, "/feedback/"+feedbackA, nil).Want(http.StatusNotFound)
	p.Do(http.MethodDelete, "/feedback/"+feedbackA, nil).Want(http.StatusOK)
	p.Do(http.MethodDelete, "/feedback/"+feedbackA, nil).Want(http.StatusNotFound)
	p.Do(http.MethodPatch, "/feedback/"+feedbackA, object{"score": 1}).Want(http.StatusNotFound)
}

// TestFeedbackRefused checks that feedback that clients couldn't read is refused.
func TestFeedbackRefused(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for problem, said := range map[string]object{
		"key missing":               {"run_id": runA},
		"key string_too_short":      {"run_id": runA, "key": ""},
		"run_id missing":            {"key": "k"},
		"run_id uuid_parsing":       {"key": "k", "run_id": "r"},
		"score float_type":          {"key": "k", "run_id": runA, "score": "good"},
		"value value_error":         {"key": "k", "run_id": runA, "value": []any{1}},
		"feedback_source dict_type": {"key": "k", "run_id": runA, "feedback_source": "me"},
	} {
		got := devservertest.Problems(p.Do(http.MethodPost, "/feedback", said).Want(http.StatusUnprocessableEntity))
		devservertest.Same(t, fmt.Sprint(said), []string{problem}, got)
	}
	for _, score := range []float64{0.12345, 1e13, -1e200} { // The sum of squares of the last one overflows.
		p.Do(http.MethodPost, "/feedback", object{"key": "k", "run_id": runA, "score": score}).Want(http.StatusUnprocessableEntity)
	}
	p.Do(http.MethodPost, "/feedback", object{"key": "k", "session_id": runA}).Want(http.StatusNotFound)
}

// TestFeedbackStatistics checks that feedback is shown on its run, matched by filters, and aggregated for projects.
func TestFeedbackStatistics(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	for _, said := range []object{
		{"run_id": ids["root"], "key": "correct", "score": 0.5, "comment": "so so"},
		{"run_id": ids["root"], "key": "correct", "score": 1, "feedback_source": object{"type": "model"}},
		{"run_id": ids["later"], "key": "correct", "score": 0},
		{"run_id": ids["later"], "key": "tone", "value": "rude", "error": true},
		{"run_id": ids["call"], "key": "brief", "score": true},
		{"session_id": ids["agents"], "key": "overall", "score": 4},
	} {
		p.Rate(said)
	}
	deviation := 0.3535533905932738 // Of 0.5 and 1: the square root of 1/8.
	ofRoot := object{"correct": object{
		"n": 2.0, "avg": 0.75, "stdev": deviation, "min": 0.5, "max": 1.0, "errors": 0.0, "values": object{},
		"comments": []any{"so so"}, "sources": []any{"api", "model"}, "contains_thread_feedback": false,
	}}
	devservertest.Same(t, "run", ofRoot, devservertest.Get[object](p, "/runs/"+ids["root"])["feedback_stats"], nearly)
	second := devservertest.Get[object](p, "/v2/runs/"+ids["root"]+"?selects=FEEDBACK_STATS")
	devservertest.Same(t, "run in API v2", ofRoot, second["feedback_stats"], nearly)
	ofMany := func(n int, avg, stdev, low, high, median any, errors int, values object) object {
		return object{"n": float64(n), "avg": avg, "stdev": stdev, "min": low, "max": high, "median": median, "errors": float64(errors), "values": values}
	}
	ofTraces := object{
		"correct": ofMany(3, 0.5, 0.5, 0.0, 1.0, 0.5, 0, object{}), // Of 0, 0.5 and 1.
		"tone":    ofMany(1, nil, nil, nil, nil, nil, 1, object{"rude": 1.0}),
	}
	figures := stats(p, object{"session": []any{ids["agents"]}, "is_root": true})
	devservertest.Same(t, "root runs", ofTraces, figures["feedback_stats"], nearly)
	session := devservertest.Get[object](p, "/sessions/"+ids["agents"]+"?include_stats=true")
	devservertest.Same(t, "project", ofTraces, session["feedback_stats"], nearly)
	ofProject := object{"overall": ofMany(1, 4.0, nil, 4.0, 4.0, 4.0, 0, object{})}
	devservertest.Same(t, "project itself", ofProject, session["session_feedback_stats"], nearly)
	groups := stats(p, object{"group_by": object{"attribute": "name"}, "select": []any{"feedback_stats"}})
	if _, there := groups["call"].(object)["feedback_stats"].(object)["brief"]; !there || groups["tool"].(object)["feedback_stats"] != nil {
		t.Errorf("groups = %v, want brief feedback on call and none on tool", groups)
	}

	for filter, want := range map[string][]string{
		`eq(feedback_key, "correct")`:                                                   {"later", "root"},
		`and(eq(feedback_key, "correct"), eq(feedback_score, 0.0))`:                     {"later"},
		`and(eq(feedback_key, "correct"), gt(feedback_score, 0.9))`:                     {"root"},
		`and(eq(feedback_key, "tone"), gte(feedback_score, 0))`:                         {}, // Both conditions must hold for the same feedback.
		`and(eq(feedback_key, "brief"), eq(feedback_score, true))`:                      {"call"},
		`and(eq(feedback_key, "tone"), eq(feedback_value, "rude"))`:                     {"later"},
		`neq(feedback_key, "correct")`:                                                  {"call", "elsewhere", "tool"},
		`eq(feedback_source, "model")`:                                                  {"root"},
		`eq(feedback_comment, "so so")`:                                                 {"root"},
		`or(neq(error, null), and(eq(feedback_key,"correct"), eq(feedback_score,0.0)))`: {"later", "tool"},
	} {
		page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"filter": filter}).Want(http.StatusOK))
		devservertest.Same(t, filter, want, names(t, page["runs"]))
	}
	// A trace filter uses feedback on the root.
	page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"trace_filter": `eq(feedback_score, 1)`}).Want(http.StatusOK))
	devservertest.Same(t, "trace filter", []string{"call", "root", "tool"}, names(t, page["runs"]))
}

// TestFeedbackModified limits conditions on feedback to feedback modified in a time range.
func TestFeedbackModified(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	p.Rate(object{"run_id": ids["root"], "key": "correct", "score": 1})
	changed := p.Rate(object{"run_id": ids["call"], "key": "correct", "score": 0})
	p.Clock.Advance(time.Hour)
	p.Rate(object{"run_id": ids["later"], "key": "correct", "score": 1})
	p.Do(http.MethodPatch, "/feedback/"+changed["id"].(string), object{"score": 1}).Want(http.StatusOK)
	const hour = "2026-05-02T11:00:00Z"
	for _, test := range []struct {
		query object
		want  []string
	}{
		{object{"filter": `eq(feedback_key, "correct")`, "min_feedback_modified_at": hour}, []string{"call", "later"}}, // The lower bound is inclusive,
		{object{"filter": `eq(feedback_key, "correct")`, "max_feedback_modified_at": hour}, []string{"root"}},          // the upper one exclusive.
		{object{"filter": `and(in(feedback_key, ["correct"]), eq(feedback_score, 1))`, "min_feedback_modified_at": "2026-05-02T10:00:00Z",
			"max_feedback_modified_at": "2026-05-02T10:30:00Z"}, []string{"root"}},
		{object{"filter": `and(eq(run_type, "llm"), neq(feedback_key, "correct"))`, "max_feedback_modified_at": hour}, []string{"call"}},
		{object{"trace_filter": `eq(feedback_key, "correct")`, "min_feedback_modified_at": hour}, []string{"later"}},
		{object{"tree_filter": `eq(feedback_key, "correct")`, "min_feedback_modified_at": hour}, []string{"call", "later", "root", "tool"}},
	} {
		query := devservertest.With(test.query, object{"project_ids": []any{ids["agents"]}, "selects": []any{"NAME"}})
		page := devservertest.Into[object](p.Do(http.MethodPost, "/api/v2/runs/query", query).Want(http.StatusOK))
		devservertest.Same(t, fmt.Sprint(test.query), test.want, names(t, page["items"]))
	}
	traces := devservertest.Into[object](p.Do(http.MethodPost, "/api/v2/traces/query", object{
		"project_id": ids["agents"], "trace_filter": `eq(feedback_key, "correct")`, "max_feedback_modified_at": hour,
	}).Want(http.StatusOK))
	if items := traces["items"].([]any); len(items) != 1 {
		t.Errorf("traces = %v, want one", items)
	}
	for problem, query := range map[string]object{
		"max_feedback_modified_at value_error":      {"max_feedback_modified_at": hour, "filter": `eq(name, "root")`},
		"min_feedback_modified_at value_error":      {"min_feedback_modified_at": hour},
		"min_feedback_modified_at datetime_parsing": {"min_feedback_modified_at": "noon", "filter": `eq(feedback_key, "correct")`},
	} {
		got := devservertest.Problems(p.Do(http.MethodPost, "/api/v2/runs/query", query).Want(http.StatusUnprocessableEntity))
		devservertest.Same(t, fmt.Sprint(query), []string{problem}, got)
	}
}

// TestListFeedback lists the keys of feedback with each parameter.
func TestListFeedback(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	ids := conversation(p)
	for at, said := range []object{
		{"run_id": ids["root"], "key": "a", "score": 1, "comment": "x"},
		{"run_id": ids["elsewhere"], "key": "b", "value": "v", "feedback_source": object{"type": "app"}},
		{"session_id": ids["agents"], "key": "c"},
		{"run_id": runB, "key": "d"},
	} {
		said["created_at"] = "2026-05-02T10:00:0" + string(rune('0'+at)) + "Z"
		p.Rate(said)
	}
	for query, want := range map[string]string{
		"":                                    "d c b a", // Newest first.
		"run=" + ids["root"] + "&run=" + runB: "d a",
		"session=" + ids["agents"]:            "c a",
		"key=b&key=c":                         "c b",
		"source=app":                          "b",
		"has_score=true":                      "a",
		"has_comment=false":                   "d c b",
		"level=session":                       "c",
		"level=run":                           "d b a",
		"user=" + runA:                        "",
		"min_created_at=2026-05-02T10:00:01Z&max_created_at=2026-05-02T10:00:02Z": "c b",
		"limit=2":                               "d c",
		"limit=2&offset=2":                      "b a",
		"limit=2&offset=4&include_user_names=1": "",
	} {
		keys := []string{}
		for _, one := range devservertest.Get[[]object](p, "/feedback?"+query) {
			keys = append(keys, one["key"].(string))
		}
		devservertest.Same(t, fmt.Sprintf("%s: keys", query), want, strings.Join(keys, " "))
	}
	// Deleting a project also deletes the feedback on its runs.
	p.Do(http.MethodDelete, "/sessions/"+ids["agents"], nil).Want(http.StatusAccepted)
	if left := devservertest.Get[[]object](p, "/feedback"); len(left) != 2 {
		t.Errorf("%d left, want 2: %v", len(left), left)
	}
}

// TestFeedbackInUploads uploads feedback together with its run, and before its run.
func TestFeedbackInUploads(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	run := devservertest.RootRun(object{"name": "rated"})
	devservertest.NewUpload(t).Rate(feedbackA, object{"key": "early", "score": 0.25, "run_id": run["id"], "trace_id": run["id"]}).
		Send(p).Want(http.StatusAccepted)
	if early := devservertest.Get[object](p, "/feedback/"+feedbackA); early["trace_id"] != run["id"] || early["session_id"] != nil {
		t.Errorf("feedback before its run = %v, want it with the trace and without a project", early)
	}
	devservertest.NewUpload(t).Add("post", run).Rate(feedbackB, object{"key": "late", "score": 1, "run_id": run["id"]}).
		Send(p).Want(http.StatusAccepted)
	shown := devservertest.Get[object](p, "/runs/"+run["id"].(string))["feedback_stats"].(object)
	if shown["early"].(object)["avg"] != 0.25 || shown["late"].(object)["avg"] != 1.0 {
		t.Errorf("feedback on the run = %v, want early 0.25 and late 1", shown)
	}
	refused := devservertest.NewUpload(t).Rate(feedbackB, object{"key": "bad", "score": "x", "run_id": run["id"]}).Send(p)
	if refused.Status != http.StatusUnprocessableEntity || !strings.Contains(string(refused.Body), "feedback "+feedbackB+": score") {
		t.Errorf("status %d, want 422 that names the feedback and the score: %s", refused.Status, refused.Body)
	}
}

func TestFeedbackConfigs(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	categories := object{"type": "categorical", "min": nil, "max": nil, "categories": []any{object{"value": 0.0, "label": "bad"}, object{"value": 1.0, "label": "good"}}}
	want := object{
		"feedback_key": "taste", "feedback_config": categories, "tenant_id": devservertest.WorkspaceA, "is_lower_score_better": nil,
		"modified_at": "2026-05-02T10:00:00.000000Z",
	}
	said := object{"feedback_key": "taste", "feedback_config": categories}
	for range 2 {
		devservertest.Same(t, "created", want, devservertest.Into[object](p.Do(http.MethodPost, "/feedback-configs", said).Want(http.StatusOK)))
	}
	p.Do(http.MethodPost, "/feedback-configs", object{"feedback_key": "taste", "feedback_config": object{"type": "freeform"}}).Want(http.StatusBadRequest)
	p.Do(http.MethodPost, "/feedback-configs", object{"feedback_key": "taste", "feedback_config": object{"type": "loud"}}).Want(http.StatusUnprocessableEntity)
	p.Do(http.MethodPatch, "/feedback-configs", object{
		"feedback_key": "taste", "is_lower_score_better": true, "add_categories": []any{object{"value": 2, "label": "great"}},
		"remove_categories": []any{object{"value": 0, "label": "bad"}},
	}).Want(http.StatusOK)
	// Feedback with a new key makes a config; one client sends the config as feedbackConfig.
	p.Rate(object{"key": "speed", "run_id": runA, "score": 3})
	p.Rate(object{"key": "grade", "run_id": runA, "score": 3, "feedbackConfig": object{"type": "continuous", "min": 1, "max": 6}})
	p.Do(http.MethodPost, "/feedback", object{"key": "grade", "run_id": runA, "feedback_config": object{"type": "freeform"}}).Want(http.StatusBadRequest)
	got := map[string]any{}
	for _, config := range devservertest.Get[[]object](p, "/feedback-configs?key=taste&key=speed&key=grade&limit=10") {
		got[config["feedback_key"].(string)] = config["feedback_config"]
	}
	all := map[string]any{
		"taste": object{"type": "categorical", "min": nil, "max": nil, "categories": []any{object{"value": 1.0, "label": "good"}, object{"value": 2.0, "label": "great"}}},
		"speed": object{"type": "continuous", "min": nil, "max": nil, "categories": nil},
		"grade": object{"type": "continuous", "min": 1.0, "max": 6.0, "categories": nil},
	}
	devservertest.Same(t, "list", all, got)
	p.Do(http.MethodDelete, "/feedback-configs?feedback_key="+url.QueryEscape("taste"), nil).Want(http.StatusOK)
	p.Do(http.MethodDelete, "/feedback-configs?feedback_key=taste", nil).Want(http.StatusNotFound)
	p.Do(http.MethodPatch, "/feedback-configs", object{"feedback_key": "taste"}).Want(http.StatusNotFound)
}

// TestFeedbackConfigAgain creates configurations again. Only other values conflict, not other spellings of the same.
func TestFeedbackConfigAgain(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	p.Rate(object{"key": "speed", "run_id": runA, "score": 3}) // Makes a configuration.
	made := object{"feedback_key": "speed", "feedback_config": object{"type": "continuous", "min": nil, "max": nil, "categories": nil}}
	first := devservertest.Get[[]object](p, "/feedback-configs?key=speed")[0]
	for _, again := range []object{
		made, devservertest.With(made, object{"is_lower_score_better": false}), {"feedback_key": "speed", "feedback_config": object{"type": "continuous", "categories": []any{}}},
	} {
		devservertest.Same(t, fmt.Sprint(again), first, devservertest.Into[object](p.Do(http.MethodPost, "/feedback-configs", again).Want(http.StatusOK)))
	}
	p.Do(http.MethodPost, "/feedback-configs", devservertest.With(made, object{"is_lower_score_better": true})).Want(http.StatusBadRequest)
	p.Do(http.MethodPost, "/feedback-configs", object{"feedback_key": "speed", "feedback_config": object{"type": "continuous", "min": 0}}).Want(http.StatusBadRequest)
	p.Do(http.MethodPatch, "/feedback-configs", object{"feedback_key": "speed", "is_lower_score_better": true}).Want(http.StatusOK)
	p.Rate(object{"key": "speed", "run_id": runA, "score": 3, "feedback_config": object{"type": "continuous"}})
	p.Do(http.MethodPost, "/feedback-configs", made).Want(http.StatusBadRequest)
}
