package otlp

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Lengths of ids in bytes.
const (
	traceIDLength = 16
	spanIDLength  = 8
)

// Metadata that identifies the span of a run. Runs that wait for their parent are found by it.
const (
	TraceIDKey      = "OTEL_TRACE_ID"
	SpanIDKey       = "OTEL_SPAN_ID"
	ParentSpanIDKey = "OTEL_PARENT_SPAN_ID"
)

// Run is a span as a run.
type Run struct {
	ID string // A UUID.
	// TraceID, SpanID and ParentSpanID are those of OpenTelemetry, in hexadecimal digits. The parent may never arrive: it
	// may be a span of a program that exports elsewhere.
	TraceID, SpanID, ParentSpanID string
	Fields                        ingest.Fields
	Attachments                   []Attachment
}

// Attachment is a file that belongs to a run.
type Attachment struct {
	Name, MimeType string
	Content        []byte
}

// Runs converts the spans of a request to runs, and returns why some can't be converted. The project is for spans that name
// none, and may be empty.
func Runs(request *collector.ExportTraceServiceRequest, project string) (runs []Run, rejected []error) {
	for _, resource := range request.GetResourceSpans() {
		from := origin{project: project, resource: newAttributes(resource.GetResource().GetAttributes())}
		if named := from.resource.text("langsmith.trace.session_name", "langsmith.project", "openinference.project.name"); named != "" {
			from.project = named
		}
		program := from.resource.members()
		if len(rawjson.EncodeMembers(program)) > limits.SharedBytes {
			program = nil
		}
		for _, scope := range resource.GetScopeSpans() {
			if len(scope.GetSpans()) == 0 {
				continue
			}
			from.scope, from.runtime = scope.GetScope().GetName(), describe(program, scope.GetScope())
			for _, span := range scope.GetSpans() {
				run, err := from.run(span)
				if err != nil {
					rejected = append(rejected, err)
					continue
				}
				runs = append(runs, run)
			}
		}
	}
	return runs, rejected
}

// origin contains what the spans of a program share.
type origin struct {
	project  string
	resource attributes
	scope    string // The name of the instrumentation.
	runtime  json.RawMessage
}

// describe returns metadata about the program, and the part of it, that logged spans; nil if there is none, or too much.
func describe(program rawjson.Members, scope *common.InstrumentationScope) json.RawMessage {
	members := maps.Clone(program)
	for key, text := range map[string]string{"otel.scope.name": scope.GetName(), "otel.scope.version": scope.GetVersion()} {
		if text != "" {
			members.Put(key, rawjson.Quote(text))
		}
	}
	description := rawjson.EncodeMembers(members)
	if len(members) == 0 || len(description) > limits.SharedBytes {
		return nil
	}
	return description
}

// run converts a span.
func (o origin) run(span *trace.Span) (Run, error) {
	r := Run{
		TraceID: hex.EncodeToString(span.GetTraceId()), SpanID: hex.EncodeToString(span.GetSpanId()),
		ParentSpanID: hex.EncodeToString(span.GetParentSpanId()),
	}
	if err := r.check(span); err != nil {
		return Run{}, err
	}
	if len(o.project) > limits.ProjectName {
		return Run{}, fmt.Errorf("span %s: the name of its project has more than %d bytes", r.SpanID, limits.ProjectName)
	}
	b := &builder{span: span, scope: o.scope, attributes: newAttributes(span.GetAttributes()), fields: ingest.Fields{}, metadata: rawjson.Members{}}
	if err := b.times(); err != nil {
		return Run{}, fmt.Errorf("span %s: %w", r.SpanID, err)
	}
	if err := b.identity(&r); err != nil {
		return Run{}, fmt.Errorf("span %s: %w", r.SpanID, err)
	}
	b.project(o.project)
	r.Attachments = b.attachments()
	b.content()
	b.metadata.Put(TraceIDKey, rawjson.Quote(r.TraceID))
	b.metadata.Put(SpanIDKey, rawjson.Quote(r.SpanID))
	if r.ParentSpanID != "" {
		b.metadata.Put(ParentSpanIDKey, rawjson.Quote(r.ParentSpanID))
	}
	b.extra(o.runtime)
	r.Fields = b.fields
	return r, nil
}

// check validates the IDs. An invalid parent counts as none: one of the wrong length, all zeros, or the span itself.
func (r *Run) check(span *trace.Span) error {
	if len(span.GetTraceId()) != traceIDLength || strings.Trim(r.TraceID, "0") == "" {
		return fmt.Errorf("trace ID %q is not %d bytes, or all of them are zero", rawjson.Shorten(r.TraceID), traceIDLength)
	}
	if len(span.GetSpanId()) != spanIDLength || strings.Trim(r.SpanID, "0") == "" {
		return fmt.Errorf("span ID %q is not %d bytes, or all of them are zero", rawjson.Shorten(r.SpanID), spanIDLength)
	}
	if len(span.GetParentSpanId()) != spanIDLength || strings.Trim(r.ParentSpanID, "0") == "" || r.ParentSpanID == r.SpanID {
		r.ParentSpanID = ""
	}
	return nil
}

