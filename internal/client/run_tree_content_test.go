package client

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// content is what is sent of a run's content.
type content struct{ Inputs, Outputs, Extra string }

// TestRunTreeContent sends every run, and says what could not be sent as it was given.
func TestRunTreeContent(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`{"a":1}`)
	for name, test := range map[string]struct {
		cfg      RunConfig
		outputs  string
		want     content
		problems []string
	}{
		"objects":           {RunConfig{Inputs: object}, `{"b":2}`, content{`{"a":1}`, `{"b":2}`, ""}, nil},
		"nothing":           {RunConfig{}, "", content{}, nil},
		"null":              {RunConfig{Inputs: json.RawMessage(" null"), Extra: json.RawMessage("null")}, "null", content{}, nil},
		"null for metadata": {RunConfig{Extra: json.RawMessage(`{"metadata":null,"n":1}`), Metadata: map[string]any{"a": 1}}, "", content{"", "", `{"metadata":{"a":1},"n":1}`}, nil},
		"lists": {
			RunConfig{Inputs: json.RawMessage(`[{"role":"user","content":"hi"}]`)}, `["assistant","hi"]`,
			content{`{"input":[{"role":"user","content":"hi"}]}`, `{"outputs":["assistant","hi"]}`, ""}, nil,
		},
		"texts": {RunConfig{Inputs: json.RawMessage(`"hi"`)}, "1.50", content{`{"input":"hi"}`, `{"outputs":1.50}`, ""}, nil},
		"no JSON": {
			RunConfig{Inputs: json.RawMessage(`{"a"`)}, "\"\xff\"", content{`{"input":"{\"a\""}`, `{"outputs":"\"\ufffd\""}`, ""},
			[]string{"inputs are not JSON", "outputs are not JSON"},
		},
		"extra that is no object":    {RunConfig{Extra: json.RawMessage(`[1]`)}, "", content{}, []string{"its extra is not an object"}},
		"metadata that is no object": {RunConfig{Extra: json.RawMessage(`{"metadata":1,"n":2}`)}, "", content{"", "", `{"n":2}`}, []string{"the metadata in its extra is not an object"}},
		"metadata that is no JSON":   {RunConfig{Metadata: map[string]any{"f": func() {}, "g": 1}}, "", content{"", "", `{"metadata":{"g":1}}`}, []string{`its metadata "f" can't be written as JSON`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := serveRuns(t)
			run := c.NewRun(test.cfg)
			run.End(json.RawMessage(test.outputs), "", time.Time{})
			err := run.Post(t.Context())
			checkProblems(t, err, run, test.problems)
			sent := sentRun(t, s)
			if diff := cmp.Diff(test.want, content{string(sent.Inputs), string(sent.Outputs), string(sent.Extra)}); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			if err := run.Patch(t.Context()); err != nil {
				t.Errorf("the next request reports again: %v", err)
			}
		})
	}
}

func checkProblems(t *testing.T, err error, run *RunTree, problems []string) {
	t.Helper()
	if len(problems) == 0 {
		if err != nil {
			t.Errorf("error %v", err)
		}
		return
	}
	failed, ok := errors.AsType[*RunContentError](err)
	if !ok || failed.RunID != run.ID() || len(failed.Problems) != len(problems) {
		t.Fatalf("error %v, want a RunContentError of %s with %d problems", err, run.ID(), len(problems))
	}
	for i, text := range problems {
		if !strings.Contains(failed.Problems[i].Error(), text) || !strings.Contains(err.Error(), text) {
			t.Errorf("problem %d: %v, want %q", i, failed.Problems[i], text)
		}
	}
}

// TestRunContentError names the run and what was not logged as it was given.
func TestRunContentError(t *testing.T) {
	t.Parallel()
	c, _ := serveRuns(t)
	err := c.NewRun(RunConfig{ID: runID, Extra: json.RawMessage(`[]`)}).Post(t.Context())
	if want := "run " + runID.String() + " was logged, but its extra is not an object and was left out: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestRunTreeEnd keeps the last end that is given.
func TestRunTreeEnd(t *testing.T) {
	t.Parallel()
	c, s := serveRuns(t)
	run := c.NewRun(RunConfig{ID: runID})
	run.End(json.RawMessage(`{"content":"hal"}`), "the stream broke off", time.Time{})
	if err := run.Patch(t.Context()); err != nil {
		t.Fatal(err)
	}
	broken := sentRun(t, s)
	if broken.Error != "the stream broke off" || broken.EndTime != "2026-11-21T00:09:15.597001Z" || !strings.Contains(string(broken.Outputs), `"hal"`) {
		t.Errorf("run %+v, want its error, its end and its beginning", broken)
	}
	run.End(json.RawMessage(`{"a":1}`), "", runStart.Add(time.Second))
	if err := run.Patch(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := api.RunIngest{Outputs: json.RawMessage(`{"a":1}`), EndTime: "2026-11-21T00:09:16.597001Z"}
	got := sentRun(t, s)
	if diff := cmp.Diff(want, api.RunIngest{Outputs: got.Outputs, EndTime: got.EndTime, Error: got.Error}, jsonText); diff != "" {
		t.Errorf("second end (-want +got):\n%s", diff)
	}
}
