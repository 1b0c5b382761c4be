package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestRequestsPage checks that requests can be filtered by service, outcome and path, and have a command that repeats them without the key.
func TestRequestsPage(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As("X-Api-Key", "secret-key")
	p.Create(devservertest.ImageRequest("chat"))
	p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{})).Want(http.StatusAccepted)
	p.Do(http.MethodGet, "/v2/deployments/"+nobody, nil).Want(http.StatusNotFound)
	for query, want := range map[string][3]bool{ // Whether the creation, the run and the unknown path are listed.
		"": {true, true, true}, "?service=tracing": {false, true, false}, "?service=control+plane": {true, false, true},
		"?outcome=failed": {false, false, true}, "?outcome=succeeded": {true, true, false}, "?q=post+/v2": {true, false, false},
		"?q=nothing": {},
	} {
		text := read(p, "/ui/requests"+query)
		got := [3]bool{
			strings.Contains(text, "<code>POST /v2/deployments</code>"), strings.Contains(text, "<code>POST /runs</code>"),
			strings.Contains(text, "<code>GET /v2/deployments/"+nobody+"</code>"),
		}
		if got != want {
			t.Errorf("%q lists %v, want %v", query, got, want)
		}
		if strings.Contains(text, "secret-key") {
			t.Error("the page contains the key")
		}
	}
	if text := read(p, "/ui/requests"); !strings.Contains(text, `curl -H "X-Api-Key: $AGENTPLANE_API_KEY" -X 'POST' '`+p.Web.URL+`/v2/deployments'`) || !strings.Contains(text, "2026-05-02 10:00:00 UTC") {
		t.Error("the page lacks the command or the time")
	}
}

// TestRequestCommandPath checks that the command repeats a path as it was sent: an encoded slash or space is not another path.
func TestRequestCommandPath(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	for _, path := range []string{"/v2/auth/agents/support%2Fteam%20a/connections", "/public/hush%2Fhush/run"} {
		p.Do(http.MethodGet, path, nil)
	}
	text := read(p, "/ui/requests")
	if want := `'` + p.Web.URL + `/v2/auth/agents/support%2Fteam%20a/connections'`; !strings.Contains(text, want) {
		t.Errorf("the page doesn't contain the path as it was sent, %s", want)
	}
	if strings.Contains(text, "hush") {
		t.Error("the page contains a token from a path")
	}
}

// TestWorkspaceChoice checks that a key for several workspaces can choose one.
func TestWorkspaceChoice(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{
		{Value: "both", Workspaces: []string{devservertest.WorkspaceA, devservertest.WorkspaceB}}, {Value: "one", Workspaces: []string{devservertest.WorkspaceA}},
	}})
	browser := p.As("Authorization", "Basic eDpib3Ro") // x:both
	text := read(browser, "/")
	for _, id := range []string{devservertest.WorkspaceA, devservertest.WorkspaceB} {
		if !strings.Contains(text, `href="/ui/workspaces/`+id+`/deployments"`) {
			t.Errorf("the page has no link to workspace %s", id)
		}
		browser.Do(http.MethodGet, "/ui/workspaces/"+id+"/deployments", nil).Want(http.StatusOK)
	}
	if text := read(p.As("Authorization", "Basic eDpvbmU="), "/"); strings.Contains(text, devservertest.WorkspaceB) { // x:one
		t.Error("the page for a key of one workspace contains another workspace")
	}
}

// TestPricesPage checks that prices are shown per million tokens.
func TestPricesPage(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	p.Do(http.MethodPost, "/model-price-map", object{"name": "large", "match_pattern": "^large$", "prompt_cost": 0.000002,
		"completion_cost": 0.0000035, "prompt_cost_details": object{"cache_read": 0.0000001}}).Want(http.StatusOK)
	text := read(p, "/ui/prices")
	contains(t, text, "^large$", "$2<", "$3.5<", "<code>cache_read</code> $0.1")
}

