package envelope

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Envelope is the unwrapped form of a document with messages: every shape that does not belong to a single format.
type Envelope struct {
	Shape string
	// Messages are the entries of the list of messages. Some of them may be no objects.
	Messages []json.RawMessage
	// Choices contains the other members beside each message of ShapeChoices and ShapeCompletion, as an object or nil.
	Choices []json.RawMessage
	Rest    document.Extras
}

const (
	// ChoiceKey is the extra of a message for the other members of its choice: index, finish_reason, logprobs.
	ChoiceKey = "choice"
	// GenerationKey is the extra of a message for the other members of its generation: text, generationInfo.
	GenerationKey = "generation"
)

// PairRoles are the roles that make a list of two values a message rather than any two strings.
var PairRoles = []string{"system", "developer", "user", "assistant", "tool", "function", "reasoning"}

// Open unwraps a document. It looks into the messages only as far as needed to distinguish the shapes.
func Open(src document.Source) (Envelope, bool) {
	o, side := src.Object, src.Side
	if list, ok := src.List(""); ok {
		return openList(list, side)
	}
	if choices, ok := src.List("choices"); ok && side == document.Outputs {
		if e, ok := openChoices(choices); ok {
			e.Rest = o.Rest("choices")
			return e, true
		}
	}
	if list, ok := src.List("messages"); ok {
		isObject := func(raw json.RawMessage) bool { return rawjson.IsObject(raw) }
		return Envelope{Shape: document.ShapeMessages, Messages: list, Rest: o.Rest("messages")}, len(list) == 0 || slices.ContainsFunc(list, isObject)
	}
	message, _ := rawjson.ReadObject(o.Get("message"))
	if role, _ := message.Text("role"); isMessage(message) || slices.Contains(PairRoles, role) { // An answer may have nothing else.
		return Envelope{Shape: document.ShapeMessage, Messages: []json.RawMessage{o.Get("message")}, Rest: o.Rest("message")}, true
	}
	if isMessage(o) {
		message, rest := SplitBare(o)
		return Envelope{Shape: document.ShapeBare, Messages: []json.RawMessage{message}, Rest: rest}, true
	}
	response, image := o.Get("response"), o.Get("image")
	if side == document.Outputs && o.Has("done") && (rawjson.IsString(response) || rawjson.IsString(image) || response == nil && o.Has("context")) {
		return openResponse(o), true
	}
	if prompt := o.Get("prompt"); side == document.Inputs && rawjson.IsString(prompt) {
		return openPrompt(o), true
	}
	return openImages(src)
}

// isImage recognizes an image in a list of generated ones.
var isImage = shape.Named("generated_image")

// openImages reads generated images as chat completions have them beside the content.
func openImages(src document.Source) (Envelope, bool) {
	data, _ := src.List("data")
	if src.Side != document.Outputs || !src.Object.Has("created") || !isImage.FitsAll(data) {
		return Envelope{}, false
	}
	message := rawjson.Of("role", rawjson.Quote(document.RoleAssistant)).With("content", json.RawMessage("null")).With("images", src.Object.Get("data"))
	return Envelope{Shape: document.ShapeImages, Messages: []json.RawMessage{message.Encode()}, Rest: src.Object.Rest("data")}, true
}

func openPrompt(o rawjson.Object) Envelope {
	e := Envelope{Shape: document.ShapePrompt}
	taken := []string{"prompt"}
	if system := o.Get("system"); rawjson.IsString(system) && !rawjson.IsEmpty(system) {
		e.Messages = append(e.Messages, rawjson.Of("role", rawjson.Quote(document.RoleSystem)).With("content", system).Encode())
		taken = append(taken, "system")
	}
	e.Messages = append(e.Messages, rawjson.Of("role", rawjson.Quote(document.RoleUser)).With("content", o.Get("prompt")).Encode())
	e.Rest = o.Rest(taken...)
	return e
}

// openResponse reads a generated text or image; an answer that only loads a model has neither.
func openResponse(o rawjson.Object) Envelope {
	message := rawjson.Of("role", rawjson.Quote(document.RoleAssistant)).With("content", json.RawMessage("null"))
	taken := []string{"response", "thinking"}
	if response := o.Get("response"); response != nil {
		message[1].Value = response
	}
	if image := o.Get("image"); rawjson.IsString(image) {
		message, taken = message.With("images", rawjson.EncodeArray([]json.RawMessage{image})), append(taken, "image")
	}
	message = message.WithRaw("thinking", o.Get("thinking"))
	return Envelope{Shape: document.ShapeResponse, Messages: []json.RawMessage{message.Encode()}, Rest: o.Rest(taken...)}
}

