package otlp

import (
	"encoding/json"
	"slices"
	"strings"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// UnreadKey is the key in the metadata of a run for the names of attributes that nothing explains, although they look like the content or
// the figures of a call.
const UnreadKey = "OTEL_UNREAD_ATTRIBUTES"

// mostUnread is how many are named.
const mostUnread = 10

// conventions are the first words of attributes of which those that are left over aren't content.
var conventions = strings.Fields("ai gen_ai langsmith llm logfire metadata model_request_parameters openinference tag traceloop")

// markUnread names the attributes that should have been read.
func (b *builder) markUnread() {
	var unread []string
	for n := range b.family.unread() {
		if len(unread) < mostUnread && b.isUnread(n, b.attributes[n.key]) {
			unread = append(unread, n.key)
		}
	}
	if unread != nil {
		text, _ := json.Marshal(unread) // Encoding a list of strings never fails.
		b.metadata.Put(UnreadKey, text)
	}
}

// isUnread reports whether an attribute has the tokens or the model of a call that has none, or the content of a span without inputs and
// outputs.
func (b *builder) isUnread(n named, value *common.AnyValue) bool {
	calls := llmrun.RunType(b.kind).CallsModel()
	if calls && (!b.counted && n.countsTokens(b.attributes) || !b.parameters.Has("model") && n.isModel(b.attributes)) {
		return true
	}
	if b.fields["inputs"] != nil || b.fields["outputs"] != nil {
		return false
	}
	payload := nestedPayload(payloadOf(value))
	if isDialogue(payload) {
		return true
	}
	namespace, _, _ := strings.Cut(n.key, ".")
	text, _ := rawjson.ReadString(payload)
	return calls && !slices.Contains(conventions, namespace) && !isVoid(payload) &&
		(rawjson.IsObject(payload) || rawjson.IsArray(payload) || strings.Contains(strings.TrimSpace(text), " "))
}

// isDialogue reports whether a value has members like those of messages.
func isDialogue(payload json.RawMessage) bool {
	objects, _ := rawjson.ReadArray(payload)
	if o, is := rawjson.ReadObject(payload); is {
		objects = append(objects, payload)
		for _, m := range o {
			list, _ := rawjson.ReadArray(m.Value)
			objects = append(objects, list...)
		}
	}
	return rawjson.AnyObject(objects, func(o rawjson.Object) bool {
		return slices.ContainsFunc([]string{"role", "content", "parts", "message", "messages", "text"}, o.Has)
	})
}
