package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

const alreadyReceived = `{"error":"Conflict: payload already received: payloads already received"}`

// TestRunsAreSentAgain expects that no failure which may pass loses a run, and that the service is not asked in vain.
func TestRunsAreSentAgain(t *testing.T) {
	t.Parallel()
	accepted := answerWith(http.StatusAccepted, nil)
	for method, send := range map[string]func(*RunTree, context.Context) error{"POST": (*RunTree).Post, "PATCH": (*RunTree).Patch} {
		for name, test := range map[string]struct {
			handlers []http.HandlerFunc
			requests int
			status   int // Of the error; 0: success.
			lost     bool
		}{
			"accepted":           {[]http.HandlerFunc{accepted}, 1, 0, false},
			"429":                {[]http.HandlerFunc{answerWith(429, nil), accepted}, 2, 0, false},
			"503":                {[]http.HandlerFunc{answerWith(503, nil), accepted}, 2, 0, false},
			"502":                {[]http.HandlerFunc{answerWith(502, "<html>"), accepted}, 2, 0, false},
			"hang-up":            {[]http.HandlerFunc{hangUp, accepted}, 2, 0, false},
			"hang-up, was taken": {[]http.HandlerFunc{hangUp, answerWith(409, alreadyReceived)}, 2, 0, false},
			"was taken before":   {[]http.HandlerFunc{answerWith(409, alreadyReceived)}, 1, 0, false},
			"another conflict":   {[]http.HandlerFunc{answerWith(409, `{"error":"Conflict: the project is being deleted"}`)}, 1, 409, false},
			"bad run":            {[]http.HandlerFunc{answerWith(400, `{"error":"Bad request: no"}`)}, 1, 400, false},
			"unknown run type":   {[]http.HandlerFunc{answerWith(422, `{"detail":"no"}`)}, 1, 422, false},
			"too large":          {[]http.HandlerFunc{answerWith(413, nil)}, 1, 413, false},
			"down":               {[]http.HandlerFunc{answerWith(500, nil)}, 4, 500, true},
			"gone":               {[]http.HandlerFunc{hangUp}, 4, 0, true},
			"hang-up, refused":   {[]http.HandlerFunc{hangUp, answerWith(401, nil)}, 2, 401, true},
			"hang-up, busy":      {[]http.HandlerFunc{hangUp, answerWith(429, nil)}, 4, 429, true},
			"busy, refused":      {[]http.HandlerFunc{answerWith(429, nil), answerWith(401, nil)}, 2, 401, false},
			"a page":             {[]http.HandlerFunc{answerWith(200, "<html>")}, 1, 200, true},
		} {
			t.Run(method+"/"+name, func(t *testing.T) {
				t.Parallel()
				c, s := serve(t, script(test.handlers...))
				run := c.NewRun(RunConfig{ID: runID})
				err := send(run, t.Context())
				if StatusOf(err) != test.status || (err == nil) != (test.status == 0 && !test.lost) || IsAmbiguous(err) != test.lost {
					t.Errorf("error = %v, want status %d, whether it was lost: %v", err, test.status, test.lost)
				}
				calls := s.calls()
				if len(calls) != test.requests || calls[0][:len(method)] != method {
					t.Errorf("requests %v, want %d", calls, test.requests)
				}
				first := s.requests[0].Body
				for _, again := range s.requests {
					if diff := cmp.Diff(first, again.Body); diff != "" {
						t.Errorf("a repeat says something else (-first +again):\n%s", diff)
					}
				}
			})
		}
	}
}

