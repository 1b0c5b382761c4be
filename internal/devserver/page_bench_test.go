//go:build unix

package devserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
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
	rollUp(b, server)
	large, call := largeTrace(b, server)
	list := httptest.NewRecorder()
	server.ServeHTTP(list, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://localhost/ui/projects/"+project, http.NoBody))
	trace := regexp.MustCompile(`/ui/traces/[0-9a-f-]+`).FindString(list.Body.String())
	for name, path := range map[string]string{
		"projects": "/ui/projects", "project": "/ui/projects/" + project, "last_hour": "/ui/projects/" + project + "?range=1h",
		"all_runs": "/ui/projects/" + project + "?range=1h&scope=all", "deployments": "/ui/deployments",
		"trace": trace, "thread": "/ui/projects/" + project + "/threads?thread=thread+77",
		"large_trace": "/ui/traces/" + large, "run_of_large_trace": "/ui/traces/" + large + "?part=chosen&run=" + call, "run": "/ui/runs/" + call,
		"custom_range": "/ui/projects/" + project + "?from=2026-05-02T10:07:11Z&to=2026-05-02T16:51:03Z&tz=Asia/Tokyo&vs=previous",
		"chips":        "/ui/projects/" + project + "?q=status:success+latency%3E4s", "slowest": "/ui/projects/" + project + "?sort=latency",
		"tokens_chip": "/ui/projects/" + project + "?q=tokens%3E100",
		"rare_chip":   "/ui/projects/" + project + "?q=model:none", "word": "/ui/projects/" + project + "?q=nothing",
		"by_model": "/ui/projects/" + project + "?by=model", "by_revision": "/ui/projects/" + project + "?by=revision",
	} {
		look := func(b *testing.B) *httptest.ResponseRecorder {
			answer := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://localhost"+path, http.NoBody)
			r.Header.Set("Accept-Encoding", "gzip")
			server.ServeHTTP(answer, r)
			if answer.Code != http.StatusOK || answer.Body.Len() > 40<<10 {
				b.Fatalf("status %d, %d bytes, want 200 and at most 40 KiB: %.1000s", answer.Code, answer.Body.Len(), answer.Body)
			}
			return answer
		}
		b.Run(name, func(b *testing.B) {
			transferred := look(b).Body.Len() // The first request computes figures that the others find cached.
			began := used(b)
			for b.Loop() {
				look(b)
			}
			b.ReportMetric(float64((used(b)-began).Milliseconds())/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(transferred)/1024, "KiB")
		})
	}
}

// largeTrace stores a trace of 10,001 runs, in groups of a hundred, in a project of its own, and returns the IDs of its root and of a call of a model.
func largeTrace(b *testing.B, server *Server) (root, call string) {
	b.Helper()
	project := store.Project{ID: uuid.NewString(), WorkspaceID: rest.DefaultWorkspaceID, Name: "large", StartTime: server.rest.Now()}
	err := server.rest.Store.Do(b.Context(), func(tx *store.Tx) error {
		if err := tx.EnsureProject(project); err != nil {
			return err
		}
		begin := time.Date(2026, 5, 2, 16, 0, 0, 0, time.UTC)
		child := func(parent *store.Run, name string, at time.Duration) store.Run {
			run := store.Run{
				WorkspaceID: project.WorkspaceID, ID: uuid.NewString(), ProjectID: project.ID, Name: name, RunType: "chain", Status: "success",
				StartTime: begin.Add(at), EndTime: new(begin.Add(at + time.Second)), Figures: "{}", ReceivedAt: begin,
			}
			order := run.StartTime.Format("20060102T150405000000Z") + run.ID
			if run.TraceID = run.ID; parent != nil {
				run.TraceID, run.ParentRunID, order = parent.TraceID, &parent.ID, *parent.DottedOrder+"."+order
			}
			run.DottedOrder = &order
			return run
		}
		top := child(nil, "large", 0)
		all := []store.Run{top}
		for i := range 100 {
			group := child(&top, fmt.Sprint("group ", i), time.Duration(i)*time.Second)
			all = append(all, group)
			for j := range 99 {
				run := child(&group, fmt.Sprint("call ", j), time.Duration(i)*time.Second+time.Duration(j)*10*time.Millisecond)
				run.RunType, run.TotalTokens, run.TotalCost, run.Figures = "llm", 300, new("0.001"), `{"model":"example-large"}`
				all, call = append(all, run), run.ID
			}
		}
		for _, run := range all {
			body := store.RunBody{Post: []byte(`{"inputs":{"messages":[{"role":"user","content":"Hello"}]}}`), Patch: []byte(`{"outputs":{}}`)}
			if err := tx.SaveRun(run, body, nil); err != nil {
				return err
			}
		}
		root = top.ID
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return root, call
}

// used returns the CPU time that the process has used, which other processes don't change.
func used(b *testing.B) time.Duration {
	b.Helper()
	var all syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &all); err != nil {
		b.Fatal(err)
	}
	return time.Duration(all.Utime.Nano() + all.Stime.Nano())
}
