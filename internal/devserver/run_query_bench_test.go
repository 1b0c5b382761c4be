package devserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkQueryRuns asks for pages of a project of 100,000 runs.
func BenchmarkQueryRuns(b *testing.B) {
	server, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	project := fillProject(b, server, 25_000)
	for _, ask := range []struct{ name, body string }{
		{"newest", `{}`},
		{"roots", `{"is_root": true}`},
		{"roots_with_figures", `{"is_root": true, "select": ["id", "total_tokens", "total_cost", "first_token_time"]}`},
		{"type", `{"run_type": "llm"}`},
		{"window", `{"start_time": "2026-05-02T12:00:00Z", "end_time": "2026-05-02T12:10:00Z"}`},
		{"failures", `{"error": true}`},
		{"metadata", `{"filter": "and(eq(metadata_key, 'revision'), eq(metadata_value, 'r1'))"}`},
		{"of_a_root", `{"run_type": "tool", "trace_filter": "gt(latency, 4)"}`},
		{"of_a_tree", `{"is_root": true, "tree_filter": "gt(total_tokens, 1000000)"}`},
		{"a_text", `{"filter": "search('nowhere')"}`},
	} {
		b.Run(ask.name, func(b *testing.B) {
			body := `{"session": ["` + project + `"], "limit": 100, ` + strings.TrimPrefix(ask.body, "{")
			body = strings.Replace(body, ", }", "}", 1)
			for b.Loop() {
				answer := httptest.NewRecorder()
				server.ServeHTTP(answer, httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/runs/query", strings.NewReader(body)))
				if answer.Code != http.StatusOK {
					b.Fatalf("status %d: %s", answer.Code, answer.Body)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
		})
	}
}
