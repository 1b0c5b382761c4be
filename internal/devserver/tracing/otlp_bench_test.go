package tracing_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// BenchmarkIngestSpans is BenchmarkIngest with spans in protobuf, compressed with gzip: requests of 100 spans, an agent and a call
// of a model for each of 50 traces. Children come first, as exporters send them.
func BenchmarkIngestSpans(b *testing.B) {
	for _, size := range []int{0, 50 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) { benchmarkSpans(b, size) })
	}
}

func benchmarkSpans(b *testing.B, size int) {
	server, err := devserver.New(devservertest.Stored(b, devserver.Config{Data: filepath.Join(b.TempDir(), "runs.db")}))
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()
	requests, bytes := benchRequests, 0
	if size > 0 {
		requests /= 10
	}
	for b.Loop() {
		b.StopTimer()
		bodies := make(chan *http.Request, requests)
		for range requests {
			request, n := spanRequest(b, web.URL, size)
			bodies <- request
			bytes += n
		}
		close(bodies)
		b.StartTimer()
		began := time.Now()
		took := sendAll(b, bodies)
		elapsed := time.Since(began).Seconds()
		slices.Sort(took)
		b.ReportMetric(float64(requests*benchRuns*2)/elapsed, "spans/s")
		b.ReportMetric(float64(bytes)/1e6/elapsed, "MB/s")
		b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-ms")
		b.ReportMetric(float64(took[len(took)*99/100].Milliseconds()), "p99-ms")
		bytes = 0
	}
}

// spanRequest returns a request of 100 spans whose calls have inputs and outputs of about the given size, and its size before
// compression.
func spanRequest(b *testing.B, url string, size int) (request *http.Request, bytesBefore int) {
	text := func(key, value string) *common.KeyValue {
		return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
	}
	number := func(key string, value int64) *common.KeyValue {
		return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
	}
	conversation := func(role string) string {
		list, err := json.Marshal([]any{object{"role": role, "parts": []any{object{"type": "text", "content": "Hi. " + filling(size)}}}})
		if err != nil {
			b.Fatal(err)
		}
		return string(list)
	}
	inputs, outputs := conversation("user"), conversation("assistant")
	id := func(length int) []byte {
		random := make([]byte, 0, length)
		for len(random) < length {
			random = binary.BigEndian.AppendUint64(random, rand.Uint64())
		}
		return random
	}
	start := uint64(devservertest.Start.UnixNano())
	var spans []*trace.Span
	for range benchRuns {
		root := &trace.Span{TraceId: id(16), SpanId: id(8), Name: "agent", StartTimeUnixNano: start, EndTimeUnixNano: start + 2e9,
			Attributes: []*common.KeyValue{text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.conversation.id", "c")}}
		spans = append(spans, &trace.Span{TraceId: root.GetTraceId(), SpanId: id(8), ParentSpanId: root.GetSpanId(), Name: "chat",
			StartTimeUnixNano: start, EndTimeUnixNano: start + 1e9, Attributes: []*common.KeyValue{
				text("gen_ai.operation.name", "chat"), text("gen_ai.provider.name", "openai"), text("gen_ai.request.model", "example-large"),
				text("gen_ai.input.messages", inputs), text("gen_ai.output.messages", outputs),
				number("gen_ai.usage.input_tokens", 20), number("gen_ai.usage.output_tokens", 10),
			}}, root)
	}
	body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: spans}}}}})
	if err != nil {
		b.Fatal(err)
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(body); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	request, err = http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/otel/v1/traces", &zipped)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("Content-Encoding", "gzip")
	return request, len(body)
}