// runID returns the run ID for a span: the span's ID, padded with zeros.
func runID(spanID []byte) string {
	var id uuid.UUID
	copy(id[len(id)-spanIDLength:], spanID)
	return id.String()
}

// builder converts a span to a run. It removes attributes from the span one after the other; what is left becomes metadata.
type builder struct {
	span       *trace.Span
	scope      string
	attributes attributes
	family     family // The same attributes, by the words of their names.
	kind       llmrun.RunType
	counted    bool // The usage is known.
	fields     ingest.Fields
	metadata   rawjson.Members
	parameters rawjson.Object // Of the model call.
	runtime    json.RawMessage
	start      time.Time
}

func (b *builder) text(field, text string) {
	if text != "" {
		b.fields[field] = rawjson.Quote(text)
	}
}

// times returns the span's start and end. A span is exported after its end, but not every program sets that.
func (b *builder) times() error {
	start, begun := timeOf(b.span.GetStartTimeUnixNano())
	end, ended := timeOf(b.span.GetEndTimeUnixNano())
	switch {
	case !begun && b.span.GetStartTimeUnixNano() != 0, !ended && b.span.GetEndTimeUnixNano() != 0:
		return errors.New("its times are after the year 2262: send nanoseconds since 1970")
	case !begun && !ended:
		return errors.New("it has no start time")
	case !begun:
		start = end
	}
	b.start = start
	b.fields["start_time"] = jsonOfTime(start)
	if ended {
		if end.Before(start) { // The clock was set back meanwhile.
			end = start
		}
		b.fields["end_time"] = jsonOfTime(end)
	}
	return nil
}

var ids = table("id")

// identity places the run according to its IDs, unless attributes attach it to a trace of runs.
func (b *builder) identity(r *Run) error {
	r.ID = runID(b.span.GetSpanId())
	if b.attributes.has("langsmith.span.parent_id") {
		r.ParentSpanID = "" // The attribute names a run; empty, it says that there is none.
	}
	for _, id := range ids {
		text := b.attributes.text(id.attributes...)
		if text == "" {
			continue
		}
		canonical, err := ingest.ParseID(text)
		if err != nil {
			return fmt.Errorf("%s %w", id.attributes[0], err)
		}
		b.text(id.name, canonical)
	}
	if id, is := rawjson.ReadString(b.fields["id"]); is {
		r.ID = id
		delete(b.fields, "id")
	}
	b.text("dotted_order", b.attributes.text("langsmith.span.dotted_order"))
	if b.fields["dotted_order"] == nil || b.fields["trace_id"] == nil { // One without the other has no meaning.
		delete(b.fields, "dotted_order")
		delete(b.fields, "trace_id")
	}
	return nil
}

func (b *builder) project(otherwise string) {
	name := b.attributes.text("langsmith.trace.session_name", "ai.telemetry.metadata.ls_project_name")
	if name == "" {
		name = otherwise
	}
	b.text("session_name", name)
}

// attachments reads files, which are in one attribute. Anything that isn't a list of files is ignored.
func (b *builder) attachments() []Attachment {
	var list []struct {
		Name     string `json:"name"`
		Content  []byte `json:"content"`
		MimeType string `json:"mime_type"`
	}
	if json.Unmarshal(b.attributes.payload("langsmith.attachments"), &list) != nil {
		return nil
	}
	var files []Attachment
	for _, file := range list {
		if file.Name != "" {
			files = append(files, Attachment{Name: file.Name, MimeType: file.MimeType, Content: file.Content})
		}
	}
	return files
}

// ParentsFirst sorts each run after its parent, if that is among them. Programs export spans in the order in which they
// end, which is the reverse.
func ParentsFirst(runs []Run) []Run {
	type spanKey struct{ trace, span string }
	bySpan := make(map[spanKey][]int, len(runs))
	for i, run := range runs {
		key := spanKey{run.TraceID, run.SpanID}
		bySpan[key] = append(bySpan[key], i)
	}
	ordered, seen := make([]Run, 0, len(runs)), make([]bool, len(runs))
	var place func(i int)
	place = func(i int) {
		if seen[i] { // Already added, or its own ancestor.
			return
		}
		seen[i] = true
		if runs[i].ParentSpanID != "" {
			for _, parent := range bySpan[spanKey{runs[i].TraceID, runs[i].ParentSpanID}] {
				place(parent)
			}
		}
		ordered = append(ordered, runs[i])
	}
	for i := range runs {
		place(i)
	}
	return ordered
}
