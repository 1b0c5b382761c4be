package tracing_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

const otelTrace = "5b8efff798038103d269b633813fc60c"

// otelSpan returns a span in OTLP's JSON encoding. It starts the given number of seconds after 10:00 and takes one second.
func otelSpan(id, parent string, after int, attributes object) object {
	list := []any{}
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		value := object{"stringValue": fmt.Sprint(attributes[key])}
		if n, is := attributes[key].(int); is {
			value = object{"intValue": n}
		}
		list = append(list, object{"key": key, "value": value})
	}
	start := devservertest.Start.UnixNano() + int64(after)*1e9
	return object{"traceId": otelTrace, "spanId": id, "parentSpanId": parent, "name": "span " + id[len(id)-1:],
		"startTimeUnixNano": fmt.Sprint(start), "endTimeUnixNano": fmt.Sprint(start + 1e9), "attributes": list}
}

func export(spans ...object) object {
	return object{"resourceSpans": []any{object{"scopeSpans": []any{object{"spans": spans}}}}}
}

// runOf returns the ID of the run that a span becomes.
func runOf(spanID string) string { return "00000000-0000-0000-" + spanID[:4] + "-" + spanID[4:] }

// spanID returns the span ID for a number.
func spanID(n int) string { return fmt.Sprintf("%016x", 0xa0+n) }

// placesOf returns the dotted orders of all runs by name.
func placesOf(p *plane) map[string]string {
	page := devservertest.Into[object](p.Do(http.MethodPost, "/runs/query", object{"session": []any{projectOf(p)}, "select": []any{"name", "dotted_order"}}).Want(http.StatusOK))
	places := map[string]string{}
	for _, run := range page["runs"].([]any) {
		r := run.(object)
		places[r["name"].(string)], _ = r["dotted_order"].(string)
	}
	return places
}

func projectOf(p *plane) string {
	return devservertest.Get[[]object](p, "/sessions?name=default")[0]["id"].(string)
}

