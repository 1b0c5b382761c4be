package web

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"strings"
	"testing"
)

// TestPages checks that every page contains the data of its view.
func TestPages(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for i, holds := range [][]string{
		{"chat", "AWAITING_DATABASE", `href="/ui/deployments/d1"`, `value="ch"`, `selected="selected">READY`, `selected="selected">failed`, `href="/ui/deployments/d1/revisions/v2"`, "an older one", `href="/ui/deployments?sort=name"`, `rel="next"`, "DEPLOY_FAILED"},
		{"source_config.listener_id", "LOG_LEVEL", "API_KEY", `data-events-url="/ui/events" data-live-id="/ui/deployments/d1"`, "no Dockerfile", `href="/ui/projects/p1"`, `href="/ui/deployments/d1/revisions/v1/logs"`, "agentplane_deployment\" \"chat", "chat:1"},
		{"Failed in BUILDING after 2.00 s there, 2.00 s in all.", `failure cause">no Dockerfile`, `href="#log-1"`, "made this revision", `"latest_revision_id": "v1"`, `action="/ui/deployments/d1/revisions/v1/redeploy"`, "chat:0</span>", "not set", "1 h before and after", `value="v0" selected="selected"`, `href="/ui/deployments/d1#terraform"`},
		{"external_container", "shareable", "1 setting is the same", `<option value="other">`},
		{"Logs of revision", "no Dockerfile", "3 earlier lines", `value="err"`},
		{"dev-cluster", "agents", "1.2", `<a href="/ui/deployments/d1">chat</a>`},
		{"acme/chat", "https://git.example.com/acme/chat", "It has access to no repositories."},
		{"^large$", "$2", "cache_read"}, {"5.0 MiB of the 1,024.0 MiB", "8.0 MiB, of which 1.0 MiB", `href="/ui/projects/p1"`, "512.0 KiB"}, {"Choose one", `href="/ui/workspaces/w1/deployments"`},
		{"POST /v2/deployments?a=b", `-X 'POST' 'http://127.0.0.1:9000/v2/deployments?a=b'`, "1 ms", "no answer", "by a fault", "slow down", "retried after 3 s", "stays in BUILDING forever"},
		{"of chat", "1,200", "$0.0421", "1.20 s", `href="/ui/projects/p2"`},
		{"Time to first token in numbers", `action="/ui/projects/p1/views"`, ">slow failures</a>", `name="query" value="q=latency%3E2s"`, "Figures by model, last day", "+100 %", "Compared with the period before", `href="/ui/projects/p1?from=a&to=b#runs"`, `value="2026-05-01T10:00:00"`, `value="Asia/Tokyo"`, "no such zone", `data-by-day="day">last day`, "example-large</th>", "0.25 %", "Calls in numbers", "rate limited", `aria-current="true"`, `href="/ui/traces/t1?run=r1"`, "5,700", "Model", `value="refund"`, `aria-sort="descending"`},
		{"Feedback on chat", "almost", "0.5", `href="/ui/runs/r1"`, "the project"},
		{"Threads of chat", "Hello?", "Bye.", `href="/ui/projects/p1/threads?thread=thread"`},
		{"Thread thread", `<p class="heading">Hello</p>`, "<code>b</code>", "<em>Bye</em>", "rate limited", `href="/ui/traces/t1"`, "1,240", "$0.0051", "1 unpriced with 6 tokens", "Show the oldest first"},
		{"Trace of agent", "$0.0002 other", "… pending", "✕ error", "next error", `href="/ui/traces/t1?run=r2#run-r2"`, "on the critical path", "Previous turn", "It is a pixel."},
		{
			"Be brief.", `src="data:image/png;base64,`, "open https://example.com/a.png", "image/svg+xml, 6 bytes, not shown",
			"(message 5)", "It is a pixel.", "Whose is this?", "first token", "/messages/0/content", `download="photo.png"`, "cache_read",
			"Grass.", "\"answer\": 42", `href="/ui/traces/t1?run=r0"`, `href="/ui/compare?a=r1&b=r7"`,
		},
		{"Two runs compared", `"answer": 43`, "user = ada"},
		{"There is no run r9.", "Look at the list of runs.", "req-1", "Not Found"},
		{
			`action="/ui/oauth/calendar/connect"`, ">Connect again<", ">Connect<", "login.example.com", "https://mcp.example.com/mcp", "not connected",
			"calendar.read", ", refreshed before that", ", expired", "There are 60 tokens.", `href="#token-o2"`, "support",
		},
		{`href="https://login.example.com/authorize?state=s"`, "continue to login.example.com"},
		{"Message 4 of 8 of the inputs", "Let me see.", `href="/ui/traces/t1?run=r1"`, `href="/ui/runs/r1/message?n=5&side=inputs"`, "web_search"},
		{"Test of plan", "plan.tftest.hcl", `run "plan" {}`, "locals {}", `curl -fsS -H "X-Api-Key: $AGENTPLANE_API_KEY" 'http://127.0.0.1:9000/ui/runs/r1/raw' -o 'plan.run.json'`},
		{"capitals", "of countries", `href="/ui/datasets/s1"`, "25"},
		{
			"Dataset capitals", "25 examples, 3 experiments. ID <code>s1</code>", "1 example is worse than in the experiment before", `href="/ui/projects/p3">agent-3`, "the newest 2 runs",
			"2 runs, <strong class=\"failure\">1 failed</strong>, 1.00 s, $0.5", "count 2", "Spain", "Madrid", `<a href="/ui/traces/t1" class="clamp">Barcelona</a>`, "late",
			`correct 0</span> <span class="failure">worse</span>`, `speed 2</span> <span class="note">better</span>`, "e2</span> <span class=\"note\">deleted",
			`href="/ui/datasets/s1?selectedSessions=p1">agent-1`,
		},
	} {
		view := full()[i]
		t.Run(fmt.Sprintf("%T", view), func(t *testing.T) {
			t.Parallel()
			page := html.UnescapeString(render(t, p, view))
			for _, text := range holds {
				if !strings.Contains(page, text) {
					t.Errorf("the page doesn't contain %q:\n%s", text, page)
				}
			}
		})
	}
}

