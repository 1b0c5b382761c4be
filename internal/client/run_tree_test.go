package client

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

const projectID = "0d0ac1d5-6b5f-45b7-a0f0-5f8a0d5f7a22"

var (
	runStart = time.Date(2026, 11, 21, 0, 9, 15, 597001999, time.UTC)
	runID    = uuid.MustParse("01a1fb6f-924d-7000-8000-00d1858fd5af")
)

// serveRuns takes runs as the service does, at a time that stands still.
func serveRuns(t *testing.T) (*Client, *service) {
	t.Helper()
	return serve(t, answerWith(http.StatusAccepted, `{"message":"Run created"}`), func(cfg *Config) {
		cfg.Now = func() time.Time { return runStart }
	})
}

// sentRuns are the bodies of the requests.
func sentRuns(t *testing.T, s *service) []api.RunIngest {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	runs := make([]api.RunIngest, len(s.requests))
	for i, r := range s.requests {
		if err := json.Unmarshal([]byte(r.Body), &runs[i]); err != nil {
			t.Fatalf("%s: %v", r.Body, err)
		}
	}
	return runs
}

// sentRun is the body of the last request.
func sentRun(t *testing.T, s *service) api.RunIngest {
	t.Helper()
	runs := sentRuns(t, s)
	if len(runs) == 0 {
		t.Fatal("the service saw no request")
	}
	return runs[len(runs)-1]
}

// jsonText compares JSON as the text that was sent.
var jsonText = cmp.Transformer("text", func(raw json.RawMessage) string { return string(raw) })

// TestRunTreeLifecycle streams an answer and looks at all that is sent.
func TestRunTreeLifecycle(t *testing.T) {
	t.Parallel()
	c, s := serveRuns(t)
	run := c.NewRun(RunConfig{
		ID: runID, Name: "chat", RunType: llmrun.RunTypeLLM, ProjectName: "tests", Tags: []string{"smoke"},
		Inputs:   json.RawMessage(` {"messages": [{"role": "user", "content": "hi"}]}`),
		Extra:    json.RawMessage(`{"runtime": {"sdk": "x"}, "metadata": {"ls_provider": "old", "n": 1.50}}`),
		Metadata: map[string]any{"ls_provider": "example"}, StartTime: runStart,
	})
	if err := run.Post(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := api.RunIngest{
		ID: runID.String(), TraceID: runID.String(), DottedOrder: "20261121T000915597001Z" + runID.String(), SessionName: "tests",
		Name: "chat", RunType: "llm", StartTime: "2026-11-21T00:09:15.597001Z",
		Inputs: json.RawMessage(`{"messages":[{"role":"user","content":"hi"}]}`), Tags: []string{"smoke"},
		Extra: json.RawMessage(`{"metadata":{"ls_provider":"example","n":1.50},"runtime":{"sdk":"x"}}`),
	}
	if diff := cmp.Diff(want, sentRun(t, s), jsonText); diff != "" {
		t.Errorf("post (-want +got):\n%s", diff)
	}

	run.NewToken(runStart.Add(time.Second))
	run.NewToken(runStart.Add(2 * time.Second))
	run.AddMetadata(map[string]any{"ls_model_name": "m"})
	run.AddTags("smoke", "streamed")
	run.AddEvent("end", time.Time{})
	buffer := []byte(`{"content":"hello"}`)
	run.End(buffer, "", runStart.Add(3*time.Second))
	copy(buffer, `{"content":"howdy"}`) // Readers of streams use their buffers again.
	if err := run.Patch(t.Context()); err != nil {
		t.Fatal(err)
	}
	want.Inputs, want.EndTime, want.Tags = nil, "2026-11-21T00:09:18.597001Z", []string{"smoke", "streamed"}
	want.Extra = json.RawMessage(`{"metadata":{"ls_model_name":"m","ls_provider":"example","n":1.50},"runtime":{"sdk":"x"}}`)
	want.Events = []api.RunEvent{
		{Name: "new_token", Time: "2026-11-21T00:09:16.597001Z"}, {Name: "end", Time: "2026-11-21T00:09:15.597001Z"},
	}
	got := sentRun(t, s)
	if !strings.Contains(string(got.Outputs), `"content":"hello"`) {
		t.Errorf("outputs %s, want them as they were", got.Outputs)
	}
	got.Outputs = nil
	if diff := cmp.Diff(want, got, jsonText); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"POST /api/v1/runs", "PATCH /api/v1/runs/" + runID.String()}, s.calls()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if key := s.last(t).Header.Get("X-Api-Key"); key != "key-of-the-test" {
		t.Errorf("X-Api-Key: %q", key)
	}
}

