package llmrun

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/decimal"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

func TestDecodeRunRefuses(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		"": "not JSON", "{": "not JSON", `{"id": 1} x`: "not JSON", "[]": "a list is not an object", `"run"`: "is not an object",
		"null": "null is not an object", "{\"name\": \"\xff\"}": "not UTF-8",
	} {
		_, _, err := DecodeRun([]byte(data))
		if err == nil || !strings.HasPrefix(err.Error(), "reading a run: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error = %v, want one about %q", data, err, want)
		}
	}
}

// TestDecodeRun_members checks that members with a wrong type are omitted and reported with their pointers.
func TestDecodeRun_members(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"events": "new_token"}`: "/events", `{"extra": 5}`: "/extra", `{"events": [{"name": 5}]}`: "/events/0/name", `{"events": [{"time": 1}]}`: "",
	} {
		r, problems, err := DecodeRun([]byte(data))
		assert.Must(t, err)
		var at []string
		for _, p := range problems {
			at = append(at, p.Pointer)
		}
		if got := strings.Join(at, " "); got != want {
			t.Errorf("%s: problems at %q, want %q", data, got, want)
		}
		if r.Extra != nil || want == "/events" && r.Events != nil {
			t.Errorf("%s: extra = %s, events = %v; want them omitted", data, r.Extra, r.Events)
		}
	}
}

// TestMetadataPointer checks that metadata in extra takes precedence.
func TestMetadataPointer(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"extra": {"metadata": {"k": 1}}, "metadata": {"k": 2}}`: "/extra/metadata/k", `{"extra": {"metadata": {"other": 1}}, "metadata": {"k": 2}}`: "/metadata/k",
		`{"metadata": {"k": 2}}`: "/metadata/k", `{"metadata": {"other": 2}}`: "/extra/metadata/k",
	} {
		assert.Same(t, fmt.Sprintf("%s: metadataPointer", data), want, decodeRun(t, data).metadataPointer("k"))
	}
}

// TestRunKeepsItsValues checks that logged values are kept unchanged: digits, order and spaces.
func TestRunKeepsItsValues(t *testing.T) {
	t.Parallel()
	r := decodeRun(t, `{"inputs": {"b": 1.10, "a": 12345678901234567890}, "outputs":[ 1e2 ], "extra":{"metadata":{"k":0.30}},
		"events":[{"name":"x","kwargs":{"n":1.0}}, 7], "manifest": {"n": 2.50}}`)
	got := map[string]string{
		"inputs": string(r.Inputs), "outputs": string(r.Outputs), "extra": string(r.Extra), "metadata": string(r.Metadata["k"]),
		"event": string(r.Events[0].Raw), "no event": string(r.Events[1].Raw), "rest": string(r.Rest["manifest"]),
	}
	want := map[string]string{
		"inputs": `{"b": 1.10, "a": 12345678901234567890}`, "outputs": `[ 1e2 ]`, "extra": `{"metadata":{"k":0.30}}`, "metadata": "0.30",
		"event": `{"name":"x","kwargs":{"n":1.0}}`, "no event": "7", "rest": `{"n": 2.50}`,
	}
	assert.Same(t, "run", want, got)
}

func TestRunTypes(t *testing.T) {
	t.Parallel()
	for _, want := range []RunType{
		RunTypeTool, RunTypeChain, RunTypeLLM, RunTypeRetriever, RunTypeEmbedding, RunTypePrompt, RunTypeParser,
	} {
		r, problems, err := DecodeRun([]byte(`{"run_type":"` + string(want) + `"}`))
		if err != nil || problems != nil || r.RunType != want {
			t.Errorf("type = %[2]q, problems %[3]v, error %[4]v; want %[1]s", want, r.RunType, problems, err)
		}
	}
	_, problems, err := DecodeRun([]byte(`{"run_type":"agent"}`))
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Remedy, "tool, chain, llm, retriever, embedding, prompt or parser") {
		t.Errorf("problems = %v, error = %v; want one problem that lists the types", problems, err)
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	for tags, want := range map[string]struct {
		tags, problems []string
	}{
		`["a","b"]`: {[]string{"a", "b"}, nil}, `[]`: {[]string{}, nil}, `null`: {nil, nil},
		`"a"`: {nil, []string{"/tags run_tags"}}, `{"a":1}`: {nil, []string{"/tags run_tags"}},
		`["a",null,"b"]`: {[]string{"a", "b"}, []string{"/tags/1 run_tags"}},
	} {
		r, problems, err := DecodeRun([]byte(`{"tags":` + tags + `}`))
		assert.Must(t, err)
		if diff := cmp.Diff(want.tags, r.Tags) + cmp.Diff(want.problems, brief(t, problems)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tags, diff)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]Status{
		`{}`: StatusPending, `{"status":"success"}`: StatusPending, `{"end_time":1}`: StatusSuccess,
		`{"end_time":1,"error":"boom"}`: StatusError, `{"error":"boom"}`: StatusError, `{"end_time":1,"error":null}`: StatusSuccess,
	} {
		assert.Same(t, fmt.Sprintf("%s: Status", data), want, decodeRun(t, data).Status())
	}
}

