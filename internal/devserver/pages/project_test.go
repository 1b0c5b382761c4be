package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestProjectGroups checks that figures by model count the model's calls, those by tag the traces with the tag, and those by feedback the
// traces with a score, however many gave it.
func TestProjectGroups(t *testing.T) {
	t.Parallel()
	p, path := browsed(t)
	tagged := devservertest.RootRun(object{
		"name": "tagged", "tags": []any{"web", "eu"}, "start_time": "2026-05-02T09:50:00Z", "end_time": "2026-05-02T09:50:07Z",
	})
	p.Do(http.MethodPost, "/runs", tagged).Want(http.StatusAccepted)
	for _, said := range []object{{"key": "correct", "score": 1}, {"key": "correct", "score": 1}, {"key": "correct", "score": 0.5}, {"key": "tone", "value": "good"}} {
		p.Do(http.MethodPost, "/feedback", devservertest.With(said, object{"run_id": tagged["id"]})).Want(http.StatusOK)
	}
	group := func(name string, runs, errors, tokens int, latency any) object {
		return object{"name": name, "runs": float64(runs), "errors": float64(errors), "total_tokens": float64(tokens), "latency_p50": latency}
	}
	for query, want := range map[string][]object{
		"": {},
		// Two calls each, of 4 s and 2 s, and of 1 s and 3 s. Only their roots have failed.
		"?by=model":                    {group("large", 2, 0, 502, 2.0), group("small", 2, 0, 502, 3.0)},
		"/figures?by=tag":              {group("eu", 1, 0, 0, 7.0), group("web", 1, 0, 0, 7.0)},
		"/figures?by=feedback.correct": {group("0.5", 1, 0, 0, 7.0), group("1", 1, 0, 0, 7.0)},
		"/figures?by=feedback.tone":    {group("good", 1, 0, 0, 7.0)},
		"?by=model&range=1h":           {group("large", 2, 0, 502, 2.0), group("small", 1, 0, 401, 2.0)}, // From 9:05: the last hour consists of whole steps.
	} {
		view := asJSON[struct {
			Figures struct {
				Groups []struct {
					Name    string
					Figures object
					Points  []object
				}
			}
		}](p, path+query)
		got := []object{}
		for _, g := range view.Figures.Groups {
			one := object{"name": g.Name}
			for _, key := range []string{"runs", "errors", "total_tokens", "latency_p50"} {
				one[key] = g.Figures[key]
			}
			sum := 0.0
			for _, point := range g.Points {
				sum += point["runs"].(float64)
			}
			if sum != one["runs"] {
				t.Errorf("%s: the steps of %s add up to %v runs, want %v", query, g.Name, sum, one["runs"])
			}
			got = append(got, one)
		}
		devservertest.Same(t, fmt.Sprintf("%q", query), want, got)
	}
	p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"name": "tagged too", "tags": []any{"web"}, "start_time": "2026-05-02T09:51:00Z"})).Want(http.StatusAccepted)
	if text := read(p, path+"/figures?by=tag"); !strings.Contains(text, `web</a></th><td class="number">2</td>`) {
		t.Error("a run logged later isn't counted")
	}
	if text := read(p, path+"?by=tag&range=7d&q=refund"); !strings.Contains(text, `href="`+path+`?by=model&q=refund&range=7d#figures"`) {
		t.Error("the link to another grouping loses the search or the range")
	}
	contains(t, read(p, "/ui/projects"), `?groups=p95#figures">`, `id="figures"`) // The headings lead back to the table.
	contains(t, read(p, path+"?by=no"), "Figures can't be grouped by no.")
	contains(t, read(p, path+"?q=nothing"), ">by feedback.correct<", ">by feedback.tone<") // No run is shown.
}