// TestSpansInAnyOrder_unraced checks that a trace results in the same tree, in whatever parts and order its spans arrive.
func TestSpansInAnyOrder_unraced(t *testing.T) {
	t.Parallel()
	// 0 is the root, 1 and 2 are its children, and 3 is a child of 1. The parent of the root is in another user's system.
	parents := []string{"00f067aa0ba902b7", spanID(0), spanID(0), spanID(1)}
	spans := make([]object, len(parents))
	for i, parent := range parents {
		spans[i] = otelSpan(spanID(i), parent, i, nil)
	}
	segment := func(i int) string { return fmt.Sprintf("20260502T10000%d000000Z%s", i, runOf(spanID(i))) }
	want := map[string]string{
		"span 0": segment(0), "span 1": segment(0) + "." + segment(1), "span 2": segment(0) + "." + segment(2),
		"span 3": segment(0) + "." + segment(1) + "." + segment(3),
	}
	server := devservertest.New(t, devserver.Config{})
	for n, order := range permutations(spans) {
		p := server.As("X-Tenant-Id", fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", n))
		for part := range slices.Chunk(order, 1+n%3) {
			p.Do(http.MethodPost, "/otel/v1/traces", export(part...)).Want(http.StatusOK)
		}
		if diff := cmp.Diff(want, placesOf(p)); diff != "" {
			t.Fatalf("permutation %d (-want +got):\n%s", n, diff)
		}
	}
}

// TestSpansAgain checks that a span sent again changes nothing, and that a span whose parent started later, by another clock, gets
// its place nevertheless.
func TestSpansAgain(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	late, early := otelSpan(spanID(0), "", 5, nil), otelSpan(spanID(1), spanID(0), 3, nil)
	for _, part := range [][]object{{early}, {late}, {early}, {late, early}} {
		p.Do(http.MethodPost, "/v1/traces", export(part...)).Want(http.StatusOK)
	}
	root := "20260502T100005000000Z" + runOf(spanID(0))
	devservertest.Same(t, "result", map[string]string{"span 0": root, "span 1": root + ".20260502T100005000000Z" + runOf(spanID(1))}, placesOf(p))
	run := devservertest.Get[object](p, "/runs/"+runOf(spanID(1)))
	if run["start_time"] != "2026-05-02T10:00:03.000000" || run["trace_id"] != runOf(spanID(0)) {
		t.Errorf("the run started at %v in trace %v, want 10:00:03 in that of the root", run["start_time"], run["trace_id"])
	}
}

// TestSpanCycle checks that spans that are each other's parents, and a span that is its own parent, get places.
func TestSpanCycle(t *testing.T) {
	t.Parallel()
	for _, together := range []bool{true, false} {
		p := devservertest.New(t, devserver.Config{})
		spans := []object{otelSpan(spanID(0), spanID(1), 0, nil), otelSpan(spanID(1), spanID(2), 1, nil), otelSpan(spanID(2), spanID(0), 2, nil), otelSpan(spanID(3), spanID(3), 3, nil)}
		if together {
			p.Do(http.MethodPost, "/otel/v1/traces", export(spans...)).Want(http.StatusOK)
		} else {
			for _, span := range spans {
				p.Do(http.MethodPost, "/otel/v1/traces", export(span)).Want(http.StatusOK)
			}
		}
		for name, place := range placesOf(p) {
			if place == "" {
				t.Errorf("in one request: %t: %s has no dotted order", together, name)
			}
		}
	}
}

// TestSpanBelowItself checks that a span sent again with one of its descendants as parent stays where it is.
func TestSpanBelowItself(t *testing.T) {
	t.Parallel()
	for _, last := range [][]object{
		{otelSpan(spanID(1), spanID(2), 1, nil)},
		{otelSpan(spanID(2), spanID(1), 2, nil), otelSpan(spanID(1), spanID(2), 1, nil)},
	} {
		p := devservertest.New(t, devserver.Config{})
		chain := []object{otelSpan(spanID(0), "", 0, nil), otelSpan(spanID(1), spanID(0), 1, nil), otelSpan(spanID(2), spanID(1), 2, nil)}
		p.Do(http.MethodPost, "/otel/v1/traces", export(chain...)).Want(http.StatusOK)
		want := placesOf(p)
		p.Do(http.MethodPost, "/otel/v1/traces", export(last...)).Want(http.StatusOK)
		devservertest.Same(t, "", want, placesOf(p))
	}
}

// TestSpanWithPlace checks that a span whose attributes make it the root of a trace stays there when its parent arrives, and that the
// parent isn't refused.
func TestSpanWithPlace(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	place := "20260502T100001000000Z" + runA
	p.Do(http.MethodPost, "/otel/v1/traces", export(otelSpan(spanID(1), spanID(0), 1, object{
		"langsmith.span.id": runA, "langsmith.trace.id": runA, "langsmith.span.dotted_order": place,
	}))).Want(http.StatusOK)
	r := p.Do(http.MethodPost, "/otel/v1/traces", export(otelSpan(spanID(0), "", 0, nil))).Want(http.StatusOK)
	devservertest.Same(t, "response", object{}, devservertest.Into[object](r))
	want := map[string]string{"span 0": "20260502T100000000000Z" + runOf(spanID(0)), "span 1": place}
	devservertest.Same(t, "", want, placesOf(p))
}

// TestLongSpanChain_unraced checks that a chain of more spans than the maximal depth of a trace, last span first, is cut where it is too deep.
func TestLongSpanChain_unraced(t *testing.T) {
	t.Parallel()
	const spans = 520 // More than limits.TraceDepth.
	p := devservertest.New(t, devserver.Config{})
	for at := spans; at > 0; at -= 40 {
		part := []object{}
		for i := at - 40; i < at; i++ {
			part = append(part, otelSpan(spanID(i), spanID(i-1), 0, nil))
		}
		p.Do(http.MethodPost, "/otel/v1/traces", export(part...)).Want(http.StatusOK)
	}
	stats := devservertest.Into[object](p.Do(http.MethodPost, "/runs/stats", object{"session": []any{projectOf(p)}, "is_root": true}).Want(http.StatusOK))
	if stats["run_count"] != 2.0 {
		t.Errorf("%v traces, want 2: the top of the chain and the part that is too deep", stats["run_count"])
	}
	deepest := devservertest.Get[object](p, "/runs/"+runOf(spanID(spans-1)))
	if depth := strings.Count(deepest["dotted_order"].(string), ".") + 1; depth != 480 {
		t.Errorf("depth of the last span = %d, want 480", depth)
	}
}

// TestSpanTransport sends spans in all encodings, with all compressions, to all paths and projects.
func TestSpanTransport(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	id := func(text string) []byte {
		b, err := hex.DecodeString(text)
		devservertest.Must(t, err)
		return b
	}
	start := uint64(devservertest.Start.UnixNano())
	binary, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{{
		TraceId: id(otelTrace), SpanId: id(spanID(0)), Name: "binary", StartTimeUnixNano: start, EndTimeUnixNano: start + 1,
		Attributes: []*common.KeyValue{{Key: "input.value", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "Hi"}}}},
	}}}}}}})
	devservertest.Must(t, err)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(binary); err != nil {
		t.Fatal(err)
	}
	devservertest.Must(t, w.Close())
	for i, path := range []string{"/otel/v1/traces", "/v1/traces", "/otel", "/api/v1/otel/v1/traces", "/api/v1/otel", "/api/otel/v1/traces", "/api-host/otel/v1/traces"} {
		project := fmt.Sprint("project ", i)
		r := p.As("Content-Type", "application/x-protobuf", "Content-Encoding", "gzip", "Langsmith-Project", project, "X-Tenant-Id", devservertest.WorkspaceA).
			Do(http.MethodPost, path, zipped.String()).Want(http.StatusOK)
		if len(r.Body) > 0 || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s: response = %q of type %q, want an empty protobuf message", path, r.Body, r.Header.Get("Content-Type"))
		}
		run := devservertest.Get[object](p, "/runs/"+runOf(spanID(0)))
		session := devservertest.Get[object](p, "/sessions/"+run["session_id"].(string))
		if session["name"] != project || run["name"] != "binary" || !cmp.Equal(run["inputs"], object{"input": "Hi"}) {
			t.Errorf("%s: run %q with inputs %v in project %q, want binary with Hi in the project %q", path, run["name"], run["inputs"], session["name"], project)
		}
	}
	if r := p.Do(http.MethodPost, "/otel/v1/traces", "{}").Want(http.StatusOK); string(r.Body) != "{}" {
		t.Errorf("response to an empty request = %s, want {}", r.Body)
	}
	// Some programs send IDs in base64 or in upper case.
	odd := otelSpan("W47/95gDgQM=", "", 0, nil)
	odd["traceId"] = strings.ToUpper(otelTrace)
	p.Do(http.MethodPost, "/otel/v1/traces", export(odd)).Want(http.StatusOK)
	run := devservertest.Get[object](p, "/runs/"+runOf("5b8efff798038103"))
	devservertest.Same(t, "trace ID", otelTrace, run["extra"].(object)["metadata"].(object)["OTEL_TRACE_ID"])
}