// TestEmptyPages checks that an empty page says how to fill it.
func TestEmptyPages(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for i, holds := range []string{
		"terraform -chdir=examples/quickstart apply", "There is no revision yet", "There is no earlier revision", "Enter the names", "No line has been written", "-seed", "-seed", "agentplane_model_price", "No runs have been logged", "Choose one", "-dev-api", "curl", "curl", "<code>/feedback</code>", "thread_id", "Thread",
		"reload the page", "The run has no inputs.", "Two runs compared", "Something went wrong", "-seed", "Log in at", "Message 0", "Test of", "createDataset", "There are no experiments",
	} {
		view := empty()[i]
		t.Run(fmt.Sprintf("%T", view), func(t *testing.T) {
			t.Parallel()
			if page := render(t, p, view); !strings.Contains(page, holds) {
				t.Errorf("the page doesn't contain %q:\n%s", holds, page)
			}
		})
	}
}

// TestFilteredAway checks that a list without matches links to the whole list.
func TestFilteredAway(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for _, view := range []any{
		DeploymentsView{Frame: frame, Filter: DeploymentFilter{Status: "READY"}},
		ProjectsView{Frame: frame, NameContains: "x"},
		ProjectView{Frame: frame, Project: ProjectSummary{ID: "p1"}, Runs: RunList{Filter: RunFilter{Status: "error"}, AllURL: "/ui/projects/p1"}},
	} {
		page := render(t, p, view)
		if !strings.Contains(page, ">Show all ") || strings.Contains(page, "curl") || strings.Contains(page, "terraform -chdir") {
			t.Errorf("%T lacks the link to the whole list, or shows a command for empty lists:\n%s", view, page)
		}
	}
}

