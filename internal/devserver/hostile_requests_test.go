package devserver

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
)

// TestHostileRequests_unraced sends requests to every endpoint of the services, and to some pages, with one thing wrong each: one of 53, or, if
// AGENTPLANE_TEST_REQUESTS is set, all. Every failure must be reported as the client's error, and no memory may leak.
func TestHostileRequests_unraced(t *testing.T) {
	all, step := endpoints(t), 53
	if os.Getenv("AGENTPLANE_TEST_REQUESTS") != "" {
		step = 1
	}
	var v victim
	before, goroutines, n := heap(), runtime.NumGoroutine(), 0
	for _, e := range all {
		v.serve(t, e.valid(t))
		e.malformed(t, func(s sent) {
			if n++; n%step == 0 {
				v.serve(t, s)
			}
		})
	}
	v.close()
	requests, accepted := 0, 0
	for status, n := range v.statuses {
		if requests += n; status < 300 {
			accepted += n
		}
	}
	t.Logf("responses by status: %v", v.statuses)
	if accepted < requests/20 {
		t.Errorf("only %d of %d requests were accepted, want 5 %%: they are too malformed to test much", accepted, requests)
	}
	if after := heap(); after > before+16<<20 {
		t.Errorf("heap = %d bytes after the test and %d before, want at most 16 MiB more", after, before)
	}
	if after := runtime.NumGoroutine(); after > goroutines+5 {
		t.Errorf("%d goroutines after the test and %d before, want at most 5 more", after, goroutines)
	}
}

// FuzzRequests sends requests to the dev server that are made from a valid one to each endpoint.
func FuzzRequests(f *testing.F) {
	for _, e := range endpoints(f) {
		s := e.valid(f)
		f.Add(s.method, s.target, s.contentType, s.encoding, s.tenant, s.body)
	}
	var v victim
	f.Cleanup(v.close)
	f.Fuzz(func(t *testing.T, method, target, contentType, encoding, tenant string, body []byte) {
		if _, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+target, nil); err != nil {
			t.Skip(err) // No client can send it.
		}
		v.serve(t, sent{method, target, contentType, encoding, tenant, body})
	})
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// victim is a server that is replaced after every 2,000 requests.
type victim struct {
	*Server
	clock    *ManualClock
	log      bytes.Buffer
	served   int
	statuses map[int]int
	known    []string // IDs in recent answers, to which later requests refer.
}

func (v *victim) start(t *testing.T) {
	t.Helper()
	v.close()
	v.clock = NewManualClock(time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC))
	server, err := New(Config{
		Clock: v.clock, Dialect: api.LangSmith, DevAPI: true, Rollout: time.Minute,
		Logger: slog.New(slog.NewTextHandler(&v.log, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	assert.Must(t, err)
	v.Server = server
	seeded, err := server.Seed(t.Context(), DefaultWorkspaceID)
	assert.Must(t, err)
	v.known = []string{seeded.ListenerID, seeded.IntegrationID}
	if v.statuses == nil {
		v.statuses = map[int]int{}
	}
}

func (v *victim) close() {
	if v.Server != nil {
		_ = v.Close()
		v.Server = nil
	}
}

var answeredID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// serve sends a request, whose IDs it replaces.
func (v *victim) serve(t *testing.T, s sent) {
	t.Helper()
	if v.served%2000 == 0 {
		v.start(t)
	}
	v.served++
	known, made := v.known[v.served%len(v.known)], uuid.NewString()
	ids := func(text []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(knownID), []byte(known)), []byte(newID), []byte(made))
	}
	body := ids(s.body)
	r, err := http.NewRequestWithContext(t.Context(), s.method, "http://localhost"+string(ids([]byte(s.target))), bytes.NewReader(body))
	assert.Must(t, err)
	for name, value := range map[string]string{"Content-Type": s.contentType, "Content-Encoding": s.encoding, "X-Tenant-Id": s.tenant} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answer := httptest.NewRecorder()
	var failed any
	func() {
		defer func() { failed = recover() }()
		v.ServeHTTP(answer, r)
	}()
	if failed != nil || answer.Code >= 500 {
		t.Fatalf("%s %s %v\n%.2000q\ngot status %d, panic %v, and the log ends with %s",
			r.Method, r.URL, r.Header, body, answer.Code, failed, v.log.Bytes()[max(0, v.log.Len()-1000):])
	}
	v.statuses[answer.Code]++
	for _, id := range answeredID.FindAll(answer.Body.Bytes()[:min(answer.Body.Len(), 4<<10)], 3) {
		v.known = append(v.known, string(id))
	}
	v.known = slices.Clone(v.known[max(0, len(v.known)-100):])
	v.clock.Advance(time.Duration(v.served%3) * time.Second)
}