func TestThreadID(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]string{
		`{}`: "", `{"thread_id":"c"}`: "c", `{"conversation_id":"b","thread_id":"c"}`: "b",
		`{"session_id":"a","conversation_id":"b","thread_id":"c"}`: "a", `{"session_id":null,"thread_id":"c"}`: "c",
		`{"session_id":12,"thread_id":"c"}`: "12", `{"session_id":null}`: "",
	} {
		assert.Same(t, fmt.Sprintf("%s: ThreadID", metadata), want, decodeRun(t, `{"extra":{"metadata":`+metadata+`}}`).ThreadID())
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	now := at(t, "2026-11-21T00:00:00.000001Z")
	for name, tc := range map[string]struct {
		run  string
		want Run
	}{
		"nothing known": {`{}`, Run{
			ID: ids[3], TraceID: ids[3], Name: "chain", RunType: RunTypeChain, StartTime: &now, DottedOrder: DottedOrder{{now, ids[3]}},
		}},
		"all known": {`{"id":"` + ids[0].String() + `","trace_id":"` + ids[0].String() + `","name":"n","run_type":"llm","start_time":1,"dotted_order":"` + rootPart + `"}`, Run{
			ID: ids[0], TraceID: ids[0], Name: "n", RunType: RunTypeLLM, StartTime: new(at(t, "1970-01-01T00:00:01Z")),
			DottedOrder: DottedOrder{{at(t, "2025-12-22T23:43:08.012678Z"), ids[0]}},
		}},
		"the start from the dotted order": {`{"id":"` + ids[0].String() + `","trace_id":"` + ids[0].String() + `","run_type":"tool","dotted_order":"` + rootPart + `"}`, Run{
			ID: ids[0], TraceID: ids[0], Name: "tool", RunType: RunTypeTool, StartTime: new(at(t, "2025-12-22T23:43:08.012678Z")),
			DottedOrder: DottedOrder{{at(t, "2025-12-22T23:43:08.012678Z"), ids[0]}},
		}},
		"a root that names its trace": {`{"id":"` + ids[0].String() + `","trace_id":"` + ids[0].String() + `"}`, Run{
			ID: ids[0], TraceID: ids[0], Name: "chain", RunType: RunTypeChain, StartTime: &now, DottedOrder: DottedOrder{{now, ids[0]}},
		}},
		"a trace of another run": {`{"id":"` + ids[1].String() + `","trace_id":"` + ids[0].String() + `"}`, Run{
			ID: ids[1], TraceID: ids[0], Name: "chain", RunType: RunTypeChain, StartTime: &now,
		}},
		"a child waits for its parent": {`{"id":"` + ids[1].String() + `","parent_run_id":"` + ids[0].String() + `"}`, Run{
			ID: ids[1], ParentRunID: ids[0], Name: "chain", RunType: RunTypeChain, StartTime: &now,
		}},
	} {
		r := decodeRun(t, tc.run)
		r.Complete(ids[3], now)
		assert.Same(t, name, &tc.want, r)
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	start := at(t, "2026-11-21T00:00:00Z")
	root := &Run{ID: ids[0], StartTime: &start}
	root.Place(nil)
	child := &Run{ID: ids[1], StartTime: &start, ParentRunID: ids[0]}
	child.Place(root.DottedOrder)
	if root.TraceID != ids[0] || child.TraceID != ids[0] || child.DottedOrder.ParentRunID() != ids[0] {
		t.Errorf("root = %+v, child = %+v; want both in the root's trace", root, child)
	}
	if problems := append(root.CheckTrace(), child.CheckTrace()...); problems != nil {
		t.Error(problems)
	}
	started := start.Add(time.Second)
	later := &Run{ID: ids[2], StartTime: &started, ParentRunID: ids[0]}
	later.Place(root.DottedOrder)
	if last, _ := later.DottedOrder.Last(); !last.Time.Equal(started) {
		t.Errorf("a run that started at %s has the time %s in its dotted order", started, last.Time)
	}
	// By another machine's clock, a child can start before its parent, which isn't allowed in a dotted order.
	early := start.Add(-time.Second)
	ahead := &Run{ID: ids[2], StartTime: &early, ParentRunID: ids[0]}
	ahead.Place(root.DottedOrder)
	if last, _ := ahead.DottedOrder.Last(); ahead.CheckTrace() != nil || !last.Time.Equal(start) || !ahead.StartTime.Equal(early) {
		t.Errorf("a child that started early, at %s, has the time %s in its dotted order, want its parent's: %v", ahead.StartTime, last.Time, ahead.CheckTrace())
	}
}

func TestCheckTrace(t *testing.T) {
	t.Parallel()
	order := DottedOrder{{Time: at(t, "2026-11-21T00:00:00Z"), ID: ids[0]}}
	for name, tc := range map[string]struct {
		run  Run
		want []string
	}{
		"neither":            {Run{ID: ids[0]}, nil},
		"both":               {Run{ID: ids[0], TraceID: ids[0], DottedOrder: order}, nil},
		"only the trace":     {Run{ID: ids[0], TraceID: ids[0]}, []string{"/dotted_order trace_place"}},
		"only the order":     {Run{ID: ids[0], DottedOrder: order}, []string{"/trace_id trace_place"}},
		"another trace":      {Run{ID: ids[0], TraceID: ids[1], DottedOrder: order}, []string{"/dotted_order dotted_order_trace_id"}},
		"a child like roots": {Run{ID: ids[0], TraceID: ids[0], ParentRunID: ids[1], DottedOrder: order}, []string{"/dotted_order dotted_order_parts"}},
	} {
		assert.Same(t, name, tc.want, brief(t, tc.run.CheckTrace()))
	}
	r := Run{ID: ids[0], DottedOrder: order}
	if p := r.CheckTrace()[0]; !strings.Contains(p.Remedy, ids[0].String()) {
		t.Errorf("remedy %q doesn't contain the trace's ID", p.Remedy)
	}
}

// FuzzDecodeRun checks that nothing a client may send breaks the functions that read runs.
func FuzzDecodeRun(f *testing.F) {
	for _, directory := range []string{"run", "usage", "cost"} {
		for _, c := range runCases(f, directory) {
			f.Add([]byte(c.Run))
		}
	}
	prices, err := usage.NewPriceMap([]usage.Price{{MatchPattern: ".", PromptCost: exact(f, "1e-6"), PromptCostDetails: usage.Costs{"cache_read": exact(f, "1e-7")}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, problems, err := DecodeRun(data)
		if err != nil {
			return
		}
		m := r.Measure(prices)
		for _, p := range append(problems, m.Problems...) {
			if p.Rule == "" || p.Message == "" || p.Remedy == "" || !strings.HasPrefix(p.Pointer, "/") {
				t.Fatalf("problem = %+v, want a rule, a message, a remedy and a pointer", p)
			}
		}
		if d, ok := r.TimeToFirstToken(); ok && d < 0 {
			t.Fatalf("time to first token = %s, want it not negative", d)
		}
		if input, output, total := m.Usage.Tokens(); input < 0 || output < 0 || total < 0 {
			t.Fatalf("tokens = %d, %d, %d; want none negative", input, output, total)
		}
		for _, cost := range []*decimal.Decimal{m.Cost.PromptCost, m.Cost.CompletionCost, m.Cost.TotalCost} {
			if cost != nil && cost.Sign() < 0 {
				t.Fatalf("cost = %s, want it not negative", cost)
			}
		}
		if m.UsageSource == "" {
			m.Usage.Charges = usage.Charges{} // They are found elsewhere.
		}
		if (m.UsageSource == "") != m.Usage.IsZero() {
			t.Fatalf("usage = %+v with the source %q, want both or neither", m.Usage, m.UsageSource)
		}
		if out, err := json.Marshal(m.Cost); err != nil || !json.Valid(out) {
			t.Fatalf("encoded as %s, %v; want valid JSON", out, err)
		}
		r.Complete(ids[0], time.UnixMicro(1))
		if r.ID == uuid.Nil || r.StartTime == nil || r.Name == "" || r.RunType == "" {
			t.Fatalf("completed run = %+v, want an ID, a start, a name and a type", r)
		}
	})
}
