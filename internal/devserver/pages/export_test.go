package pages_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// exportOf follows the link on a page to the file with its runs, in a format.
func exportOf(p *plane, page, format string) string {
	p.T.Helper()
	link := regexp.MustCompile(`href="([^"]+/export[^"]*format=` + format + `[^"]*)"`).FindStringSubmatch(read(p, page))
	if link == nil {
		p.T.Fatalf("%s has no link to an export as %s", page, format)
	}
	answer := p.Do(http.MethodGet, html.UnescapeString(link[1]), nil).Want(http.StatusOK)
	want := map[string]string{"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}[format]
	if got := answer.Header.Get("Content-Type"); got != want || answer.Header.Get("Content-Disposition") != `attachment; filename="runs.`+format+`"` || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
		p.T.Errorf("header of the export = %v, want type %s, an attachment", answer.Header, want)
	}
	return string(answer.Body)
}

// TestExport exports a trace, a conversation and a list that is filtered, in both formats, and compares the runs with those logged.
func TestExport(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	a := logAgent(p, 60)
	thread := logThread(p, 60)
	project := strings.TrimSuffix(thread, "/threads?thread=a+talk")
	for name, tc := range map[string]struct {
		page        string
		runs        int
		first, last string
	}{
		"trace":         {a.path, 121, "agent", "look up 60"},
		"thread":        {thread, 120, "turn", "model"},
		"list":          {project + "?range=30d", 61, "turn", "agent"},
		"filtered list": {project + "?range=30d&scope=all&run_type=tool&status=error&order=asc&sort=start_time", 2, "look up 20", "look up 35"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var names []string
			for line := range strings.Lines(exportOf(p, tc.page, "jsonl")) {
				var run struct {
					ID, Name string
					Inputs   json.RawMessage
					Total    int64 `json:"total_tokens"`
					Own      int64 `json:"own_tokens"`
				}
				if err := json.Unmarshal([]byte(line), &run); err != nil || run.ID == "" || run.Inputs == nil {
					t.Fatalf("line %.200q: %v; want a run", line, err)
				}
				if want := map[string][2]int64{"agent": {183_600, 0}, "plan 40": {4010, 4010}, "turn": {110, 0}}[run.Name]; want != [2]int64{} && want != [2]int64{run.Total, run.Own} {
					t.Errorf("%s has %d tokens, and %d alone; want %v", run.Name, run.Total, run.Own, want)
				}
				names = append(names, run.Name)
			}
			if len(names) != tc.runs || names[0] != tc.first || names[len(names)-1] != tc.last {
				t.Errorf("%d runs from %s to %s, want %d from %s to %s", len(names), names[0], names[len(names)-1], tc.runs, tc.first, tc.last)
			}
			rows, err := csv.NewReader(strings.NewReader(exportOf(p, tc.page, "csv"))).ReadAll()
			devservertest.Must(t, err)
			var cells []string
			for _, row := range rows[1:] {
				cells = append(cells, row[4])
			}
			if diff := cmp.Diff(names, cells); diff != "" || rows[0][4] != "name" {
				t.Errorf("names in the CSV, in column %s (-JSON Lines +CSV):\n%s", rows[0][4], diff)
			}
		})
	}
}

// TestExportIsSafe checks that texts can't become formulas of a spreadsheet, that lines contain any JSON, and that what isn't there is an
// error.
func TestExportIsSafe(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	deep := strings.Repeat("[\n", 5000) + strings.Repeat("]", 5000)
	root := devservertest.RootRun(object{"name": `=HYPERLINK("https://evil.example","x")`, "error": "-1\n+2", "inputs": json.RawMessage(`{"a":` + deep + `}`)})
	p.Do(http.MethodPost, "/runs", root).Want(http.StatusAccepted)
	page := "/ui/traces/" + root["id"].(string)
	if text := exportOf(p, page, "jsonl"); strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "}\n") {
		t.Errorf("%d lines, want one: %.300q", strings.Count(text, "\n"), text)
	}
	rows, err := csv.NewReader(strings.NewReader(exportOf(p, page, "csv"))).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][4] != `'=HYPERLINK("https://evil.example","x")` || rows[1][17] != "'-1\n+2" {
		t.Errorf("the CSV = %.300q, %v; want the texts not to be formulas", rows, err)
	}
	for _, path := range []string{"/ui/traces/" + nobody + "/export", "/ui/projects/" + nobody + "/export?format=csv", "/ui/projects/" + nobody + "/threads/export?thread=x"} {
		p.Do(http.MethodGet, path, nil).Want(http.StatusNotFound)
	}
}

// TestExportKeepsItsRange reads an export so slowly that the range it was asked for, the last 24 hours, has moved: it has all of its runs.
func TestExportKeepsItsRange(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).As()
	oldest := p.Clock.Now().Truncate(time.Hour).Add(-23*time.Hour + time.Minute)
	var logged []any
	const runs = 150
	for range runs {
		id := uuid.NewString()
		logged = append(logged, object{
			"id": id, "trace_id": id, "dotted_order": oldest.UTC().Format("20060102T150405000000Z") + id, "session_name": "old", "name": "old", "run_type": "chain",
			"start_time": oldest.Format(time.RFC3339), "inputs": object{"text": strings.Repeat("word ", 20_000)},
		})
	}
	p.Do(http.MethodPost, "/runs/batch", object{"post": logged}).Want(http.StatusAccepted)
	project := devservertest.Get[[]object](p, "/sessions?name=old")[0]["id"].(string)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Web.URL+"/ui/projects/"+project+"/export?format=jsonl", http.NoBody)
	devservertest.Must(t, err)
	answer, err := p.Web.Client().Do(request)
	devservertest.Must(t, err)
	defer answer.Body.Close()
	p.Clock.Advance(2 * time.Hour) // More than the first runs doesn't fit between the server and the client.
	text, err := io.ReadAll(answer.Body)
	devservertest.Must(t, err)
	if got := bytes.Count(text, []byte("\n")); got != runs {
		t.Errorf("the export has %d runs, want %d", got, runs)
	}
}
