package llmrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// runCase is a run and the values expected from it, both written by hand. Source is the origin of its shape.
type runCase struct {
	Source string          `json:"source"`
	Run    json.RawMessage `json:"run"`
	Prices []usage.Price   `json:"prices"`
	Want   json.RawMessage `json:"want"`
}

// runCases reads the cases of a directory by name.
func runCases(t testing.TB, directory string) map[string]runCase {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", directory, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("found no cases in %s: %v", directory, err)
	}
	cases := map[string]runCase{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		assert.Must(t, err)
		var c runCase
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if c.Source == "" {
			t.Errorf("%s has no source", path)
		}
		cases[strings.TrimSuffix(filepath.Base(path), ".json")] = c
	}
	return cases
}

// testRunCases compares the results of show with the expected ones, with all digits.
func testRunCases(t *testing.T, directory string, show func(t *testing.T, c runCase) any) {
	t.Helper()
	for name, c := range runCases(t, directory) {
		got, err := json.Marshal(show(t, c))
		assert.Must(t, err)
		assert.Same(t, name, decoded(t, c.Want), decoded(t, got))
	}
}

func decodeRun(t testing.TB, data string) *Run {
	t.Helper()
	r, _, err := DecodeRun([]byte(data))
	assert.Must(t, err)
	return r
}

// brief formats problems as pointer and rule, and checks that they have a message and a remedy.
func brief(t testing.TB, problems []document.Problem) []string {
	t.Helper()
	var out []string
	for _, p := range problems {
		if p.Message == "" || p.Remedy == "" {
			t.Errorf("%s %s: message = %q, remedy = %q; want both", p.Pointer, p.Rule, p.Message, p.Remedy)
		}
		out = append(out, p.Pointer+" "+p.Rule)
	}
	return out
}

func TestRunGoldens(t *testing.T) {
	t.Parallel()
	text := func(id uuid.UUID) string {
		if id == uuid.Nil {
			return ""
		}
		return id.String()
	}
	testRunCases(t, "run", func(t *testing.T, c runCase) any {
		t.Helper()
		r, problems, err := DecodeRun(c.Run)
		assert.Must(t, err)
		// Decoding from members results in the same run, and doesn't change them.
		var members, before map[string]json.RawMessage
		assert.Must(t, errors.Join(json.Unmarshal(c.Run, &members), json.Unmarshal(c.Run, &before)))
		same, ofMembers := DecodeRunMembers(members)
		if diff := cmp.Diff(r, same) + cmp.Diff(problems, ofMembers) + cmp.Diff(before, members); diff != "" {
			t.Errorf("decoded from members (-want +got):\n%s", diff)
		}
		got := map[string]any{
			"id": text(r.ID), "trace_id": text(r.TraceID), "parent_run_id": text(r.ParentRunID), "dotted_order": r.DottedOrder.String(),
			"session_id": text(r.SessionID), "session_name": r.SessionName, "reference_example_id": text(r.ReferenceExampleID),
			"name": r.Name, "run_type": string(r.RunType), "status": string(r.Status()), "thread_id": r.ThreadID(), "error": r.Error,
			"model": r.Model().Name, "provider": r.Model().Provider,
		}
		for key, value := range got {
			if value == "" {
				delete(got, key)
			}
		}
		if r.StartTime != nil {
			got["start_time"] = timestamp.Format(*r.StartTime)
		}
		if r.EndTime != nil {
			got["end_time"] = timestamp.Format(*r.EndTime)
		}
		if first := r.FirstTokenTime(); first != nil {
			got["first_token_time"] = timestamp.Format(*first)
		}
		if d, ok := r.TimeToFirstToken(); ok {
			got["time_to_first_token"] = d.String()
		}
		if r.Tags != nil {
			got["tags"] = r.Tags
		}
		var rest []string
		for key := range r.Rest {
			rest = append(rest, key)
		}
		slices.Sort(rest)
		if rest != nil {
			got["rest"] = rest
		}
		if problems = append(problems, r.CheckEvents()...); problems != nil {
			got["problems"] = brief(t, problems)
		}
		return got
	})
}

func TestUsageGoldens(t *testing.T) {
	t.Parallel()
	testRunCases(t, "usage", func(t *testing.T, c runCase) any {
		t.Helper()
		reading := decodeRun(t, string(c.Run)).Usage()
		input, output, total := reading.Usage.Tokens()
		var want struct{ Usage json.RawMessage }
		assert.Must(t, json.Unmarshal(c.Want, &want))
		charges := reading.Usage.Charges
		reading.Usage.Charges = usage.Charges{} // They aren't in usage_metadata.
		wanted, problems := usage.Read(want.Usage)
		if diff := cmp.Diff(wanted, reading.Usage); diff != "" || problems != nil {
			t.Errorf("usage (-want +got):\n%s%v", diff, problems)
		}
		got := map[string]any{"at": reading.Source, "usage": want.Usage, "tokens": []int64{input, output, total}}
		if !charges.IsZero() {
			got["charges"] = charges
		}
		if reading.Problems != nil {
			got["problems"] = brief(t, reading.Problems)
		}
		return got
	})
}

func TestCostGoldens(t *testing.T) {
	t.Parallel()
	testRunCases(t, "cost", func(t *testing.T, c runCase) any {
		t.Helper()
		prices, err := usage.NewPriceMap(c.Prices)
		assert.Must(t, err)
		m := decodeRun(t, string(c.Run)).Measure(prices)
		data, err := json.Marshal(m.Cost)
		assert.Must(t, err)
		var got map[string]any
		assert.Must(t, json.Unmarshal(data, &got))
		for key, value := range got {
			if value == nil {
				delete(got, key)
			}
		}
		if m.Cost.Price != nil {
			got["price"] = m.Cost.Price.Name
		}
		if m.Cost.Incomplete != nil {
			got["incomplete"] = m.Cost.Incomplete
		}
		return got
	})
}

// decoded decodes JSON for comparison, ignoring the order of keys and keeping every digit of numbers.
func decoded(t testing.TB, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}
