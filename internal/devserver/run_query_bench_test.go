package devserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkQueryRuns requests pages of a project with 100,000 runs.
func BenchmarkQueryRuns(b *testing.B) {
	server, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	project := fillProject(b, server, 25_000)
	for _, ask := range []struct{ name, body string }{
		{"newest", `{}`},
		{"any_project", `{"session": null, "is_root": true}`},
		{"thread", `{"filter": "eq(thread_id, 'thread 77')"}`},
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
			// If a member occurs twice, the last one counts.
			body := strings.Replace(`{"session": ["`+project+`"], "limit": 100, `+ask.body[1:], ", }", "}", 1)
			benchmarkPage(b, server, "/runs/query", body)
		})
	}
	b.Run("threads", func(b *testing.B) {
		benchmarkPage(b, server, "/v2/threads/query", `{"project_id": "`+project+`", "min_start_time": "2026-05-01T00:00:00Z", "page_size": 20}`)
	})
	b.Run("traces", func(b *testing.B) {
		benchmarkPage(b, server, "/v2/traces/query", `{"project_id": "`+project+`", "min_start_time": "2026-05-01T00:00:00Z", "page_size": 100}`)
	})
}

// benchmarkPage requests the same page repeatedly.
func benchmarkPage(b *testing.B, server *Server, path, body string) {
	b.Helper()
	for b.Loop() {
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, httptest.NewRequestWithContext(b.Context(), http.MethodPost, "http://localhost"+path, strings.NewReader(body)))
		if answer.Code != http.StatusOK {
			b.Fatalf("status %d, want 200: %s", answer.Code, answer.Body)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
}