// bareKeys are the message's own members if it is the whole document; the rest (id, model, stop_reason, …) describes the
// answer.
var bareKeys = []string{
	"role", "content", "tool_calls", "function_call", "refusal", "audio", "name", "tool_call_id", "annotations",
	"reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "thinking", "tool_plan", "images", "extras",
	"parts", "toolCalls", "toolCallId",
}

// SplitBare splits a message that is the whole document.
func SplitBare(o rawjson.Object) (message json.RawMessage, rest document.Extras) {
	rest = o.Rest(bareKeys...)
	return o.Without(slices.Collect(maps.Keys(rest))...).Encode(), rest
}

// openList reads a pair, or a list of messages that all have a role.
func openList(list []json.RawMessage, side document.Side) (Envelope, bool) {
	if side == document.Outputs && len(list) == 2 {
		if role, ok := rawjson.ReadString(list[0]); ok && slices.Contains(PairRoles, role) {
			message := rawjson.Of("role", list[0]).With("content", list[1]).Encode()
			return Envelope{Shape: document.ShapePair, Messages: []json.RawMessage{message}}, true
		}
	}
	return Envelope{Shape: document.ShapeList, Messages: list}, AreMessages(list)
}

// AreMessages reports whether most entries of a list are messages with roles.
func AreMessages(list []json.RawMessage) bool { return shape.Most(list, isMessage.Fits) }

// openChoices reads the choices of a completion, which all have a message or all have a text.
func openChoices(choices []json.RawMessage) (Envelope, bool) {
	e := Envelope{Shape: document.ShapeChoices}
	for i, raw := range choices {
		choice, ok := rawjson.ReadObject(raw)
		if !ok {
			return Envelope{}, false
		}
		key, shape, message := "message", document.ShapeChoices, choice.Get("message")
		if text := choice.Get("text"); message == nil && rawjson.IsString(text) {
			key, shape = "text", document.ShapeCompletion
			message = rawjson.Of("role", rawjson.Quote(document.RoleAssistant)).With("content", text).Encode()
		}
		if i == 0 {
			e.Shape = shape
		}
		if !rawjson.IsObject(message) || shape != e.Shape {
			return Envelope{}, false
		}
		var beside json.RawMessage
		if rest := choice.Rest(key); rest != nil {
			beside = rawjson.EncodeMembers(rest)
		}
		e.Messages, e.Choices = append(e.Messages, message), append(e.Choices, beside)
	}
	return e, true
}

// isMessage recognizes an object with a role and some content.
var isMessage = shape.Named("message")

// Place is the location of a message. Some envelopes have its role and content outside of an object, or under other names.
type Place struct {
	Base  string
	names map[string]string
}

// Member returns the pointer of a member of the message.
func (p Place) Member(key string) string {
	return p.Base + rawjson.Pointer(cmp.Or(p.names[key], key))
}

// places are the locations of messages by shape, with a * for the index.
var places = map[string]Place{
	document.ShapeList: {Base: "/*"}, document.ShapeMessages: {Base: "/messages/*"}, document.ShapeMessage: {Base: "/message"},
	document.ShapePair: {names: map[string]string{"role": "0", "content": "1"}}, document.ShapePrompt: {names: map[string]string{"content": "prompt"}},
	document.ShapeResponse: {names: map[string]string{"content": "response"}}, document.ShapeImages: {names: map[string]string{"content": "data"}},
	document.ShapeChoices: {Base: "/choices/*/message"}, document.ShapeCompletion: {"/choices/*", map[string]string{"content": "text"}},
}

// Place finds the entry with an index in its envelope.
func (e Envelope) Place(prefix string, i int) Place {
	p := places[e.Shape]
	if e.Shape == document.ShapePrompt && i < len(e.Messages)-1 {
		p.names = map[string]string{"content": "system"}
	}
	p.Base = prefix + strings.Replace(p.Base, "*", strconv.Itoa(i), 1)
	return p
}
