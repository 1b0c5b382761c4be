package tracing_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// BenchmarkIngest sends runs as fast as the server accepts them, on as many connections as clients open: requests of 100
// operations, a post and a patch for each of 50 runs, compressed with zstd. It reports operations and megabytes (before
// compression) per second, and the duration of requests.
func BenchmarkIngest(b *testing.B) {
	for _, size := range []int{0, 50 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) { benchmarkIngest(b, size) })
	}
}

// The load of the benchmark.
const (
	benchWriters  = 8
	benchRequests = 200
	benchRuns     = 50
)

func benchmarkIngest(b *testing.B, size int) {
	server, err := devserver.New(devserver.Config{Data: filepath.Join(b.TempDir(), "runs.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()
	requests, bytes := benchRequests, 0
	if size > 0 {
		requests /= 10
	}
	for b.Loop() {
		b.StopTimer()
		bodies := make(chan *http.Request, requests)
		for range requests {
			u := devservertest.NewUpload(b)
			for range benchRuns {
				run := devservertest.RootRun(object{"run_type": "llm", "inputs": chatOf(size)})
				u.Add("post", run)
				u.Add("patch", object{"id": run["id"], "trace_id": run["trace_id"], "dotted_order": run["dotted_order"],
					"end_time": "2026-05-02T10:00:01Z", "outputs": replyOf(size)})
			}
			bytes += u.Body.Len()
			bodies <- u.Request(web.URL)
		}
		close(bodies)
		b.StartTimer()
		began := time.Now()
		took := sendAll(b, bodies)
		elapsed := time.Since(began).Seconds()
		slices.Sort(took)
		b.ReportMetric(float64(requests*benchRuns*2)/elapsed, "ops/s")
		b.ReportMetric(float64(bytes)/1e6/elapsed, "MB/s")
		b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-ms")
		b.ReportMetric(float64(took[len(took)*99/100].Milliseconds()), "p99-ms")
		bytes = 0
	}
}

// sendAll sends requests on several connections and returns their durations.
func sendAll(b *testing.B, requests <-chan *http.Request) []time.Duration {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchWriters}}
	var mu sync.Mutex
	var took []time.Duration
	var writers sync.WaitGroup
	for range benchWriters {
		writers.Go(func() {
			for request := range requests {
				began := time.Now()
				response, err := client.Do(request.WithContext(context.Background()))
				if err != nil {
					b.Error(err)
					return
				}
				text, _ := io.ReadAll(response.Body)
				response.Body.Close()
				if response.StatusCode/100 != 2 {
					b.Errorf("status %d, want 2xx: %s", response.StatusCode, text)
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	return took
}

// chatOf returns a conversation of about the given number of bytes.
func chatOf(size int) object {
	return object{"model": "example-large", "messages": []any{object{"role": "user", "content": "Hi. " + filling(size)}}}
}

func replyOf(size int) object {
	return object{
		"choices": []any{object{"message": object{"role": "assistant", "content": "Hello. " + filling(size)}}},
		"usage":   object{"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30},
	}
}

func filling(size int) string { return strings.Repeat("All work and no play. ", size/22) }
