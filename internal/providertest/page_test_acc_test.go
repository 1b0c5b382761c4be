package providertest_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// shownFile is a file on a page, with its name.
var shownFile = regexp.MustCompile(`(?s)<h2>The (?:test|module), ([^<]+)</h2>\n<pre [^>]*>(.*?)</pre>`)

// TestAccPages_test makes a test of each of some runs, as their pages show it: it is formatted, and succeeds with the run as its fixture. With
// another answer, it fails.
func TestAccPages_test(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	c := startCLI(t, plane)
	c.needs(8, 7) // Functions.
	look := func(path string) string {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, http.NoBody)
		request.SetBasicAuth("anybody", providertest.APIKey)
		shown := httptest.NewRecorder()
		plane.Server.ServeHTTP(shown, request)
		if shown.Code != http.StatusOK {
			t.Fatalf("%s: status %d: %s", path, shown.Code, shown.Body)
		}
		return shown.Body.String()
	}
	talk := map[string]any{"messages": []any{map[string]any{"role": "user", "content": "What's in \"${path.module}\" %{ if true }?"}}}
	call := map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "list_files", "arguments": `{"dir":"."}`}}
	answer := func(message map[string]any) any {
		return map[string]any{"choices": []any{map[string]any{"message": message}}}
	}
	for name, run := range map[string]map[string]any{
		"text":        {"inputs": talk, "outputs": answer(map[string]any{"role": "assistant", "content": "A \\ \"file\",\n${not} %{a} template, <b>ünïcode</b>\u2028."})},
		"calls":       {"inputs": talk, "outputs": answer(map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call, call}})},
		"long answer": {"inputs": talk, "outputs": answer(map[string]any{"role": "assistant", "content": strings.Repeat("Many words. ", 100)})},
		"failed":      {"inputs": talk, "error": "boom"},
		"broken":      {"inputs": map[string]any{"messages": []any{map[string]any{"role": "wizard", "content": 3}}}, "outputs": answer(map[string]any{"role": "assistant", "content": "Hm."})},
	} {
		id := uuid.NewString()
		run["id"], run["trace_id"], run["name"], run["run_type"], run["session_name"] = id, id, name, "llm", "agents"
		run["start_time"], run["end_time"], run["dotted_order"] = "2026-05-02T10:00:00Z", "2026-05-02T10:00:01Z", "20260502T100000000000Z"+id
		plane.Call(http.MethodPost, "/api/v1/runs", run, nil)
		files := shownFile.FindAllStringSubmatch(look("/ui/runs/"+id+"/test"), -1)
		if len(files) != 2 {
			t.Fatalf("%s: %d files on the page, want 2", name, len(files))
		}
		directory := strings.ReplaceAll(name, " ", "_")
		for _, file := range files {
			c.write(directory+"/"+file[1], html.UnescapeString(file[2]))
		}
		fixture := directory + "/" + directory + ".run.json"
		c.write(fixture, look("/ui/runs/"+id+"/raw"))
		c.run(0, "-chdir="+directory, "fmt", "-check", "-diff")
		if told := c.run(0, "-chdir="+directory, "test"); !strings.Contains(told, "1 passed, 0 failed") {
			t.Errorf("%s: the test says:\n%s\n%s", name, told, files[0][2])
		}
		if _, has := run["outputs"]; has {
			other := look("/ui/runs/" + id + "/raw")
			c.write(fixture, strings.Replace(other, `"choices"`, `"choices":[{"message":{"role":"assistant","content":"Something else."}}],"none"`, 1))
			if told := c.run(1, "-chdir="+directory, "test"); !strings.Contains(told, "The answer is: Something else.") {
				t.Errorf("%s: with another answer, the test says:\n%s", name, told)
			}
		}
	}
}
