package otlp

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"unicode"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

// Libraries describe their work under names of their own, but the names end with the same words: genkit:input, mlflow.spanInputs and
// gcp.vertex.agent.llm_request are inputs. So the last words of a name say what an attribute of an unknown convention contains. Of several,
// the one whose words come first counts.
var (
	kindWords    = []string{"subtype", "type", "kind"}
	contentWords = map[document.Side][]string{
		document.Inputs: {"tool call args", "arguments", "args", "llm request", "input", "inputs", "request", "prompt", "prompts", "query", "question"},
		document.Outputs: {
			"tool response", "llm response", "output", "outputs", "response", "responses", "completion", "completions", "result", "answer",
			"documents",
		},
	}
	usageWords      = []string{"usage", "usage details", "usage metadata", "token counts", "tokens", "metrics"}
	modelWords      = []string{"request model", "model", "model name", "model id", "response model"}
	providerWords   = []string{"provider", "provider name"}
	threadWords     = []string{"thread id", "conversation id", "session id", "session"}
	tagWords        = []string{"tags"}
	firstTokenWords = []string{"completion start time"}
	// Objects with members that other conventions write into attributes of their own.
	memberWords = []string{"attributes", "metadata"}
	toolWords   = []string{"tool name", "tool call id", "tool call args", "tool call arguments", "tool arguments", "tool args"}
)

// formWords say how a value is written, not what it is.
var formWords = []string{"value", "json", "text", "data", "content", "body", "payload"}

var general = texttable.Words(attributesText, "$general")

// family are attributes of an unknown convention.
type family struct {
	attributes
	names []named
}

// named is an attribute with the words of its name, without those of formWords.
type named struct {
	key, words string
	metadata   bool // A program has named it, so that it says nothing about the span.
}

func newFamily(a attributes) family {
	names := make([]named, 0, len(a))
	for key := range a {
		if !isGeneral(key) {
			isMetadata := slices.ContainsFunc(metadataPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
			names = append(names, named{key, wordsOf(key), isMetadata})
		}
	}
	slices.SortFunc(names, func(a, b named) int { return strings.Compare(a.key, b.key) })
	return family{a, names}
}

func isGeneral(key string) bool {
	first, _, _ := strings.Cut(key, ".")
	return slices.Contains(general, first)
}

// wordsOf returns the words of a name in lower case, separated by spaces.
func wordsOf(name string) string {
	var b strings.Builder
	b.Grow(len(name) + 4)
	before := ' '
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(before):
			b.WriteByte(' ')
		}
		if r != ' ' || before != ' ' {
			b.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	words := strings.TrimSuffix(b.String(), " ")
	for {
		rest, last := words, ""
		if at := strings.LastIndexByte(words, ' '); at >= 0 {
			rest, last = words[:at], words[at+1:]
		}
		if !slices.Contains(formWords, last) {
			return words
		}
		words = rest
	}
}

// ends reports whether the name ends with some words.
func (n named) ends(words string) bool {
	rest, is := strings.CutSuffix(n.words, words)
	return is && (rest == "" || strings.HasSuffix(rest, " "))
}

// unread returns the attributes that no reader has removed.
func (f family) unread() iter.Seq[named] {
	return func(yield func(named) bool) {
		for _, n := range f.names {
			if f.attributes[n.key] != nil && !n.metadata && !yield(n) {
				return
			}
		}
	}
}

// called returns those whose names end with any of some words, in the order of the words.
func (f family) called(words []string) iter.Seq[named] {
	return func(yield func(named) bool) {
		for _, w := range words {
			for n := range f.unread() {
				if n.ends(w) && !yield(n) {
					return
				}
			}
		}
	}
}

// textCalled removes the first of them that is a text, and returns it; otherwise a member of an object that is called so, or nothing.
func (f family) textCalled(words []string) string {
	for n := range f.called(words) {
		if text := f.unquoted(n.key); text != "" {
			f.drop(n.key)
			return text
		}
	}
	for text := range f.members(words) {
		return text
	}
	return ""
}

// members returns the texts of members that are called by some words, of objects that contain what describes a span.
func (f family) members(words []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := range f.called(memberWords) {
			o, _ := rawjson.ReadObject(payloadOf(f.attributes[n.key]))
			for _, m := range o {
				if text, is := rawjson.ReadString(m.Value); is && slices.Contains(words, wordsOf(m.Key)) && !yield(text) {
					return
				}
			}
		}
	}
}

// unquoted returns a text, or the text of a JSON string, without removing it.
func (a attributes) unquoted(key string) string {
	text := a.peek(key)
	if quoted, is := rawjson.ReadString(payloadOf(a[key])); is {
		return quoted
	}
	return text
}

// content returns the content of one side: by the name of an attribute or, if none says so, by what the reader of messages recognizes.
func (f family) content(side document.Side) rawjson.Object {
	take := func(n named, payload json.RawMessage) rawjson.Object {
		f.drop(n.key)
		key := map[document.Side]string{document.Inputs: "input", document.Outputs: "output"}[side]
		if n.ends("documents") {
			key = "documents"
		}
		return wrapped(key, understood(payload, side))
	}
	for n := range f.called(contentWords[side]) {
		if payload := nestedPayload(payloadOf(f.attributes[n.key])); !isFigure(f.attributes[n.key]) && !isVoid(payload) {
			return take(n, payload)
		}
	}
	for n := range f.unread() {
		if payload := nestedPayload(payloadOf(f.attributes[n.key])); sideOf(payload, n.words) == side {
			return take(n, payload)
		}
		prefix, field, _ := strings.Cut(n.key, ".0.")
		if of, known := sideIn(wordsOf(prefix)); known && of == side && (field == "role" || field == "message.role") {
			return messagesObject(f.indexed(prefix+".", side, nil))
		}
	}
	return nil
}

// sideIn returns the side of a run that the words of a name contain, the last one if there are several.
func sideIn(words string) (side document.Side, known bool) {
	for word := range strings.FieldsSeq(words) {
		for of, list := range contentWords {
			if slices.Contains(list, word) {
				side, known = of, true
			}
		}
	}
	return side, known
}

// nestedPayload returns the JSON in a JSON string: some programs encode values twice.
func nestedPayload(payload json.RawMessage) json.RawMessage {
	if text, is := rawjson.ReadString(payload); is {
		if inner, is := parse(text); is && (rawjson.IsObject(inner) || rawjson.IsArray(inner)) {
			return inner
		}
	}
	return payload
}

// isFigure reports whether a value is a number or a condition.
func isFigure(value *common.AnyValue) bool {
	switch value.GetValue().(type) {
	case *common.AnyValue_IntValue, *common.AnyValue_DoubleValue, *common.AnyValue_BoolValue:
		return true
	default:
		return false
	}
}

// isVoid reports whether a value says only that there is none.
func isVoid(payload json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "{}", "[]", `"{}"`, `"N/A"`}, string(payload))
}

// UnreadKey is the key in the metadata of a run for the names of attributes that nothing explains, although they look like the content or
// the figures of a call.
const UnreadKey = "OTEL_UNREAD_ATTRIBUTES"

// mostUnread is how many are named.
const mostUnread = 10

var conventions = texttable.Words(attributesText, "$conventions")

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
	calls := b.kind.CallsModel()
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
