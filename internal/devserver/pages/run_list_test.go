package pages_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// read returns the page's HTML with entities decoded.
func read(p *plane, path string) string {
	p.T.Helper()
	return html.UnescapeString(string(p.Do(http.MethodGet, path, nil).Want(http.StatusOK).Body))
}

// contains checks that a page has texts.
func contains(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("the page doesn't contain %s", text)
		}
	}
}

// listed returns the names of the runs on a page, in order.
func listed(text string) (names []string) {
	for _, link := range regexp.MustCompile(`<a href="/ui/traces/[^"]+">([^<]+)</a> <span class="type">`).FindAllStringSubmatch(text, -1) {
		names = append(names, link[1])
	}
	return names
}

// browsed makes a project with four traces, each with a child run that calls a model.
func browsed(t *testing.T) (p *plane, path string) {
	t.Helper()
	p = devservertest.New(t, devserver.Config{}).As()
	var all []any
	for i, one := range []struct {
		name, model, question string
		seconds, tokens       int
		failed                bool
	}{
		{"first", "small", "Where is my refund?", 4, 100, false}, {"second", "large", "Where is my parcel?", 1, 300, true},
		{"third", "large", "What is a refund?", 3, 200, false}, {"fourth", "small", "Hello", 2, 400, true},
	} {
		begun := time.Date(2026, 5, 2, 9, 10*i, 0, 0, time.UTC)
		at := func(seconds int) string {
			return begun.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339Nano)
		}
		root := devservertest.RootRun(object{"name": one.name, "start_time": at(0), "end_time": at(one.seconds), "inputs": object{"question": one.question}})
		call := devservertest.ChildRun(root, object{
			"name": "call " + one.name, "start_time": at(0), "end_time": at(one.seconds), "extra": object{"metadata": object{"ls_model_name": one.model}},
			"events":  []any{object{"name": "new_token", "time": begun.Add(time.Duration(500-100*i) * time.Millisecond).Format(time.RFC3339Nano)}},
			"outputs": object{"messages": []any{object{"role": "assistant", "content": "Said by " + one.model}}, "usage_metadata": object{"input_tokens": one.tokens, "output_tokens": 1, "total_tokens": one.tokens + 1, "total_cost": float64(i) / 100}},
		})
		if one.failed {
			root["error"] = "Traceback (most recent call last):\n" + strings.Repeat("  File x\n", 100) + "TimeoutError: no answer"
		}
		all = append(all, root, call)
	}
	old := devservertest.RootRun(object{"name": "old", "start_time": "2026-04-29T09:00:00Z", "end_time": "2026-04-29T09:00:01Z"})
	p.Do(http.MethodPost, "/runs/batch", object{"post": append(all, old)}).Want(http.StatusAccepted)
	return p, "/ui/projects/" + devservertest.Get[[]object](p, "/sessions?name=agents")[0]["id"].(string)
}

// TestRunList lists runs by search words or filter expression, with facets and sort orders.
func TestRunList(t *testing.T) {
	t.Parallel()
	p, path := browsed(t)
	for query, want := range map[string][]string{
		"":                               {"fourth", "third", "second", "first"},
		"order=asc":                      {"first", "second", "third", "fourth"},
		"range=7d":                       {"fourth", "third", "second", "first", "old"},
		"range=7d&order=asc":             {"old", "first", "second", "third", "fourth"},
		"q=refund":                       {"third", "first"},
		"q=REFUND+where":                 {"first"},
		"q=nothing":                      nil,
		"status=error":                   {"fourth", "second"},
		"sort=latency":                   {"first", "third", "fourth", "second"},
		"sort=latency&order=asc":         {"second", "fourth", "third", "first"},
		"sort=total_tokens":              {"fourth", "second", "third", "first"}, // The tokens of the child runs.
		"sort=total_cost":                {"fourth", "third", "second", "first"},
		"sort=first_token_time":          {"first", "second", "third", "fourth"},
		"sort=latency&status=error":      {"fourth", "second"},
		"scope=all&run_type=llm&q=large": {"call third", "call second"},
		"q=model:large":                  {"third", "second"},
		"scope=all&q=metadata.ls_model_name:large":                                                              {"call third", "call second"},
		"scope=all&run_type=llm&q=-metadata.ls_model_name:large":                                                {"call fourth", "call first"},
		"q=" + url.QueryEscape(`eq(status, "error")`):                                                           {"fourth", "second"},
		"q=" + url.QueryEscape(`and(gt(latency, 1.5), lt(total_tokens, 205))`):                                  {"third", "first"},
		"scope=all&q=" + url.QueryEscape(`and(eq(metadata_key, "ls_model_name"), eq(metadata_value, "small"))`): {"call fourth", "call first"},
	} {
		devservertest.Same(t, query, want, listed(read(p, path+"?"+query)))
		figures := asJSON[struct {
			Figures struct {
				All    struct{ Figures struct{ Runs int } }
				Groups []struct{ Name string }
			}
		}](p, path+"/figures?by=name&"+query).Figures
		var groups []string
		for _, group := range figures.Groups {
			groups = append(groups, group.Name)
		}
		devservertest.Same(t, "runs counted for "+query, len(want), figures.All.Figures.Runs)
		devservertest.Same(t, "groups for "+query, slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(groups)))
	}
	text := read(p, path)
	if figures, rows := strings.Index(text, `<section id="figures"`), strings.Index(text, `<table class="runs">`); figures < 0 || rows < figures {
		t.Errorf("figures at %d, rows at %d; want the figures before the rows", figures, rows)
	}
	other := regexp.MustCompile(`href="([^"]+)">Show last 7 days, which has some<`).FindStringSubmatch(read(p, path+"?q=name:old"))
	if len(other) != 2 || !slices.Equal(listed(read(p, other[1])), []string{"old"}) {
		t.Errorf("an empty search offers %q, want the range with the old trace", other)
	}
	contains(t, text, "<td>small</td>", "<td>large</td>", "Where is my parcel?", ">TimeoutError: no answer<", "last 24 hours")
	if n := strings.Count(text, "File x"); n > 0 {
		t.Errorf("the list has %d lines of tracebacks, want none", n)
	}
	wrong := read(p, path+"?q="+url.QueryEscape(`eq(colour, "red")`))
	if !strings.Contains(wrong, "invalid filter at character 4: unknown field") || !strings.Contains(wrong, `value="eq(colour, "red")"`) || listed(wrong) != nil {
		t.Errorf("the page for an invalid filter lacks the error or the filter, or lists runs:\n%s", wrong)
	}
}