// TestFacets checks that metadata entries are facets, and models too if only child runs call them.
func TestFacets(t *testing.T) {
	t.Parallel()
	p, path := browsed(t)
	for i, tier := range []string{"free", "pro", "free"} {
		p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{
			"name": tier, "start_time": "2026-05-02T09:55:0" + string(rune('0'+i)) + "Z", "extra": object{"metadata": object{"customer \"tier\"": tier}},
		})).Want(http.StatusAccepted)
	}
	type facet struct {
		Value, URL string
		Count      float64
	}
	facets := func(query string) map[string][]facet {
		view := asJSON[struct {
			Runs struct {
				Facets []struct {
					Label  string
					Facets []facet
				}
			}
		}](p, path+query)
		all := map[string][]facet{}
		for _, group := range view.Runs.Facets {
			all[group.Label] = group.Facets
		}
		return all
	}
	found := facets("")
	metadata := found["Metadata"]
	constant := object{}
	for i := range 25 {
		constant[fmt.Sprint("constant ", i)] = "c"
	}
	for i := range 6 {
		tagged := object{"name": "constant", "start_time": "2026-05-02T09:56:00Z", "extra": object{"metadata": devservertest.With(constant, object{"prompt": fmt.Sprint(i % 2), "revision_id": fmt.Sprint(i % 2)})}}
		p.Do(http.MethodPost, "/runs", devservertest.RootRun(tagged)).Want(http.StatusAccepted)
	}
	text := read(p, path)
	contains(t, text, ">by revision<", ">by metadata.prompt<") // Behind 25 others.
	for _, offered := range []string{": c</a>", `data-chip="metadata.`, ">by metadata."} {
		if n := strings.Count(text, offered); n > 10 {
			t.Errorf("the page has %d texts %s, want at most ten", n, offered)
		}
	}
	if n := len(facets("")["Metadata"]); n != 10 || strings.Contains(text, ">by metadata.revision_id<") {
		t.Errorf("there are %d facets of metadata, want ten; and revisions are to be a grouping once", n)
	}
	if len(metadata) != 2 || metadata[0].Value != `customer "tier": free` || metadata[0].Count != 2 || metadata[1].Value != `customer "tier": pro` {
		t.Fatalf("metadata facets = %+v, want the two tiers, free with 2 runs first", metadata)
	}
	devservertest.Same(t, "runs of the facet", []string{"free", "free"}, listed(read(p, metadata[0].URL)))
	models := found["Model"]
	if len(models) != 2 || models[0].Value != "large" || models[0].Count != 2 {
		t.Fatalf("model facets = %+v, want large first, with 2 runs", models)
	}
	devservertest.Same(t, "calls of the model", []string{"call third", "call second"}, listed(read(p, models[0].URL)))
	if calls := facets("?scope=all&run_type=llm"); len(calls["Metadata"]) != 0 || len(calls["Model"]) != 2 {
		t.Errorf("facets of calls = %+v, want no metadata and two models", calls)
	}
}

// TestListenerUsers checks that a listener links to its deployments.
func TestListenerUsers(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As().WithSeed(devserver.DefaultWorkspaceID)
	if text := read(p, "/ui/listeners"); !strings.Contains(text, "no deployment") {
		t.Error("the page doesn't contain \"no deployment\" for the unused listener")
	}
	d := p.Create(devservertest.ImageRequest("chat", object{
		"source_config": object{"listener_id": p.Seeded.ListenerID, "listener_config": object{"k8s_namespace": p.Seeded.K8sNamespaces[0]}},
	}))
	if text := read(p, "/ui/listeners"); !strings.Contains(text, `<a href="/ui/deployments/`+d.ID+`">chat</a> <span class="note">in `+p.Seeded.K8sNamespaces[0]) {
		t.Error("the page has no link to the deployment with its namespace")
	}
}

// TestFeedbackPage checks that the feedback on a project and its runs is listed for a time range, with links to the runs.
func TestFeedbackPage(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	run := devservertest.RootRun(object{"session_name": "chat"})
	other := devservertest.RootRun(object{"session_name": "other"})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{run, other}}).Want(http.StatusAccepted)
	project := devservertest.Get[[]object](p, "/sessions?name=chat")[0]["id"].(string)
	say := func(about object) { p.Do(http.MethodPost, "/feedback", about).Want(http.StatusOK) }
	say(object{"run_id": run["id"], "key": "correct", "score": 0.25, "comment": "no way"})
	say(object{"run_id": other["id"], "key": "elsewhere", "score": 1})
	p.Clock.Advance(2 * time.Hour)
	say(object{"session_id": project, "key": "later", "value": "slow"})
	path := "/ui/projects/" + project + "/feedback"
	all, latest := read(p, path), read(p, path+"?range=1h")
	contains(t, all, "correct", "0.25", "no way", `href="/ui/runs/`+run["id"].(string), "later", "slow", "the project")
	if strings.Contains(all, "elsewhere") || strings.Contains(latest, "correct") || !strings.Contains(latest, "later") {
		t.Error("the list has feedback from another project or outside the time range")
	}
	if !strings.Contains(read(p, "/ui/projects/"+project), `href="`+path+`"`) {
		t.Error("the project's page doesn't link to its feedback")
	}
}