// TestOtherSignals sends logs and metrics, in all encodings, to all paths where their exporters look for a receiver.
func TestOtherSignals(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	for _, signal := range []string{"logs", "metrics"} {
		for _, base := range []string{"/otel/v1", "/v1", "/v1/otel/v1", "/api/otel/v1", "/api/v1", "/api/v1/otel/v1", "/api-host/otel/v1", "/api-host/v1"} {
			for _, encoding := range []string{"application/x-protobuf", "application/json"} {
				r := p.As("Content-Type", encoding).Do(http.MethodPost, base+"/"+signal, "{}").Want(http.StatusNotFound)
				const message = "This service receives only traces. Set OTEL_LOGS_EXPORTER and OTEL_METRICS_EXPORTER to none."
				if answer := statusOf(t, r); answer != message || r.Header.Get("Content-Type") != encoding {
					t.Errorf("%s/%s: message = %q in %s, want %q in %s", base, signal, answer, r.Header.Get("Content-Type"), message, encoding)
				}
			}
		}
	}
}

// TestSpanRefusals checks that errors are in the encoding of the request and have statuses that exporters understand.
func TestSpanRefusals(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{Keys: []devserver.Key{{Value: "k", Workspaces: []string{devservertest.WorkspaceA}}}})
	const binary = "application/x-protobuf"
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 6000) + strings.Repeat(`]}}`, 6000)
	for name, c := range map[string]struct {
		header  []string
		body    string
		status  int
		message string
	}{
		"no key":           {[]string{"Content-Type", binary}, "", http.StatusUnauthorized, "Invalid or missing API key"},
		"no key, JSON":     {[]string{"Content-Type", "application/json"}, "{}", http.StatusUnauthorized, "Invalid or missing API key"},
		"no protobuf":      {[]string{"X-Api-Key", "k", "Content-Type", binary}, "\x0a\xff", http.StatusBadRequest, "the body is not an export request in application/x-protobuf"},
		"no JSON":          {[]string{"Authorization", "Bearer k", "Content-Type", "application/json"}, "{", http.StatusBadRequest, "the body is not an export request in application/json"},
		"no gzip":          {[]string{"X-Api-Key", "k", "Content-Type", binary, "Content-Encoding", "gzip"}, "x", http.StatusBadRequest, "the body is not gzip"},
		"another type":     {[]string{"X-Api-Key", "k", "Content-Type", "text/plain"}, "x", http.StatusUnsupportedMediaType, `Content-Type "text/plain" is not supported`},
		"another encoding": {[]string{"X-Api-Key", "k", "Content-Type", binary, "Content-Encoding", "br"}, "x", http.StatusUnsupportedMediaType, `Content-Encoding "br" is not supported`},
		"too deep": {[]string{"X-Api-Key", "k", "Content-Type", "application/json"},
			`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"k","value":` + deep + `}]}]}]}]}`, http.StatusBadRequest, "nested more than 9900 deep"},
		"too many": {[]string{"X-Api-Key", "k", "Content-Type", binary}, strings.Repeat("\x0a\x04\x12\x02\x12\x00", 10_001), http.StatusRequestEntityTooLarge, "the request has more than 10000 spans"},
	} {
		t.Run(name, func(t *testing.T) {
			r := p.As(c.header...).Do(http.MethodPost, "/otel/v1/traces", c.body).Want(c.status)
			if message := statusOf(t, r); !strings.Contains(message, c.message) {
				t.Errorf("message = %q, want %q", message, c.message)
			}
		})
	}
}

