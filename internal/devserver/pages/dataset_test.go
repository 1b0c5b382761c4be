package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// comparedView is what TestDatasetPage reads of a comparison.
type comparedView struct {
	Worse       int
	Experiments []struct {
		ID, Name string
		Result   resultView
		Scores   []scoreView
	}
	Others   []struct{ Name, URL string }
	Examples []struct {
		Inputs, Expected string
		Deleted          bool
		Results          []resultView
	}
}

type resultView struct {
	Runs, Errors int
	Outputs      string
	Latency      *float64
	TotalCost    string `json:"total_cost"`
	Scores       []scoreView
	Worse        bool
}

type scoreView struct{ Name, Value, Change string }

// TestDatasetPage compares experiments: what became worse comes first.
func TestDatasetPage(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	dataset := devservertest.Into[object](p.Do(http.MethodPost, "/datasets", object{"name": "capitals"}).Want(http.StatusOK))["id"].(string)
	page := "/ui/datasets/" + dataset
	examples := map[string]string{}
	for _, country := range []string{"Chad", "France", "Spain", "Peru"} {
		e := devservertest.Into[object](p.Do(http.MethodPost, "/examples", object{"dataset_id": dataset, "inputs": object{"country": country}}).Want(http.StatusOK))
		examples[country] = e["id"].(string)
	}
	if view := asJSON[comparedView](p, page); len(view.Examples) != 4 || len(view.Experiments) != 0 || view.Examples[3].Inputs != "Chad" {
		t.Errorf("without experiments: %+v, want the examples", view)
	}
	p.Do(http.MethodPost, "/feedback-configs", object{"feedback_key": "words", "feedback_config": object{"type": "continuous"}, "is_lower_score_better": true}).Want(http.StatusOK)
	sessions := map[string]string{}
	// The columns are the score of correct, that of words, and whether the run failed.
	for _, e := range []struct {
		name string
		runs map[string][3]float64
	}{
		{"first", map[string][3]float64{"France": {1, 2, 0}}},
		{"second", map[string][3]float64{"Chad": {0, 3, 0}, "France": {1, 3, 0}, "Spain": {1, 3, 0}, "Peru": {1, 3, 0}}},
		{"third", map[string][3]float64{"Chad": {1, 3, 0}, "France": {1, 2, 0}, "Spain": {0, 3, 0}, "Peru": {1, 3, 1}}},
	} {
		session := devservertest.Into[object](p.Do(http.MethodPost, "/sessions", object{"name": e.name, "reference_dataset_id": dataset}).Want(http.StatusOK))
		sessions[e.name] = session["id"].(string)
		for i, country := range []string{"Chad", "France", "Spain", "Peru"} {
			of, tested := e.runs[country]
			if !tested {
				continue
			}
			run := devservertest.RootRun(object{
				"run_type": "llm", "session_name": e.name, "reference_example_id": examples[country], "start_time": fmt.Sprintf("2026-05-02T10:0%d:00Z", i),
				"end_time": fmt.Sprintf("2026-05-02T10:0%d:02Z", i),
				"outputs":  object{"capital": "of " + country, "usage_metadata": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "total_cost": 0.25}},
			})
			if of[2] > 0 {
				run["error"] = "late"
			}
			p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
			for key, score := range map[string]float64{"correct": of[0], "words": of[1]} {
				p.Do(http.MethodPost, "/feedback", object{"run_id": run["id"], "key": key, "score": score}).Want(http.StatusOK)
			}
		}
	}
	p.Do(http.MethodPost, "/feedback", object{"session_id": sessions["third"], "key": "count", "score": 4}).Want(http.StatusOK)
	p.Do(http.MethodDelete, "/examples/"+examples["Peru"], nil).Want(http.StatusOK)

	view := asJSON[comparedView](p, page)
	seconds := 2.0
	unchanged := resultView{Runs: 1, Outputs: "of Chad", Latency: &seconds, TotalCost: "0.25", Scores: []scoreView{{"correct", "1", "better"}, {"words", "3", ""}}}
	if len(view.Experiments) != 3 || len(view.Examples) != 4 || view.Worse != 2 {
		t.Fatalf("%d experiments, %d examples, %d of them worse; want 3, 4 and 2: %+v", len(view.Experiments), len(view.Examples), view.Worse, view)
	}
	all := view.Experiments[0]
	wantAll := resultView{Runs: 4, Errors: 1, Latency: &seconds, TotalCost: "1", Scores: []scoreView{{"correct", "0.75", ""}, {"words", "2.75", "better"}}, Worse: true}
	all.Result.Outputs = ""
	if diff := cmp.Diff(wantAll, all.Result); diff != "" || all.Name != "third" {
		t.Errorf("newest experiment %s (-want +got):\n%s", all.Name, diff)
	}
	if diff := cmp.Diff([]scoreView{{"count", "4", ""}}, all.Scores); diff != "" {
		t.Errorf("its own scores (-want +got):\n%s", diff)
	}
	var order []string
	for _, e := range view.Examples {
		order = append(order, fmt.Sprint(e.Results[0].Outputs, " ", e.Results[0].Worse, " ", e.Deleted))
	}
	want := []string{"{\"capital\":\"of Spain\"", "{\"capital\":\"of Peru\"", "{\"capital\":\"of Chad\"", "{\"capital\":\"of France\""}
	for i, prefix := range want {
		if !strings.HasPrefix(order[i], prefix) || strings.HasSuffix(order[i], "true true") != (i == 1) || strings.Contains(order[i], "} true") != (i < 2) {
			t.Errorf("row %d = %s, want %s, worse: %t, deleted: %t", i, order[i], prefix, i < 2, i == 1)
		}
	}
	got := view.Examples[2].Results[0]
	got.Outputs = unchanged.Outputs
	if diff := cmp.Diff(unchanged, got); diff != "" {
		t.Errorf("Chad (-want +got):\n%s", diff)
	}
	if view.Examples[2].Results[2].Runs != 0 || view.Examples[3].Results[1].Scores[1].Change != "worse" {
		t.Errorf("results of before = %+v, want no run of Chad in the first, and more words for France in the second", view.Examples)
	}
	// Links of clients name experiments. One alone is compared with the one before.
	for query, want := range map[string]string{
		"?selectedSessions=" + sessions["second"]:                          "second first",
		"?selectedSessions=" + sessions["first"]:                           "first",
		"?selectedSessions=" + sessions["first"] + "," + sessions["third"]: "third first",
	} {
		var names []string
		for _, e := range asJSON[comparedView](p, "/o/"+devserver.DefaultWorkspaceID+"/datasets/"+dataset+"/compare"+query).Experiments {
			names = append(names, e.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s compares %s, want %s", query, got, want)
		}
	}
	if others := asJSON[comparedView](p, page+"?selectedSessions="+sessions["second"]).Others; len(others) != 1 || others[0].Name != "third" {
		t.Errorf("others = %v, want the third", others)
	}
	p.Do(http.MethodGet, "/ui/datasets/"+nobody, nil).Want(http.StatusNotFound)
}