// TestOrigin checks that commands contain the server's URL, and nothing that a shell would interpret.
func TestOrigin(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"http://127.0.0.1:9000": "http://127.0.0.1:9000", "https://dev.example.com": "https://dev.example.com",
		"http://[::1]:8124": "http://[::1]:8124", "": defaultOrigin, "http://x'; rm -rf /; '": defaultOrigin,
		"http://$(id)": defaultOrigin, "javascript:alert(1)": defaultOrigin, "http://a/b": defaultOrigin, "http://a\nb": defaultOrigin,
	} {
		if got := origin(Frame{Origin: given}); got != want {
			t.Errorf("origin(%q) = %q, want %q", given, got, want)
		}
	}
}

// TestFirstSteps checks that an empty page has the values of its server, and nothing that a shell or a configuration would interpret.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	of := Frame{Base: "/ui", Origin: "http://127.0.0.1:9000", Server: Server{WorkspaceID: frame.Workspace, Dialect: "langsmith"}}
	for _, view := range []any{DeploymentsView{Frame: of}, ProjectsView{Frame: of}} {
		page := html.UnescapeString(render(t, p, view))
		for _, want := range []string{
			`  base_url     = "http://127.0.0.1:9000"`, `  workspace_id = "00000000-0000-4000-8000-000000000001"`, `  dialect      = "langsmith"`,
			"export LANGSMITH_ENDPOINT=http://127.0.0.1:9000\n", "export LANGSMITH_API_KEY=$AGENTPLANE_API_KEY\n",
			"export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9000/otel\n", `x-api-key=$AGENTPLANE_API_KEY,Langsmith-Project=default"`, "printed it",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%T doesn't contain %s", view, want)
			}
		}
	}
	for _, odd := range []string{`"; rm -rf /`, "$(id)", "${file(1)}", "a\nb"} {
		page := render(t, p, DeploymentsView{Frame: Frame{Origin: odd, Server: Server{WorkspaceID: odd, Dialect: odd, Keyless: true}}})
		if strings.Contains(html.UnescapeString(page), odd) || strings.Contains(page, "workspace_id") || !strings.Contains(page, "LANGSMITH_API_KEY=any") {
			t.Errorf("%q is in a command, or the page asks for a key", odd)
		}
	}
}

// TestNavigation checks that only the page's list is marked in the navigation.
func TestNavigation(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	want := []string{"deployments", "deployments", "deployments", "deployments", "deployments", "listeners", "integrations", "prices", "space", "", "requests", "projects", "projects", "projects", "projects", "projects", "projects", "projects", "projects", "", "oauth", "oauth", "projects", "projects", "datasets", "datasets"}
	for i, view := range full() {
		page := render(t, p, view)
		marked := `href="/ui/` + want[i] + `" aria-current="page"`
		if want[i] == "" {
			marked = "<nav"
		}
		if n := strings.Count(page, `aria-current="page"`); !strings.Contains(page, marked) || n > 1 {
			t.Errorf("%T marks %d entries, want only %q", view, n, want[i])
		}
	}
}

// TestWhole checks that a page that can't be rendered isn't sent in part.
func TestWhole(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	var b bytes.Buffer
	if err := p.write(&b, "run", layout{Title: "Run", View: struct{}{}}); err == nil || b.Len() != 0 {
		t.Errorf("a failing page wrote %d bytes, error = %v; want none and an error", b.Len(), err)
	}
	broken := errors.New("broken pipe")
	if err := p.Error(writer(func([]byte) (int, error) { return 0, broken }), ErrorView{}); !errors.Is(err, broken) {
		t.Errorf("error = %v, want that of the connection", err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestErrorMessages(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for status, want := range map[int]string{404: "There is nothing at this URL.", 500: "status 500", 599: "Something went wrong"} {
		if page := render(t, p, ErrorView{Status: status}); !strings.Contains(page, want) {
			t.Errorf("the page for status %d doesn't contain %q", status, want)
		}
	}
}