// statusOf returns the message of a refusal.
func statusOf(t *testing.T, r devservertest.Reply) string {
	t.Helper()
	var answer status.Status
	if r.Header.Get("Content-Type") == "application/x-protobuf" {
		devservertest.Must(t, proto.Unmarshal(r.Body, &answer))
	} else if err := json.Unmarshal(r.Body, &answer); err != nil {
		t.Fatalf("%s: %v", r.Body, err)
	}
	return answer.GetMessage()
}

// TestPartialSuccess checks that invalid spans don't affect the others, and that the response says which are invalid and why.
func TestPartialSuccess(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	with := func(span object, key string, value any) object { span[key] = value; return span }
	r := p.Do(http.MethodPost, "/otel/v1/traces", export(
		otelSpan(spanID(0), "", 0, nil),
		with(otelSpan(spanID(1), "", 0, nil), "traceId", "5b8e"),
		with(otelSpan(spanID(2), "", 0, nil), "spanId", "0000000000000000"),
		with(with(otelSpan(spanID(3), "", 0, nil), "startTimeUnixNano", "0"), "endTimeUnixNano", 0),
		with(otelSpan(spanID(4), "", 0, nil), "endTimeUnixNano", "18446744073709551615"),
		otelSpan(spanID(5), "", 0, object{"langsmith.span.id": "nobody"}),
		otelSpan(spanID(6), "", 0, object{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 1 << 60}),
		otelSpan(spanID(7), spanID(7), 0, object{"langsmith.trace.session_id": runOf(spanID(0))}),
		with(otelSpan(spanID(8), "5b8e", 0, nil), "endTimeUnixNano", "1"),
	)).Want(http.StatusOK)
	answer := devservertest.Into[struct {
		PartialSuccess struct {
			RejectedSpans string `json:"rejectedSpans"`
			ErrorMessage  string `json:"errorMessage"`
		} `json:"partialSuccess"`
	}](r)
	if answer.PartialSuccess.RejectedSpans != "7" {
		t.Errorf("response = %s, want 7 rejected spans", r.Body)
	}
	for _, reason := range []string{"trace ID \"5b8e\" is not 16 bytes", "span ID \"0000000000000000\" is not 8 bytes", "it has no start time", "after the year 2262", "langsmith.span.id", "and 2 more"} {
		if !strings.Contains(answer.PartialSuccess.ErrorMessage, reason) {
			t.Errorf("the message doesn't contain %q: %s", reason, answer.PartialSuccess.ErrorMessage)
		}
	}
	if places := placesOf(p); len(places) != 2 || places["span 8"] == "" {
		t.Errorf("runs = %v, want two, one of them span 8", places)
	}
	// The same span ID in another trace would be the same run.
	other := with(otelSpan(spanID(0), "", 0, nil), "traceId", "00000000000000000000000000000001")
	if r := p.Do(http.MethodPost, "/otel/v1/traces", export(other)).Want(http.StatusOK); !strings.Contains(string(r.Body), "trace "+otelTrace+" already has a span with this ID") {
		t.Errorf("response = %s, want the span rejected because of its ID", r.Body)
	}
}

