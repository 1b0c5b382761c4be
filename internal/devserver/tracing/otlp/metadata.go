package otlp

import (
	"cmp"
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// threadAttributes contain the ID of the conversation to which a span belongs.
var threadAttributes = []string{
	"gen_ai.conversation.id", "session.id", "thread.id", "conversation.id", "thread_id", "session_id", "conversation_id",
}

// metadataPrefixes are those of attributes that programs name. Those of the tracing service come last: they replace the others.
var metadataPrefixes = []string{
	"mastra.metadata.", "langfuse.trace.metadata.", "langfuse.observation.metadata.",
	"traceloop.association.properties.", "ai.telemetry.metadata.", "ai.settings.context.", "langsmith.metadata.",
}

// markers are attributes that clients of the tracing service use internally.
var markers = []string{
	"langsmith.traceable", "langsmith.traceable_parent_otel_span_id", "langsmith.is_root", "langsmith.root_span",
	"langsmith.request.headers",
}

// labels sets tags and metadata. It runs last: everything unused becomes metadata.
func (b *builder) labels() {
	a := b.attributes
	tags := append(a.texts("langsmith.span.tags"), a.texts("tag.tags")...)
	for n := range b.family.called(tagWords) {
		tags = append(tags, a.texts(n.key)...)
	}
	if len(tags) > 0 {
		text, _ := json.Marshal(tags) // Encoding a list of strings never fails.
		b.fields["tags"] = text
	}
	if serialized := a.below("gen_ai.serialized."); serialized != nil {
		b.fields["serialized"] = rawjson.Object(nil).WithAll(serialized.members()).Encode()
	}
	b.runtime = a.payload("langsmith.span.runtime")
	a.drop(markers...)
	thread := a.peek(threadAttributes...)
	for _, words := range threadWords {
		for _, n := range b.family.names {
			if n.ends(words) {
				thread = cmp.Or(thread, a.unquoted(n.key))
			}
		}
	}
	b.markUnread()
	for _, prefix := range metadataPrefixes {
		for key, value := range a.below(prefix).members() {
			b.metadata.Put(key, value)
		}
	}
	if document, is := rawjson.ReadObject(payloadOf(a["metadata"])); is {
		a.drop("metadata")
		for _, m := range document {
			b.metadata.Put(m.Key, m.Value)
		}
	}
	for key, value := range a.members() {
		if _, known := b.metadata[key]; !known {
			b.metadata.Put(key, value)
		}
	}
	named := b.metadata["thread_id"] != nil || b.metadata["session_id"] != nil || b.metadata["conversation_id"] != nil
	if thread != "" && !named {
		b.metadata.Put("thread_id", rawjson.Quote(thread))
	}
}

// extra combines the attributes that say how the work was done.
func (b *builder) extra(runtime json.RawMessage) {
	o := rawjson.Of("metadata", rawjson.Object(nil).WithAll(b.metadata).Encode())
	if len(b.parameters) > 0 {
		o = o.With("invocation_params", b.parameters.Encode())
	}
	if own, is := rawjson.ReadObject(b.runtime); is {
		o = o.With("runtime", own.Encode())
	} else {
		o = o.WithRaw("runtime", runtime)
	}
	b.fields["extra"] = o.Encode()
}
