package pages_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestChips checks what each chip finds.
func TestChips(t *testing.T) {
	t.Parallel()
	p, path := browsed(t)
	marked := devservertest.RootRun(object{
		"name": "marked run", "start_time": "2026-05-02T09:50:00Z", "end_time": "2026-05-02T09:50:00.5Z", "tags": []any{"prod", "two words"}, "run_type": "tool",
		"inputs": object{"text": "status:error at https://example.com/a"}, "extra": object{"metadata": object{"thread_id": "t1", "team": "billing", "revision_id": "v1", "ls_user_id": "ada"}},
	})
	p.Do(http.MethodPost, "/runs", marked).Want(http.StatusAccepted)
	for _, said := range []object{{"key": "correct", "score": 0.25}, {"key": "correct", "score": 0.5}, {"key": "tone", "value": "kind"}} {
		said["run_id"] = marked["id"]
		p.Do(http.MethodPost, "/feedback", said).Want(http.StatusOK)
	}
	all := []string{"marked run", "fourth", "third", "second", "first"}
	for search, want := range map[string][]string{
		"":                             all,
		"status:error":                 {"fourth", "second"},
		"-status:error":                {"marked run", "third", "first"},
		"status!=error refund":         {"third", "first"},
		"Status=success name:third":    {"third"},
		"latency>2s":                   {"third", "first"},
		"latency>=2s latency<=3000ms":  {"fourth", "third"},
		"latency<1":                    {"marked run"},
		"latency<0m1s":                 {"marked run"},
		"tokens>200 tokens<400":        {"third", "second"},
		"cost>0.01":                    {"fourth", "third"},
		"cost>=$0.03":                  {"fourth"},
		"model:large":                  {"third", "second"}, // Traces that call it.
		"model:large status:error":     {"second"},
		"type:tool":                    {"marked run"}, // All runs.
		"type:llm model:small":         {"call fourth", "call first"},
		"tag:prod":                     {"marked run"},
		`tag:"two words"`:              {"marked run"},
		"-tag:prod latency>3s":         {"first"},
		`name:"marked run"`:            {"marked run"},
		"thread:t1":                    {"marked run"},
		"user:ada":                     {"marked run"},
		"revision:v1":                  {"marked run"},
		"metadata.team:billing":        {"marked run"},
		"score.correct<0.3":            {"marked run"},
		"score.correct>0.5":            nil,
		`"status:error"`:               {"marked run"}, // The text.
		"https://example.com/a":        {"marked run"},
		`"status:error at" latency<1s`: {"marked run"},
		`eq(name, "first")`:            {"first"},
		"refund (where)":               nil,
	} {
		devservertest.Same(t, search, want, listed(read(p, path+"?q="+url.QueryEscape(search))))
	}
	if got := listed(read(p, path+"?scope=all&q=-model:large+status:success+latency%3E3")); !cmp.Equal(got, []string{"call first", "first"}) {
		t.Errorf("all runs except those of a model = %q, want call first and first", got)
	}
	text := read(p, path)
	contains(t, text, `<span class="score">correct 0.375</span>`, `<span class="score">tone kind</span>`)
}

// TestCallsInOtherProjects checks that a search for a model finds the traces with a call of it wherever that was logged, and whenever, and that
// rows, figures, facets and exports count the same runs as a query with the filter of traces. Calls in other workspaces don't count.
func TestCallsInOtherProjects(t *testing.T) {
	t.Parallel()
	p, path := browsed(t)
	root := devservertest.RootRun(object{"name": "spread", "start_time": "2026-05-02T09:50:00Z", "end_time": "2026-05-02T09:50:01Z", "error": "TimeoutError: no answer"})
	call := devservertest.ChildRun(root, object{
		"name": "call elsewhere", "session_name": "others", "start_time": "2026-05-02T09:50:00Z", "end_time": "2026-05-02T09:50:01Z", "extra": object{"metadata": object{"ls_model_name": "remote"}},
	})
	early := devservertest.RootRun(object{"name": "resumed", "start_time": "2026-05-02T09:55:00Z", "end_time": "2026-05-02T09:55:01Z"})
	before := devservertest.ChildRun(early, object{
		"name": "call before", "start_time": "2026-04-20T09:50:00Z", "end_time": "2026-04-20T09:50:01Z", "extra": object{"metadata": object{"ls_model_name": "cached"}},
	})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{root, call, early, before}}).Want(http.StatusAccepted)
	foreignCall, foreignBefore := maps.Clone(call), maps.Clone(before) // Another workspace has the same traces, which call each other's models.
	foreignCall["extra"], foreignBefore["extra"] = before["extra"], call["extra"]
	p.As("X-Tenant-Id", devservertest.WorkspaceB).Do(http.MethodPost, "/runs/batch", object{"post": []any{root, foreignCall, early, foreignBefore}}).Want(http.StatusAccepted)
	others := "/ui/projects/" + devservertest.Get[[]object](p, "/sessions?name=others")[0]["id"].(string)
	for address, want := range map[string][]string{
		path + "?q=model:remote":                {"spread"},
		path + "?q=model:remote+status:error":   {"spread"},
		path + "?q=model:remote+status:success": nil,
		path + "?q=model:remote&scope=all":      nil, // Runs of the project.
		path + "?q=model:cached":                {"resumed"},
		others + "?q=model:remote":              nil, // Its trace begins in the other project.
		others + "?q=model:remote&scope=all":    {"call elsewhere"},
	} {
		page, query, _ := strings.Cut(address, "?")
		view := asJSON[struct {
			Runs struct {
				Facets []struct {
					Label  string
					Facets []struct{ Count int }
				}
			}
		}](p, address)
		devservertest.Same(t, "rows of "+address, want, listed(read(p, address)))
		figures := asJSON[struct {
			Figures struct {
				All struct{ Figures struct{ Runs int } }
			}
		}](p, page+"/figures?"+query)
		devservertest.Same(t, "runs counted for "+address, len(want), figures.Figures.All.Figures.Runs)
		for _, kind := range view.Runs.Facets {
			if kind.Label == "Status" {
				devservertest.Same(t, "facets of "+address, len(want), kind.Facets[0].Count)
			}
		}
		exported := p.Do(http.MethodGet, page+"/export?format=jsonl&"+query, nil).Want(http.StatusOK)
		devservertest.Same(t, "runs exported for "+address, len(want), strings.Count(string(exported.Body), "\n"))
	}
	found := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{
		"session": []any{path[strings.LastIndex(path, "/")+1:]}, "is_root": true, "tree_filter": `and(eq(metadata_key, "ls_model_name"), eq(metadata_value, "remote"))`,
	}).Want(http.StatusOK))
	if runs, _ := found["runs"].([]any); len(runs) != 1 {
		t.Errorf("the query with the filter of traces finds %v, want the trace", found["runs"])
	}
}

