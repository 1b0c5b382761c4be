//go:build unix

package devserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestDisconnect_unraced checks that a query stops when its client leaves, by the CPU time that the process uses from then on: the runs
// are so large that a single condition on one of them takes seconds, unless something inside it looks whether to go on.
//
// It doesn't run in parallel with other tests, whose CPU time would count.
func TestDisconnect_unraced(t *testing.T) {
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "plane.db")}))
	const runs, size = 2, 6 << 20
	long := strings.Repeat("ab ", size/3)
	element := `[1, "` + strings.Repeat(`\u00e4`, 10) + `", {"a": "b"}], "k": `
	nested := `{"k": ` + strings.Repeat(element, size/len(element)) + `0}` // As many members as a run may have, almost.
	escaped := `{"text": "` + strings.Repeat(`\u00e4b`, size/7) + `"}`
	for i := range runs {
		id := uuid.NewString()
		text, _ := json.Marshal(long)
		body := fmt.Sprintf(`{"id": %q, "trace_id": %[1]q, "dotted_order": "20260502T100000%06dZ%[1]s", "name": "big", "run_type": "chain",
			"session_name": "big", "start_time": "2026-05-02T10:00:00.%06[2]dZ", "inputs": %s, "outputs": {"text": %s, "more": %s}, "error": %[4]s}`,
			id, i, nested, text, escaped)
		if status := post(t, p, t.Context(), "/runs", body); status != http.StatusAccepted {
			t.Fatalf("log a run: status %d, want 202", status)
		}
	}
	backtracking := "%" + strings.Repeat("ab ab ab%", 20) + "c"
	missing := make([]string, 19)
	for i := range missing {
		missing[i] = fmt.Sprintf("search(%q)", strings.Repeat("ab ", 1000)+fmt.Sprint(i))
	}
	for name, filter := range map[string]string{
		"like a text of the body":   fmt.Sprintf("like(outputs, %q)", backtracking),
		"like a column":             fmt.Sprintf("like(error, %q)", backtracking),
		"contains a text":           fmt.Sprintf("search(error, %q)", strings.Repeat("ab ", 300)+"c"),
		"texts":                     "or(" + strings.Join(missing, ", ") + ")",
		"not a text":                "and(not(like(inputs, \"%x%y%z%\")), " + missing[0] + ")",
		"an entry":                  "and(eq(input_key, \"k.k\"), eq(input_value, \"c\"))",
		"an entry that is a number": "and(eq(output_key, \"more.text\"), gt(output_value, 5))",
	} {
		t.Run(name, func(t *testing.T) {
			usedAfterDisconnect(t, p, "/runs/query", object{"limit": 100, "filter": filter})
		})
	}
	texts := "not(or(" + strings.Join(missing, ", ") + "))"
	usedAfterDisconnect(t, p, "/runs/query", object{"limit": 100, "tree_filter": texts})
	usedAfterDisconnect(t, p, "/runs/query", object{"limit": 100, "trace_filter": texts})
	usedAfterDisconnect(t, p, "/runs/stats", object{"filter": texts})
}

// usedAfterDisconnect sends the same query from six clients, which leave as soon as the server works on it.
func usedAfterDisconnect(t *testing.T, p *plane, path string, query object) {
	t.Helper()
	const clients = 6
	body, err := json.Marshal(query)
	devservertest.Must(t, err)
	runtime.GC() // So that no collection of older garbage is counted.
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	before := cpuTime(t)
	for range clients {
		all.Go(func() { post(t, p, ctx, path, string(body)) })
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for finished := false; !finished && cpuTime(t)-before < 200*time.Millisecond; {
		select {
		case <-done:
			finished = true
		case <-time.After(time.Millisecond):
		}
	}
	leave()
	left := cpuTime(t)
	<-done
	time.Sleep(500 * time.Millisecond) // What still runs is counted.
	used := cpuTime(t) - left
	t.Logf("%s %.100s: %s", path, body, used)
	if used > clients*100*time.Millisecond {
		t.Errorf("%s %.100s: the server used %s of CPU time after %d clients had left, want at most 100 ms for each", path, body, used, clients)
	}
}

// cpuTime returns the CPU time that the process has used.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	devservertest.Must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// post sends a request until ctx ends, and returns the status of the answer; 0 if there was none.
func post(t *testing.T, p *plane, ctx context.Context, path, body string) int { //nolint:revive // t is first in helpers.
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Web.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Error(err)
		return 0
	}
	r.Header = p.Header.Clone()
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}
