package tracing_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

const sendTraces = "templates/guides/send-traces.md"

// TestSendTraces runs the program in the guide with the variables there, and follows the link that it prints.
func TestSendTraces(t *testing.T) {
	t.Parallel()
	scripts := devservertest.InstallNPM(t)
	p := newSpanPlane(t)
	env := documented(t, sendTraces, t.Name(), []string{"http://127.0.0.1:8124", p.Web.URL}, "AGENTPLANE_API_KEY=sesame")
	program := regexp.MustCompile("(?s)<!-- run by TestSendTraces -->\n```js\n(.*?)```").FindStringSubmatch(guide(t))
	if program == nil {
		t.Fatalf("%s has no program", sendTraces)
	}
	devservertest.Must(t, os.WriteFile(filepath.Join(scripts, "guide.mjs"), []byte(program[1]), 0o600))
	link := string(runNode(t, scripts, "guide.mjs", append(env, "NODE_OPTIONS=--no-deprecation")))
	path, is := strings.CutPrefix(link, p.Web.URL)
	if !is {
		t.Fatalf("link = %s, want one at %s", link, p.Web.URL)
	}
	id := path[strings.LastIndex(path, "/r/")+len("/r/"):]
	id, _, _ = strings.Cut(id, "?")
	if run := devservertest.Get[object](p, "/runs/"+id); run["name"] != "answer" {
		t.Errorf("%s is the link of %v, want answer", link, run["name"])
	}
	if page := p.Do(http.MethodGet, path, nil); page.Status != http.StatusOK && page.Status != http.StatusSeeOther {
		t.Errorf("%s leads to %d", link, page.Status)
	}
}

// TestSendTraces_spans exports spans with the variables in the guide.
func TestSendTraces_spans(t *testing.T) {
	t.Parallel()
	scripts := devservertest.InstallNPM(t)
	p := newSpanPlane(t)
	env := documented(t, sendTraces, t.Name(), []string{"http://127.0.0.1:8124", p.Web.URL, "Langsmith-Project=chat", "Langsmith-Project=spans"}, "AGENTPLANE_API_KEY=sesame")
	checkExported(t, p, runNode(t, scripts, "otel.mjs", append(env, "EXPORTER=proto")))
}

// TestNotServed requests each path that the guide says doesn't exist.
func TestNotServed(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	_, section, _ := strings.Cut(guide(t), "\n## What the dev server doesn't have\n")
	rows := regexp.MustCompile("(?m)^\\| ([A-Za-z ]+) \\| (`.*`) \\|$").FindAllStringSubmatch(section, -1)
	if len(rows) < 5 {
		t.Fatalf("%s has %d rows of paths, want at least 5", sendTraces, len(rows))
	}
	for _, row := range rows {
		for _, path := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			for _, at := range []string{path[1], "/api/v1" + path[1], "/api/v2" + path[1], "/v1/platform" + path[1], path[1] + "/", path[1] + "/id/part"} {
				for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
					p.Do(method, at, object{}).Want(http.StatusNotFound).WantDetail("This service only traces and evaluates agents: use another service for " + row[1] +
						". See What the dev server doesn't have in the guide Send traces.")
				}
			}
		}
	}
}

func guide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", sendTraces))
	devservertest.Must(t, err)
	return string(text)
}