// TestUnreadSpans shows how many spans of a project have content that isn't understood, with a link to their runs.
func TestUnreadSpans(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	attribute := func(key, value string) object { return object{"key": key, "value": object{"stringValue": value}} }
	span := func(id string, attributes ...object) object {
		return object{"traceId": "5b8efff798038103d269b633813fc60c", "spanId": id, "name": id, "startTimeUnixNano": fmt.Sprint(devservertest.Start.UnixNano()), "attributes": attributes}
	}
	p.Do(http.MethodPost, "/otel/v1/traces", object{"resourceSpans": []any{object{"scopeSpans": []any{object{"spans": []any{
		span("eee19b7ec3c1b174", attribute("acme.talk", `[{"who":"user","text":"Hello"}]`)), span("eee19b7ec3c1b175", attribute("acme.input", "Hello")),
	}}}}}}).Want(http.StatusOK)
	session := devservertest.Get[[]object](p, "/sessions?name=default")[0]
	text := read(p, "/ui/projects/"+session["id"].(string))
	link := regexp.MustCompile(`href="([^"]+)">1 span with content that isn't understood<`).FindStringSubmatch(text)
	if link == nil {
		t.Fatalf("the page of the project doesn't say that one span isn't understood:\n%s", text)
	}
	if text := read(p, html.UnescapeString(link[1])); !strings.Contains(text, "eee19b7ec3c1b174") || strings.Contains(text, "eee19b7ec3c1b175") {
		t.Errorf("%s lists other runs than that of the span:\n%s", link[1], text)
	}
}

// TestInterrupts marks interrupts of graphs, and counts them among the failed traces, with a link to them.
func TestInterrupts(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	const badge, sign = "–</span> interrupt<", `">interrupt<`
	log := func(name string, count int, text string) (run object) {
		var batch []any
		for range count {
			run = devservertest.RootRun(object{"name": name, "error": text})
			batch = append(batch, run)
		}
		p.Do(http.MethodPost, "/runs/batch", object{"post": batch}).Want(http.StatusAccepted)
		return run
	}
	project := func() string {
		return read(p, "/ui/projects/"+devservertest.Get[[]object](p, "/sessions?name=agents")[0]["id"].(string))
	}
	for name, one := range map[string]struct {
		text      string
		interrupt bool
	}{
		"python":     {"GraphInterrupt((Interrupt(value='ok?', resumable=True, ns=['a:1']),))\n\nTraceback (most recent call last):", true},
		"javascript": {"[\n  {}\n]\n\nGraphInterrupt: [\n  {}\n]\n    at interrupt (a.js:1:2)", true},
		"command":    {"ParentCommand(Command(goto='a', graph='b'))", false},
		"broken":     {"ValueError('no GraphInterrupt')", false},
	} {
		id := log(name, 1, one.text)["id"].(string)
		run, trace := read(p, "/ui/runs/"+id), read(p, "/ui/traces/"+id)
		if strings.Contains(run, badge) != one.interrupt || strings.Contains(trace, sign) != one.interrupt || strings.Contains(trace, `✕<span class="unseen"> error<`) == one.interrupt {
			t.Errorf("%s: want an interrupt: %t, on the pages of the run and of the trace:\n%s\n%s", name, one.interrupt, run, trace)
		}
		counted := "<dt>Errors</dt><dd>1<"
		if one.interrupt {
			counted = "<dt>Errors</dt><dd>0, 1 interrupt<"
		}
		if !strings.Contains(trace, counted) || strings.Contains(trace, `aria-label="Errors"`) == one.interrupt {
			t.Errorf("%s: the page of the trace lacks %q, or a list of errors that fits:\n%s", name, counted, trace)
		}
		if !strings.Contains(run, "✕</span> error<") {
			t.Errorf("%s: the page of the run lacks the status", name)
		}
	}
	text := project()
	if got := strings.Count(text, badge); got != 2 {
		t.Errorf("the list of runs marks %d interrupts, want 2", got)
	}
	link := regexp.MustCompile(`href="([^"]+)">2 of the failed traces are interrupts<`).FindStringSubmatch(text)
	if link == nil {
		t.Fatalf("the page of the project doesn't count two interrupts:\n%s", text)
	}
	got := listed(read(p, html.UnescapeString(link[1])))
	slices.Sort(got)
	devservertest.Same(t, fmt.Sprintf("runs of %s", link[1]), []string{"javascript", "python"}, got)
	asked := devservertest.RootRun(object{"name": "asked", "error": "GraphInterrupt(())"})
	call := devservertest.ChildRun(asked, object{"extra": object{"metadata": object{"ls_model_name": "large"}}})
	p.Do(http.MethodPost, "/runs/batch", object{"post": []any{asked, call}}).Want(http.StatusAccepted)
	figures := read(p, "/ui/projects/"+devservertest.Get[[]object](p, "/sessions?name=agents")[0]["id"].(string)+"/figures?q=model:large")
	if !strings.Contains(figures, ">1 of the failed traces is an interrupt of graphs") {
		t.Errorf("the figures of traces that call a model don't count an interrupt without a link, which can't keep the model:\n%s", figures)
	}
	log("many", 1000, "GraphInterrupt(())")
	if !strings.Contains(project(), ">At least 1,000 of the failed traces are interrupts<") {
		t.Error("the page of the project doesn't count interrupts among the newest 1,000 failed traces")
	}
}