// TestRunListLinks checks that every link of a list keeps the other parameters.
func TestRunListLinks(t *testing.T) {
	t.Parallel()
	p, path := browsed(t)
	text := read(p, path+"?q=refund&scope=all&range=7d&sort=latency")
	for what, want := range map[string]url.Values{
		`>last hour</a>`:     {"q": {"refund"}, "scope": {"all"}, "range": {"1h"}, "sort": {"latency"}},
		`>last 24 hours</a>`: {"q": {"refund"}, "scope": {"all"}, "sort": {"latency"}},
		`>Tokens</a>`:        {"q": {"refund"}, "scope": {"all"}, "range": {"7d"}, "sort": {"total_tokens"}},
		`>Started</a>`:       {"q": {"refund"}, "scope": {"all"}, "range": {"7d"}},
		`>chain</a>`:         {"q": {"refund type:chain"}, "scope": {"all"}, "range": {"7d"}, "sort": {"latency"}},
	} {
		link := regexp.MustCompile(`<a href="([^>]*)"[^>]*` + regexp.QuoteMeta(what)).FindStringSubmatch(text)
		if link == nil {
			t.Errorf("the page has no link %s", what)
			continue
		}
		got, err := url.Parse(strings.SplitN(link[1], `" aria`, 2)[0])
		devservertest.Must(t, err)
		devservertest.Same(t, what, want, got.Query())
	}
	contains(t, text, `name="range" value="7d"`, `name="sort" value="latency"`)
}

// TestProjectsSayOfWhen checks that figures are labelled with their time range, and that the last trace doesn't depend on it.
func TestProjectsSayOfWhen(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	for _, day := range []string{"2026-04-20", "2026-04-21", "2026-04-29"} {
		p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"start_time": day + "T09:00:00Z", "end_time": day + "T09:00:01Z"})).Want(http.StatusAccepted)
	}
	text := read(p, "/ui/projects")
	contains(t, text, "Tracing projects, last 24 hours", "2026-04-29 09:00:00 UTC", ">Traces</th>")
	if week := read(p, "/ui/projects?range=7d"); !strings.Contains(week, "Tracing projects, last 7 days") ||
		!strings.Contains(week, `<td class="number">1 <span class="note" title="was 2"><span class="unseen">was 2</span> -50 %</span></td>`) {
		t.Error("the figures aren't those of the last 7 days and of the 7 days before")
	}
}

// TestRawRunKeepsAll checks that members with which the vendor's Go client describes attachments are kept unchanged.
func TestRawRunKeepsAll(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	id := uuid.NewString()
	attachments := map[string]string{"input_attachments": `{"a.png":{"mime_type":"image/png"}}`, "output_attachments": `{"b":1.50}`}
	run := object{
		"id": id, "trace_id": id, "dotted_order": "20260501T100000000000Z" + id, "name": "x", "run_type": "llm",
		"start_time": "2026-05-01T10:00:00Z", "inputs": object{},
	}
	for member, value := range attachments {
		run[member] = json.RawMessage(value)
	}
	p.Do(http.MethodPost, "/api/v1/runs", run).Want(http.StatusAccepted)
	for member, value := range attachments {
		if raw := p.Do(http.MethodGet, "/ui/runs/"+id+"/raw?member="+member, nil).Want(http.StatusOK); string(raw.Body) != value {
			t.Errorf("%s is %s, want %s", member, raw.Body, value)
		}
	}
	p.Do(http.MethodGet, "/ui/runs/"+id+"/raw?member=none", nil).Want(http.StatusNotFound)
	p.Do(http.MethodGet, "/ui/runs/"+nobody+"/raw", nil).Want(http.StatusNotFound)
}

// TestTurns checks that a trace of a conversation links to the previous and next ones, and to the conversation.
func TestTurns(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	var paths []string
	for i := range 3 {
		turn := devservertest.RootRun(object{
			"name": "turn", "start_time": fmt.Sprintf("2026-05-02T09:0%d:00Z", i), "extra": object{"metadata": object{"thread_id": "a talk"}},
		})
		p.Do(http.MethodPost, "/runs", turn).Want(http.StatusAccepted)
		paths = append(paths, "/ui/traces/"+turn["id"].(string))
	}
	for i, path := range paths {
		view := asJSON[struct {
			PreviousURL string `json:"previous_url"`
			NextURL     string `json:"next_url"`
		}](p, path)
		var want [2]string
		if i > 0 {
			want[0] = paths[i-1]
		}
		if i < 2 {
			want[1] = paths[i+1]
		}
		if got := [2]string{view.PreviousURL, view.NextURL}; got != want {
			t.Errorf("links of turn %d to the previous and next = %q, want %q", i, got, want)
		}
		if text := read(p, path); !strings.Contains(text, `/threads?thread=a+talk">`) {
			t.Errorf("turn %d doesn't link to its thread", i)
		}
	}
}
