package devserver

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// BenchmarkPages requests the pages of a project with 100,000 runs, all of the last seven hours.
func BenchmarkPages(b *testing.B) {
	clock := NewManualClock(time.Date(2026, 5, 2, 17, 0, 0, 0, time.UTC))
	server, err := New(Config{Clock: clock})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	project := fillProject(b, server, 25_000)
	for name, path := range map[string]string{
		"projects": "/ui/projects", "project": "/ui/projects/" + project, "last_hour": "/ui/projects/" + project + "?range=1h",
		"all_runs": "/ui/projects/" + project + "?range=1h&scope=all", "deployments": "/ui/deployments",
	} {
		look := func(b *testing.B) {
			answer := httptest.NewRecorder()
			server.ServeHTTP(answer, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://localhost"+path, http.NoBody))
			if answer.Code != http.StatusOK || answer.Body.Len() > 300<<10 {
				b.Fatalf("status %d, %d bytes, want 200 and at most 300 KiB: %.1000s", answer.Code, answer.Body.Len(), answer.Body)
			}
		}
		b.Run(name, func(b *testing.B) {
			look(b) // The first request computes figures that the others find cached.
			for b.Loop() {
				look(b)
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
		})
	}
}
