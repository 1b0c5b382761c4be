package web

import (
	"bytes"
	"errors"
	"html"
	"strings"
	"testing"
)

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
	want := []string{"deployments", "deployments", "deployments", "deployments", "deployments", "listeners", "integrations", "prices", "space", "", "requests", "projects", "projects", "projects", "projects", "projects", "projects", "projects", "projects", "projects", "projects", "projects", "", "oauth", "oauth", "projects", "projects", "datasets", "datasets"}
	for i, view := range empty() {
		page := render(t, p, view)
		marked := `href="/` + want[i] + `" aria-current="page"`
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
	if err := execute(&b, p.templates["run"], "layout", layout{View: struct{}{}}); err == nil || b.Len() != 0 {
		t.Errorf("a failing page wrote %d bytes, error = %v; want none and an error", b.Len(), err)
	}
	broken := errors.New("broken pipe")
	if err := p.Write(writer(func([]byte) (int, error) { return 0, broken }), ErrorView{}); !errors.Is(err, broken) {
		t.Errorf("error = %v, want that of the connection", err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
