package otlp_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/otlp"
)

// TestDecodedSize checks that a body takes at most the estimated memory, and not much less. The test isn't parallel, because it measures
// the memory of the process.
func TestDecodedSize(t *testing.T) {
	const n = limits.Parts
	spanWith := func(s *trace.Span) *trace.ScopeSpans { return &trace.ScopeSpans{Spans: []*trace.Span{s}} }
	empty, events, links, attributes, scopes := &trace.ScopeSpans{}, &trace.Span{}, &trace.Span{}, &trace.Span{}, &trace.ResourceSpans{}
	for range n {
		empty.Spans = append(empty.Spans, &trace.Span{})
		events.Events = append(events.Events, &trace.Span_Event{})
		links.Links = append(links.Links, &trace.Span_Link{})
		attributes.Attributes = append(attributes.Attributes, &common.KeyValue{
			Key: "k", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: 7}},
		})
		scopes.ScopeSpans = append(scopes.ScopeSpans, &trace.ScopeSpans{})
	}
	for name, spans := range map[string]*trace.ResourceSpans{
		"spans": {ScopeSpans: []*trace.ScopeSpans{empty}}, "events": {ScopeSpans: []*trace.ScopeSpans{spanWith(events)}},
		"links": {ScopeSpans: []*trace.ScopeSpans{spanWith(links)}}, "attributes": {ScopeSpans: []*trace.ScopeSpans{spanWith(attributes)}}, "scopes": scopes,
	} {
		body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{spans}})
		devservertest.Must(t, err)
		checkDecodedSize(t, name, otlp.Protobuf, body)
	}
	for name, item := range map[string]string{
		"spans": "%s", "events": `{"events":[%s]}`, "links": `{"links":[%s]}`,
	} {
		items := fmt.Sprintf(item, strings.Repeat("{},", n-1)+"{}")
		checkDecodedSize(t, name+" in JSON", otlp.JSON, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[`+items+`]}]}]}`))
	}
}

func checkDecodedSize(t *testing.T, name string, encoding otlp.Encoding, body []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	request, err := encoding.Decode(body)
	devservertest.Must(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	taken := int64(after.HeapAlloc) - int64(before.HeapAlloc) //nolint:gosec // It is less than the memory.
	expected, exceeded := encoding.DecodedSize(body)
	devservertest.Must(t, exceeded)
	runtime.KeepAlive(request)
	if expected < taken || expected > 3*taken {
		t.Errorf("%s: estimated %d bytes, used %d; want an estimate of one to three times the memory", name, expected, taken)
	}
}
