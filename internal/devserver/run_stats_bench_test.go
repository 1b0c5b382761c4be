package devserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/figure"
)

// BenchmarkStats requests the figures of a project with 100,000 runs: 25,000 traces of a root, two models and a tool.
func BenchmarkStats(b *testing.B) {
	server, err := New(Config{DevAPI: true})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	project := fillProject(b, server, 25_000)
	rollUp(b, server)
	for _, ask := range []struct{ name, method, path, body string }{
		{"project", http.MethodGet, "/sessions/" + project + "?include_stats=true", ""},
		{"last_hour", http.MethodGet, "/sessions/" + project + "?include_stats=true&stats_start_time=2026-05-02T15:56:40Z", ""},
		{"series", http.MethodGet, "/dev/sessions/" + project + "/series?from=2026-05-02T10:00:00Z&to=2026-05-02T17:00:00Z", ""},
		{"all_runs", http.MethodPost, "/runs/stats", `{"session": ["` + project + `"]}`},
		{"by_metadata", http.MethodPost, "/runs/stats", `{"is_root": true, "session": ["` + project + `"],
			"group_by": {"attribute": "metadata", "path": "revision"}}`},
	} {
		b.Run(ask.name, func(b *testing.B) {
			for b.Loop() {
				answer := httptest.NewRecorder()
				server.ServeHTTP(answer, httptest.NewRequestWithContext(b.Context(), ask.method, "http://localhost"+ask.path, strings.NewReader(ask.body)))
				if answer.Code != http.StatusOK {
					b.Fatalf("status %d, want 200: %s", answer.Code, answer.Body)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
		})
	}
}

// rollUp rolls up all figures.
func rollUp(b *testing.B, server *Server) {
	b.Helper()
	roller := figure.NewRoller(server.rest.Store)
	for more := true; more; {
		var err error
		if more, err = roller.Slice(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// fillProject stores traces of four runs each and returns the ID of their project.
func fillProject(b *testing.B, server *Server, traces int) string {
	b.Helper()
	project := store.Project{ID: uuid.NewString(), WorkspaceID: rest.DefaultWorkspaceID, Name: "busy", StartTime: server.rest.Now()}
	begin := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	err := server.rest.Store.Do(b.Context(), func(tx *store.Tx) error {
		if err := tx.EnsureProject(project); err != nil {
			return err
		}
		for i := range traces {
			root := store.Run{
				WorkspaceID: project.WorkspaceID, ID: uuid.NewString(), ProjectID: project.ID, Name: "agent", RunType: "chain",
				Status: "success", StartTime: begin.Add(time.Duration(i) * time.Second), Figures: "{}", ReceivedAt: begin,
			}
			root.ThreadID = new(fmt.Sprint("thread ", i/10))
			root.TraceID, root.DottedOrder = root.ID, new("20260502T100000000000Z"+root.ID)
			root.EndTime = new(root.StartTime.Add(time.Duration(i%5000) * time.Millisecond))
			runs := []store.Run{root}
			for j := range 3 {
				child := root
				child.ID, child.ParentRunID, child.Name, child.RunType = uuid.NewString(), &root.ID, fmt.Sprint("step ", j), "tool"
				child.DottedOrder = new(*root.DottedOrder + ".20260502T100000000000Z" + child.ID)
				if j > 0 {
					child.RunType, child.PromptTokens, child.CompletionTokens, child.TotalTokens = "llm", 200, 100, 300
					child.PromptCost, child.CompletionCost, child.TotalCost = new("0.0004"), new("0.0006"), new("0.001")
					child.FirstTokenTime = new(root.StartTime.Add(time.Duration(j) * 100 * time.Millisecond))
					child.Figures = `{"prompt_token_details":{"cache_read":"50"},"prompt_cost_details":{"cache_read":"0.0001"},"basis":"0123456789abcdef01234567"}`
				}
				runs = append(runs, child)
			}
			for _, run := range runs {
				body := store.RunBody{Post: []byte(`{"inputs":{}}`), Patch: []byte(`{"outputs":{}}`)}
				if err := tx.SaveRun(run, body, []store.Label{{Kind: store.Metadata, Key: "revision", Value: fmt.Sprint(i % 3)}}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return project.ID
}
