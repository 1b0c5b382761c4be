package devserver

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/hostile"
)

// TestHostileRequests_unraced sends nearly valid requests to every endpoint: bodies as in the OpenAPI document, or those
// of the tracing service, most of them malformed. Every failure must be reported as the client's error, and
// no memory may leak. AGENTPLANE_TEST_REQUESTS is the number of requests.
func TestHostileRequests_unraced(t *testing.T) {
	requests, perServer := 20_000, 2_000
	if text := os.Getenv("AGENTPLANE_TEST_REQUESTS"); text != "" {
		var err error
		if requests, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	h := newHostile(t)
	clocks := rand.New(rand.NewPCG(seed, seed))
	before := heap()
	goroutines := runtime.NumGoroutine()
	statuses := map[int]int{}
	for sent := 0; sent < requests; sent += perServer {
		runHostile(t, h, clocks, min(perServer, requests-sent), statuses)
	}
	h.Known = nil
	if after := heap(); after > before+16<<20 {
		t.Errorf("heap = %d bytes after the test and %d before, want at most 16 MiB more", after, before)
	}
	if after := runtime.NumGoroutine(); after > goroutines+5 {
		t.Errorf("%d goroutines after the test and %d before, want at most 5 more", after, goroutines)
	}
	t.Logf("responses by status: %v", statuses)
	if accepted := statuses[200] + statuses[201] + statuses[202]; accepted < requests/20 {
		t.Errorf("only %d of %d requests were accepted, want 5 %%: they are too malformed to test much", accepted, requests)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// seed makes the same requests in every run.
const seed = 20260502

func newHostile(t *testing.T) *hostile.Generator {
	t.Helper()
	// This document isn't derived from our code.
	document, err := os.ReadFile("../providertest/testdata/langsmith.openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	server, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	h, err := hostile.New(document, server.Undocumented(), seed)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// runHostile sends requests to a new server.
func runHostile(t *testing.T, h *hostile.Generator, clocks *rand.Rand, requests int, statuses map[int]int) {
	t.Helper()
	clock := NewManualClock(time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC))
	var log bytes.Buffer
	server, err := New(Config{
		Clock: clock, Dialect: api.LangSmith, DevAPI: true, Rollout: time.Minute,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	seeded, err := server.Seed(t.Context(), DefaultWorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	h.Known = []string{seeded.ListenerID, seeded.IntegrationID}
	for range requests {
		next, err := h.Request()
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), next.Method, "http://localhost"+next.Path, bytes.NewReader(next.Body))
		r.Header = next.Header
		answer := httptest.NewRecorder()
		if failed := serveHostile(server, answer, r); failed != nil || answer.Code >= 500 {
			t.Fatalf("%s %s %v\n%.2000q\ngot status %d, panic %v, and the log ends with %s",
				r.Method, r.URL, r.Header, next.Body, answer.Code, failed, log.Bytes()[max(0, log.Len()-1000):])
		}
		statuses[answer.Code]++
		h.Learn(answer.Body.Bytes())
		clock.Advance(time.Duration(clocks.IntN(3)) * time.Second)
	}
}

func serveHostile(server *Server, w http.ResponseWriter, r *http.Request) (failed any) {
	defer func() { failed = recover() }()
	server.ServeHTTP(w, r)
	return nil
}
