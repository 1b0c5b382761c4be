package client

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

const loggedDeployment = "d0000001-0000-4000-8000-000000000000"

// logPages answers each request with a page of lines, the newest first; all but the last have a cursor.
func logPages(sizes ...int) http.HandlerFunc {
	page := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		lines := make([]string, sizes[page])
		for i := range lines {
			lines[i] = fmt.Sprintf(`{"timestamp": "2026-01-01T00:00:00Z", "level": "INFO", "message": "%d.%d hunter22"}`, page, i)
		}
		page++
		next := "null"
		if page < len(sizes) {
			next = fmt.Sprintf("%q", fmt.Sprint(page))
		}
		_, _ = fmt.Fprintf(w, `{"items": [%s], "next_cursor": %s}`, strings.Join(lines, ","), next)
	}
}

// TestDeploymentLogs requests the newest lines first, follows the cursors as far as necessary, and masks secrets.
func TestDeploymentLogs(t *testing.T) {
	t.Parallel()
	const base = "deployment_id=" + loggedDeployment + "&log_type=DEPLOY"
	for name, test := range map[string]struct {
		answer  http.HandlerFunc
		part    LogRange
		limit   int
		want    []string
		queries []string
	}{
		"none":            {logPages(0), LogRange{}, 5, nil, []string{base + "&page_size=5&sort_order=desc"}},
		"two pages":       {logPages(2, 1), LogRange{}, 5, []string{"1.0 ***", "0.1 ***", "0.0 ***"}, []string{base + "&page_size=5&sort_order=desc", "cursor=1&" + base + "&page_size=3&sort_order=desc"}},
		"more than asked": {logPages(3), LogRange{}, 1, []string{"0.0 ***"}, []string{base + "&page_size=1&sort_order=desc"}},
		"largest page":    {logPages(0), LogRange{}, 1000, nil, []string{base + "&page_size=100&sort_order=desc"}},
		"a range": {
			logPages(1), LogRange{"2a000001-0000-4000-8000-000000000000", "2026-01-01T00:00:00+01:00", "2026-01-02T00:00:00Z"}, 1, []string{"0.0 ***"},
			[]string{"deployment_id=" + loggedDeployment + "&end_time=2026-01-02T00%3A00%3A00Z&log_type=DEPLOY&page_size=1" +
				"&revision_id=2a000001-0000-4000-8000-000000000000&sort_order=desc&start_time=2026-01-01T00%3A00%3A00%2B01%3A00"},
		},
		"throttled": {script(answerWith(429, nil), logPages(1)), LogRange{}, 1, []string{"0.0 ***"}, []string{base + "&page_size=1&sort_order=desc", base + "&page_size=1&sort_order=desc"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, test.answer)
			lines, err := c.DeploymentLogs(mask.With(t.Context(), "hunter22"), loggedDeployment, api.LogTypeDeploy, test.part, test.limit)
			if err != nil {
				t.Fatal(err)
			}
			var messages, queries []string
			for _, line := range lines {
				messages = append(messages, line.Message)
			}
			for _, r := range s.requests {
				queries = append(queries, r.Query.Encode())
			}
			if diff := cmp.Diff(test.want, messages); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.queries, queries); diff != "" {
				t.Errorf("queries (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDeploymentLogs_fails ends at what isn't a log, and at one that doesn't end.
func TestDeploymentLogs_fails(t *testing.T) {
	t.Parallel()
	for want, body := range map[string]string{
		"the response is not a log":          `{"logs": []}`,
		"the remaining lines can't be read":  `{"items": [], "next_cursor": "same"}`,
		"next_cursor is a number, not a str": `{"items": [], "next_cursor": 1}`,
	} {
		c, _ := serve(t, answerWith(200, body))
		if _, err := c.DeploymentLogs(t.Context(), loggedDeployment, api.LogTypeDeploy, LogRange{}, 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error = %v, want %q in it", body, err, want)
		}
	}
}