// TestSameFigures checks that runs in the service's own format and spans result in the same figures.
func TestSameFigures(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: filepath.Join(t.TempDir(), "runs.db")}))
	p.Do(http.MethodPost, "/model-price-map", devservertest.PriceEntry(object{"prompt_cost_details": object{"cache_read": 0.000001}})).Want(http.StatusOK)
	root := devservertest.RootRun(object{"name": "agent", "session_name": "native", "end_time": "2026-05-02T10:00:03Z"})
	call := devservertest.ChildRun(root, object{"session_name": "native", "start_time": "2026-05-02T10:00:00Z", "end_time": "2026-05-02T10:00:01Z",
		"inputs":  object{"messages": []any{object{"role": "user", "content": "Hi"}}},
		"extra":   object{"metadata": object{"ls_model_name": "example-large", "ls_provider": "openai"}},
		"outputs": object{"messages": []any{object{"role": "assistant", "content": "Hello"}}, "usage_metadata": object{"input_tokens": 20, "output_tokens": 10, "total_tokens": 30, "input_token_details": object{"cache_read": 5}}},
		"events":  []any{object{"name": "new_token", "time": "2026-05-02T10:00:00.25Z"}},
	})
	tool := devservertest.ChildRun(root, object{"session_name": "native", "run_type": "tool", "name": "tool", "error": "no such tool", "end_time": "2026-05-02T10:00:01Z"})
	devservertest.NewUpload(t).Add("post", root).Add("post", call).Add("post", tool).Send(p).Want(http.StatusAccepted)

	agent := otelSpan(spanID(0), "", 0, object{"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 10})
	agent["endTimeUnixNano"] = fmt.Sprint(devservertest.Start.UnixNano() + 3e9)
	chat := otelSpan(spanID(1), spanID(0), 0, object{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "example-large",
		"gen_ai.input.messages":     `[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]`,
		"gen_ai.output.messages":    `[{"role":"assistant","parts":[{"type":"text","content":"Hello"}]}]`,
		"gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 10, "gen_ai.usage.cache_read.input_tokens": 5})
	chat["events"] = []any{object{"name": "new_token", "timeUnixNano": fmt.Sprint(devservertest.Start.UnixNano() + 250e6)}}
	failed := otelSpan(spanID(2), spanID(0), 0, object{"gen_ai.operation.name": "execute_tool"})
	failed["status"] = object{"code": 2, "message": "no such tool"}
	for _, span := range []object{failed, chat, agent} {
		p.As("Langsmith-Project", "spans", "X-Tenant-Id", devservertest.WorkspaceA).Do(http.MethodPost, "/otel/v1/traces", export(span)).Want(http.StatusOK)
	}
	figures := func(project string) object {
		session := devservertest.Get[[]object](p, "/sessions?include_stats=true&name="+project)[0]
		for _, key := range []string{"id", "name", "start_time", "last_run_start_time", "last_run_start_time_live"} {
			delete(session, key)
		}
		return session
	}
	native := figures("native")
	devservertest.Same(t, "figures", native, figures("spans"))
	// 15 × 2 + 5 × 1 + 10 × 3 millionths.
	if native["total_cost"] != "0.000065" || native["total_tokens"] != 30.0 || native["first_token_p50"] != 0.25 {
		t.Errorf("figures = %v, want cost 0.000065, 30 tokens, first token after 0.25 s", native)
	}
}