// TestUnpricedPages shows what has no cost on the pages of a project, a trace and a run, and where the default prices are from.
func TestUnpricedPages(t *testing.T) {
	t.Parallel()
	const defaults = "have the published list prices of @pydantic/genai-prices "
	for name, test := range map[string]struct {
		cfg                     devserver.Config
		prices, projects, price string
	}{
		"default prices": {devserver.Config{}, defaults, "2 unpriced with 1,200 tokens", "openai/gpt-4o-mini, "},
		"no prices":      {devserver.Config{NoDefaultPrices: true}, "runs have only the costs that they report", "3 unpriced with 2,400 tokens", "it reports none, and no price matched its model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, test.cfg).As()
			// A call without usage, and a chain, which needs no cost.
			p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"run_type": "llm"})).Want(http.StatusAccepted)
			p.Do(http.MethodPost, "/runs", devservertest.RootRun(object{"run_type": "chain"})).Want(http.StatusAccepted)
			var listed string
			for _, model := range []string{"our-own", "gpt-4o-mini"} {
				run := devservertest.RootRun(object{"run_type": "llm", "inputs": object{"model": model}, "outputs": object{"usage_metadata": object{
					"input_tokens": 1000, "output_tokens": 200,
				}}})
				p.Do(http.MethodPost, "/runs", run).Want(http.StatusAccepted)
				listed = run["id"].(string)
			}
			text := read(p, "/ui/prices")
			if !strings.Contains(text, test.prices) || strings.Contains(text, defaults) == test.cfg.NoDefaultPrices {
				t.Errorf("the page of prices doesn't contain %s, or others:\n%s", test.prices, text)
			}
			if text := read(p, "/ui/projects"); !strings.Contains(text, test.projects) {
				t.Errorf("the page of projects doesn't contain %s:\n%s", test.projects, text)
			}
			if text := read(p, "/ui/runs/"+listed); !strings.Contains(text, test.price) {
				t.Errorf("the page of the run doesn't contain %s:\n%s", test.price, text)
			}
			scaled := devservertest.RootRun(object{"run_type": "llm", "inputs": object{"model": "gpt-4o-mini"}, "outputs": object{
				"usage": object{"prompt_tokens": 1000, "completion_tokens": 200}, "service_tier": "scale",
			}})
			p.Do(http.MethodPost, "/runs", scaled).Want(http.StatusAccepted)
			for page, want := range map[string]string{
				"/ui/projects": "1 with incomplete costs", "/ui/runs/" + scaled["id"].(string): "The cost is incomplete: no price for scale.",
			} {
				if text := read(p, page); strings.Contains(text, want) == test.cfg.NoDefaultPrices {
					t.Errorf("%s contains %q: %t, want the contrary:\n%s", page, want, test.cfg.NoDefaultPrices, text)
				}
			}
		})
	}
}
