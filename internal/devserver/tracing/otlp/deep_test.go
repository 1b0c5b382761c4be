package otlp_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
)

// TestDeepAttribute checks that a deeply nested value isn't copied at each level, which would take gigabytes for a megabyte. No other
// test runs in parallel, because the allocations of the whole process are measured.
func TestDeepAttribute(t *testing.T) {
	const levels, size = 2000, 100_000
	text := strings.Repeat("x", size)
	value := &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: text}}
	for range levels {
		list := &common.KeyValueList{Values: []*common.KeyValue{{Key: "k", Value: value}}}
		value = &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: list}}
	}
	span := &trace.Span{
		TraceId: []byte("0123456789abcdef"), SpanId: []byte("01234567"), StartTimeUnixNano: began,
		Attributes: []*common.KeyValue{{Key: "deep", Value: value}},
	}
	request := &collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{span}}}}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runs, rejected := otlp.Runs(request, "")
	runtime.ReadMemStats(&after)
	if len(runs) != 1 || rejected != nil {
		t.Fatalf("%d runs, rejected %v; want 1 and none", len(runs), rejected)
	}
	if want := fmt.Sprintf("%s%q%s", strings.Repeat(`{"k":`, levels), text, strings.Repeat("}", levels)); !strings.Contains(string(runs[0].Fields["extra"]), want) {
		t.Error("the metadata doesn't contain the attribute")
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 100*size {
		t.Errorf("allocated %d bytes for an attribute of %d, want at most 100 times its size", allocated, size)
	}
}