func TestRunsWaitAsAsked(t *testing.T) {
	t.Parallel()
	c, s := serve(t, script(answerWith(429, nil, "Retry-After", "7"), answerWith(202, nil)))
	if err := c.NewRun(RunConfig{}).Post(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{7 * time.Second}, s.slept()); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

// TestRunsOfAFailedPost sends everything with the patch, and reports then what was not reported before.
func TestRunsOfAFailedPost(t *testing.T) {
	t.Parallel()
	c, s := serve(t, script(answerWith(400, nil), answerWith(202, nil)))
	run := c.NewRun(RunConfig{ID: runID, Inputs: json.RawMessage(`{"a":1}`), Extra: json.RawMessage(`[]`)})
	if err := run.Post(t.Context()); StatusOf(err) != 400 {
		t.Fatalf("error %v, want the answer", err)
	}
	run.End(nil, "", time.Time{})
	for i, inputs := range []string{`{"a":1}`, `{"a":1}`} { // No post has succeeded in between.
		err := run.Patch(t.Context())
		if _, reported := errors.AsType[*RunContentError](err); reported != (i == 0) {
			t.Errorf("patch %d: error %v", i, err)
		}
		if got := sentRun(t, s); string(got.Inputs) != inputs {
			t.Errorf("patch %d: inputs %s, want %s", i, got.Inputs, inputs)
		}
	}
	if err := run.Post(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := run.Patch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := sentRun(t, s); got.Inputs != nil {
		t.Errorf("inputs %s once more", got.Inputs)
	}
}

// TestRunsStayWithTheirHost takes no redirect of a write, not even one that keeps its method.
func TestRunsStayWithTheirHost(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s arrived elsewhere, with the key %q", r.Method, r.URL, r.Header.Get("X-Api-Key"))
	}))
	t.Cleanup(elsewhere.Close)
	c, s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answerWith(http.StatusPermanentRedirect, nil, "Location", elsewhere.URL+"/api/v1/runs")(w, r)
	})
	if err := c.NewRun(RunConfig{}).Post(t.Context()); StatusOf(err) != http.StatusPermanentRedirect || len(s.calls()) != 1 {
		t.Errorf("error %v after %v", err, s.calls())
	}
}

// TestRunsGoToTheTracingAPI and not to the control plane, in its own words.
func TestRunsGoToTheTracingAPI(t *testing.T) {
	t.Parallel()
	_, plane := serve(t, hangUp)
	_, tracing := serve(t, answerWith(202, nil))
	c, err := New(Config{BaseURL: plane.URL, TracingURL: tracing.URL + "/traces", WorkspaceID: "w"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.LogRun(t.Context(), FinishedRun{RunConfig: RunConfig{ID: runID}}); err != nil {
		t.Fatal(err)
	}
	asked := tracing.last(t)
	if asked.Path != "/traces/api/v1/runs" || asked.Header.Get("X-Tenant-Id") != "w" || len(plane.calls()) != 0 {
		t.Errorf("asked %s in %q, and the control plane %v", asked.Path, asked.Header.Get("X-Tenant-Id"), plane.calls())
	}
}

// TestLogRun says everything in one request.
func TestLogRun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		run    FinishedRun
		events int
		end    string
	}{
		"streamed": {
			FinishedRun{FirstTokenTime: runStart.Add(time.Second), EndTime: runStart.Add(2 * time.Second)}, 1, "2026-11-21T00:09:17.597001Z",
		},
		"at once":   {FinishedRun{}, 0, "2026-11-21T00:09:15.597001Z"},
		"a failure": {FinishedRun{Failure: "boom"}, 0, "2026-11-21T00:09:15.597001Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serveRuns(t)
			test.run.RunConfig = RunConfig{ID: runID, RunType: llmrun.RunTypeLLM, Inputs: json.RawMessage(`{"a":1}`)}
			test.run.Outputs = json.RawMessage(`{"b":2}`)
			if err := c.LogRun(t.Context(), test.run); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"POST /api/v1/runs"}, s.calls()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			got := sentRun(t, s)
			if string(got.Inputs) != `{"a":1}` || string(got.Outputs) != `{"b":2}` || got.Error != test.run.Failure ||
				got.EndTime != test.end || len(got.Events) != test.events {
				t.Errorf("run %+v, want the end %s and %d events", got, test.end, test.events)
			}
		})
	}
}
