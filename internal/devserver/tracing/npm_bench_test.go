package tracing_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"

	"slices"
	"strconv"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// BenchmarkNPMClient compares how fast the npm client logs runs to this server and to one that discards them, with the
// same load and alternately. The ratio divides the first throughput by the second: at 1, the server doesn't slow the client down.
func BenchmarkNPMClient(b *testing.B) {
	scripts := devservertest.InstallNPM(b)
	for _, load := range []struct{ runs, bytes int }{{5000, 0}, {500, 50 << 10}} {
		b.Run(fmt.Sprintf("%dKB", load.bytes>>10), func(b *testing.B) {
			server, err := devserver.New(devserver.Config{Data: filepath.Join(b.TempDir(), "runs.db")})
			if err != nil {
				b.Fatal(err)
			}
			defer server.Close()
			kept, sink := httptest.NewServer(server), newSink(b, server)
			defer kept.Close()
			measure := func(url string) float64 {
				printed := runNode(b, scripts, "bench.mjs", []string{
					"LANGSMITH_ENDPOINT=" + url, "LANGSMITH_TRACING=true", "RUNS=" + strconv.Itoa(load.runs), "BYTES=" + strconv.Itoa(load.bytes),
				})
				ms, err := strconv.ParseFloat(string(printed), 64)
				if err != nil {
					b.Fatalf("bench.mjs printed %q", printed)
				}
				return float64(load.runs) / ms * 1000
			}
			var toSink, toServer []float64
			for b.Loop() {
				toSink, toServer = append(toSink, measure(sink)), append(toServer, measure(kept.URL))
			}
			b.ReportMetric(median(toSink), "sink-runs/s")
			b.ReportMetric(median(toServer), "runs/s")
			b.ReportMetric(median(toServer)/median(toSink), "ratio")
		})
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// newSink responds like the server and discards the requests.
func newSink(b *testing.B, server http.Handler) string {
	b.Helper()
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			server.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusAccepted)
	}))
	b.Cleanup(sink.Close)
	return sink.URL
}
