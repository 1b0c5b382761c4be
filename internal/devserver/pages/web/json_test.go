package web

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// TestJSON encodes times, durations, unknown values, logged JSON and fields of embedded structs.
func TestJSON(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	err := WriteJSON(&got, ThreadsView{
		Frame: frame, ProjectID: "p1", Threads: []ThreadSummary{{ID: "\xff\"", Turns: 3, LastTime: moment}, {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"project_id":"p1","project_name":"","range":{"path":"","label":"","ranges":[],"from":"","to":"","zone":"","hidden":[],"custom":false,"problem":""},"search":"","hidden":[],"threads":[` +
		`{"id":"�\"","turns":3,"errors":0,"total_tokens":0,"first_input":"","last_output":"","last_time":"2026-05-02T10:00:00.25Z"},` +
		`{"id":"","turns":0,"errors":0,"total_tokens":0,"first_input":"","last_output":"","last_time":null}],` +
		`"paging":{"previous_url":"","next_url":""}}`
	if diff := cmp.Diff(want, strings.TrimSpace(got.String())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	got.Reset()
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	view := RunView{Run: RunSummary{ID: "r1", Latency: new(1500 * time.Millisecond)}, Inputs: Document{Raw: json.RawMessage(`{"a":1.50,"a":` + deep + `}`)}}
	if err := WriteJSON(&got, TraceView{ID: "t1", Roots: []TraceNode{{RunSummary: view.Run}}, Run: view}); err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{
		`{"id":"t1","roots":[{"id":"r1","trace_id":"",`, `"latency":1.5,"first_token":null,`, `"raw":{"a":1.50,"a":` + deep + `}`, `"outputs":{"format":"","messages":[],"problems":[],"raw":null}`,
	} {
		if !strings.Contains(got.String(), member) {
			t.Errorf("the JSON doesn't contain %.80s:\n%.2000s", member, got.String())
		}
	}
}

// TestJSONOfAllPages checks that every page can be encoded as JSON, even an empty one.
func TestJSONOfAllPages(t *testing.T) {
	t.Parallel()
	for _, view := range empty() {
		for _, data := range []any{view, filled(view, func(path string) string { return path }, "text")} {
			var text bytes.Buffer
			if err := writeJSON(&text, data); err != nil {
				t.Errorf("%T: %v", view, err)
			}
			var members map[string]any
			if err := json.Unmarshal(text.Bytes(), &members); err != nil || len(members) == 0 {
				t.Errorf("%T: want a JSON object with members, got %s (%v)", view, &text, err)
			}
		}
	}
}

func TestMemberName(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"ID": "id", "TraceID": "trace_id", "LatencyP50": "latency_p50", "ClearURL": "clear_url", "MIMEType": "mime_type", "HCL": "hcl", "A": "a",
		"MCPServerURL": "mcp_server_url", "RunTypes": "run_types",
	} {
		if got := memberName(field); got != want {
			t.Errorf("memberName(%s) = %s, want %s", field, got, want)
		}
	}
}

// TestJSON_invalid checks that what can't be encoded is an error, wherever it is in a view.
func TestJSON_invalid(t *testing.T) {
	t.Parallel()
	type part struct{ Raw json.RawMessage }
	broken := part{json.RawMessage("{")}
	type outer struct{ part }
	for name, view := range map[string]any{
		"a value": broken, "an element": []part{broken}, "an embedded field": outer{broken}, "a pointer": struct{ Inner *part }{&broken},
	} {
		if err := writeJSON(io.Discard, view); err == nil {
			t.Errorf("%s: encoded without an error", name)
		}
	}
	for name, view := range map[string]any{"an object": part{}, "a list": []part{}} {
		e := jsontext.NewEncoder(io.Discard)
		if err := e.WriteToken(jsontext.BeginObject); err != nil {
			t.Fatal(err)
		}
		if err := encode(e, reflect.ValueOf(view)); err == nil {
			t.Errorf("%s in place of a name: encoded without an error", name)
		}
	}
}