// TestRunTreePlaces holds what is made up for runs against the rules for their places in traces.
func TestRunTreePlaces(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		parent, child RunConfig
		want          api.RunIngest // Of the child, but for what all have.
	}{
		"nothing given": {
			RunConfig{}, RunConfig{},
			api.RunIngest{Name: "chain", RunType: "chain", StartTime: "2026-11-21T00:09:15.597001Z"},
		},
		"project by name": {
			RunConfig{ProjectName: "a"}, RunConfig{ProjectName: "b", ProjectID: "c", Name: "n", RunType: llmrun.RunTypeTool},
			api.RunIngest{SessionName: "a", Name: "n", RunType: "tool", StartTime: "2026-11-21T00:09:15.597001Z"},
		},
		"project by id": {
			RunConfig{ProjectName: "a", ProjectID: projectID}, RunConfig{},
			api.RunIngest{SessionID: projectID, Name: "chain", RunType: "chain", StartTime: "2026-11-21T00:09:15.597001Z"},
		},
		"the child's clock is behind": {
			RunConfig{}, RunConfig{StartTime: runStart.Add(-time.Hour)},
			api.RunIngest{Name: "chain", RunType: "chain", StartTime: "2026-11-20T23:09:15.597001Z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serveRuns(t)
			parent := c.NewRun(test.parent)
			child := parent.Child(test.child)
			if err := child.Post(t.Context()); err != nil {
				t.Fatal(err)
			}
			body := s.last(t).Body
			run, problems, err := llmrun.DecodeRun([]byte(body))
			if err != nil || len(problems) > 0 {
				t.Fatalf("%s: %v %v", body, problems, err)
			}
			if problems := run.CheckTrace(); len(problems) > 0 {
				t.Errorf("%s: %v", body, problems)
			}
			if run.ID != child.ID() || run.TraceID != parent.ID() || run.ParentRunID != parent.ID() || child.TraceID() != parent.ID() {
				t.Errorf("%s is not below %s", body, parent.ID())
			}
			if diff := cmp.Diff(child.DottedOrder(), run.DottedOrder); diff != "" {
				t.Errorf("dotted order (-want +got):\n%s", diff)
			}
			everywhere := cmpopts.IgnoreFields(api.RunIngest{}, "ID", "TraceID", "ParentRunID", "DottedOrder")
			if diff := cmp.Diff(test.want, sentRun(t, s), jsonText, everywhere); diff != "" {
				t.Errorf("run (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRunTreeChildrenAtOnce has many runs below one, all of which write to themselves and to it.
func TestRunTreeChildrenAtOnce(t *testing.T) {
	t.Parallel()
	const count = 16
	c, s := serveRuns(t)
	parent := c.NewRun(RunConfig{ID: runID})
	var wait sync.WaitGroup
	for range count {
		wait.Go(func() {
			child := parent.Child(RunConfig{RunType: llmrun.RunTypeLLM})
			for range 3 {
				child.NewToken(time.Time{})
				parent.NewToken(time.Time{})
			}
			parent.AddMetadata(map[string]any{child.ID().String(): true})
			parent.AddTags("one")
			child.End(json.RawMessage(`{"content":"xxx"}`), "", time.Time{})
			if err := child.Post(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	parent.End(json.RawMessage(`{"ok":true}`), "", time.Time{})
	if err := parent.Post(t.Context()); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, run := range sentRuns(t, s)[:count] {
		ids[run.ID] = true
		if run.ParentRunID != runID.String() || len(run.Events) != 1 || !strings.Contains(string(run.Outputs), `"xxx"`) {
			t.Errorf("child %+v, want it below %s with one event and its outputs", run, runID)
		}
	}
	last := sentRun(t, s)
	var extra struct{ Metadata map[string]bool }
	if err := json.Unmarshal(last.Extra, &extra); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ids, extra.Metadata); diff != "" {
		t.Errorf("metadata of the parent (-children +got):\n%s", diff)
	}
	if len(ids) != count || len(last.Events) != 1 || len(last.Tags) != 1 {
		t.Errorf("%d children and the parent %+v, want %d, one event and one tag", len(ids), last, count)
	}
}
