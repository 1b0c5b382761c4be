package tracing_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestIngestNesting_unraced logs runs with JSON that is nested so deep that careless code would run out of stack, memory or
// time. It is stored unchanged or refused, and the runs can still be read in every way.
func TestIngestNesting_unraced(t *testing.T) {
	t.Parallel()
	devservertest.StartBudget(t, "deep nesting", time.Minute)
	for name, test := range map[string]struct {
		open, middle, close string
		depth, status       int
	}{
		"lists":            {"[", "1", "]", 9000, http.StatusAccepted},
		"objects":          {`{"a":`, "1", "}", 9000, http.StatusAccepted},
		"messages":         {`{"messages":[{"role":"user","content":[{"type":"tool_result","content":`, `"done"`, "}]}]}", 1500, http.StatusAccepted},
		"a long list":      {"[", strings.Repeat("1,", 150_000) + "1", "]", 9000, http.StatusAccepted},
		"too deep":         {"[", "1", "]", 20_000, http.StatusUnprocessableEntity},
		"millions":         {"[", "1", "]", 10_000_000, http.StatusUnprocessableEntity},
		"without an end":   {"[", "", "", 1_000_000, http.StatusUnprocessableEntity},
		"only objects":     {`{"a":`, "1", "}", 25_000, http.StatusUnprocessableEntity},
		"ends that aren't": {"", "", "]", 1_000_000, http.StatusUnprocessableEntity},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{}).As()
			deep := strings.Repeat(test.open, test.depth) + test.middle + strings.Repeat(test.close, test.depth)
			run := `{"id": "` + runA + `", "name": "deep", "run_type": "llm", "inputs": {"messages": [{"role": "user", "content": ` + deep +
				`}]}, "outputs": {"output": ` + deep + `, "usage_metadata": ` + deep + `}, "extra": {"metadata": {"deep": ` + deep +
				`}}, "events": [{"name": "new_token", "kwargs": ` + deep + `}]}`
			p.Do(http.MethodPost, "/runs", run).Want(test.status)
			p.Do(http.MethodPost, "/runs/batch", `{"post": [`+run+`]}`).Want(test.status)
			p.Do(http.MethodPatch, "/runs/"+runA, `{"extra": {"metadata": {"deep": `+deep+`}}}`).Want(test.status)
			if test.status == http.StatusAccepted {
				got := p.Do(http.MethodGet, "/runs/"+runA, nil).Want(http.StatusOK)
				if !strings.Contains(string(got.Body), deep) {
					t.Error("the run doesn't contain the logged JSON")
				}
				p.Do(http.MethodPost, "/runs/query", `{"is_root": true}`).Want(http.StatusOK)
				page := p.Do(http.MethodGet, "/ui/runs/"+runA, nil).Want(http.StatusOK)
				if len(page.Body) > 16<<20 {
					t.Errorf("the page has %d bytes, want at most 16 MiB", len(page.Body))
				}
			}
			if got := p.Do(http.MethodPost, "/runs/query", deep); got.Status != http.StatusUnprocessableEntity && got.Status != http.StatusRequestEntityTooLarge {
				t.Errorf("query with deeply nested JSON: status %d, want 422 or 413: %s", got.Status, got.Body)
			}
		})
	}
}