// TestWrongChips checks that a chip that can't be understood says so, and what there is instead.
func TestWrongChips(t *testing.T) {
	t.Parallel()
	p, path := browsed(t)
	for search, want := range map[string]string{
		"colour:red":         `colour:red: there is no chip "colour". There are status:error, type:tool, name:agent, model:gpt-4o, tag:prod, latency>2s,`,
		"metadata:x":         `there is no chip "metadata". There are`,
		"status:bad":         "status:bad: status is one of success, error, pending",
		"type:thing":         "type:thing: type is one of ",
		"latency>soon":       `latency>soon: "soon" is not a duration: write 500ms, 2s or 1m30s`,
		"latency>-2s":        "is not a duration",
		"cost>cheap":         `cost>cheap: "cheap" is not a number`,
		"tokens>1e400":       `"1e400" is not a number`,
		"tokens>Inf":         `"Inf" is not a number`,
		"name>a":             "name>a: name has no order: write name:a",
		"-model:large":       "show all runs",
		"model:a model:b":    "model:b: traces can be searched for one model only",
		`eq(colour, "red")`:  "invalid filter at character 4: unknown field",
		"score.correct:good": `"good" is not a number`,
	} {
		text := read(p, path+"?q="+url.QueryEscape(search))
		if !strings.Contains(text, want) || listed(text) != nil || !strings.Contains(text, `aria-invalid="true"`) {
			t.Errorf("%s: the page doesn't contain %s, or lists runs", search, want)
		}
	}
	many := strings.Repeat("word ", 21)
	if text := read(p, path+"?q="+url.QueryEscape(many)); !strings.Contains(text, "20") || listed(text) != nil {
		t.Error("21 words are searched for, want at most 20")
	}
}

// TestChipLinks checks that facets add chips, and that each term can be removed.
func TestChipLinks(t *testing.T) {
	t.Parallel()
	p, path := browsed(t)
	text := read(p, path+"?q=status:error+refund&range=7d")
	got := map[string]string{}
	for _, link := range regexp.MustCompile(`href="([^"]+)" aria-label="remove ([^"]+)"`).FindAllStringSubmatch(text, -1) {
		address, err := url.Parse(link[1])
		devservertest.Must(t, err)
		got[link[2]] = address.Query().Encode()
	}
	devservertest.Same(t, "links that remove terms", map[string]string{"status:error": "q=refund&range=7d", "refund": "q=status%3Aerror&range=7d"}, got)
	text = read(p, path+"?q=where")
	text += read(p, path)
	contains(t, text,
		"q=where+status%3Aerror\"", "?q=model%3Alarge&scope=all\"", "q=where+name%3Afirst\"", `<option value="model:large"`, `<option value="cost>0.1"`,
	)
}

// TestFindBadAnswer_unraced finds the slow failures of a model with chips, with completion where there are scripts, and sees them with their
// scores and costs.
func TestFindBadAnswer_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "chips in Chromium", 20*time.Second)
	p, path := browsed(t)
	onScreens(t, func(b *tab) {
		b.open(p.Web.URL + path)
		b.sees("Search runs")
		if b.scripts {
			b.sees("Latency p95") // Figures first.
			b.shortcut("/").press("status:error", " ", "mod")
			if got := value[[]string](b, `[...document.querySelectorAll("#chips option")].map(o => o.value).filter(v => v.includes("large"))`); !cmp.Equal(got, []string{"status:error model:large"}) {
				t.Errorf("suggestions = %q, want the term behind what is written", got)
			}
		}
		b.do(chromedp.SetValue("#q", "status:error model:large"))
		b.click(`form[data-search-form] button`).wait(`ul.chips`)
		b.sees("status:error", "model:large").says("second")
	})
}
