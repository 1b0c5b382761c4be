package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// envelope is the unwrapped form of a document with messages: every shape that does not belong to a single format.
type envelope struct {
	shape    string
	messages []json.RawMessage
	// choices contains the other members beside each message of shapeChoices and shapeCompletion, as an object or nil.
	choices []json.RawMessage
	rest    Extras
	// only says that there is exactly one message.
	only bool
}

// choiceKey is the extra of a message for the other members of its choice: index, finish_reason, logprobs.
const choiceKey = "choice"

// wrapperKeys are the keys under which clients wrap an output that isn't an object.
var wrapperKeys = []string{"output", "outputs"}

// pairRoles are the roles that make a list of two values a message rather than any two strings.
var pairRoles = []string{"system", "developer", "user", "assistant", "tool", "function", "reasoning"}

// openEnvelope unwraps a document. It looks into the messages only as far as needed to distinguish the shapes.
func openEnvelope(raw json.RawMessage, side Side) (envelope, bool) {
	e, ok := openWrapped(raw, side)
	e.only = len(e.messages) == 1
	return e, ok
}

func openWrapped(raw json.RawMessage, side Side) (envelope, bool) {
	if e, ok := openShape(raw, side); ok {
		return e, true
	}
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return envelope{}, false
	}
	key, ok := wrapper(o, side)
	if !ok {
		return envelope{}, false
	}
	value, _ := rawjson.ReadObject(o.Get(key))
	if detectByShape(o.Get(key), value, side) != FormatUnrecognized {
		return envelope{}, false
	}
	inner, ok := openShape(o.Get(key), side)
	if !ok || (side == Inputs && inner.shape != shapeList) {
		return envelope{}, false
	}
	rest := o.Rest(key)
	if inner.rest != nil {
		rest.Put(key, rawjson.Object(nil).WithAll(inner.rest).Encode())
	}
	inner.shape, inner.rest = key+"."+inner.shape, rest
	return inner, true
}

// wrapper finds the key under which a client put the messages: for outputs, one of two names; for inputs, the name of the
// argument, which is arbitrary but must be the only list among the inputs.
func wrapper(o rawjson.Object, side Side) (string, bool) {
	if side == Outputs {
		for _, key := range wrapperKeys {
			if o.Has(key) {
				return key, true
			}
		}
		return "", false
	}
	key, lists := "", 0
	for _, m := range o {
		if rawjson.IsArray(m.Value) {
			key = m.Key
			lists++
		}
	}
	return key, lists == 1
}

// openShape unwraps a document that has no client's wrapper.
func openShape(raw json.RawMessage, side Side) (envelope, bool) {
	if list, ok := rawjson.ReadArray(raw); ok {
		return openList(list, side)
	}
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return envelope{}, false
	}
	if choices, ok := rawjson.ReadArray(o.Get("choices")); ok && side == Outputs {
		if e, ok := openChoices(choices); ok {
			e.rest = o.Rest("choices")
			return e, true
		}
	}
	if list, ok := rawjson.ReadArray(o.Get("messages")); ok {
		if !allObjects(list) {
			return envelope{}, false
		}
		return envelope{shape: shapeMessages, messages: list, rest: o.Rest("messages")}, true
	}
	if message := o.Get("message"); rawjson.IsObject(message) && isMessage(message) {
		return envelope{shape: shapeMessage, messages: []json.RawMessage{message}, rest: o.Rest("message")}, true
	}
	if isMessage(raw) {
		message, rest := splitBare(o)
		return envelope{shape: shapeBare, messages: []json.RawMessage{message}, rest: rest}, true
	}
	if response := o.Get("response"); side == Outputs && rawjson.IsString(response) && o.Has("done") {
		message := rawjson.Of("role", rawjson.Quote(RoleAssistant)).With("content", response).WithRaw("thinking", o.Get("thinking")).Encode()
		return envelope{shape: shapeResponse, messages: []json.RawMessage{message}, rest: o.Rest("response", "thinking")}, true
	}
	if prompt := o.Get("prompt"); side == Inputs && rawjson.IsString(prompt) {
		return openPrompt(o), true
	}
	return envelope{}, false
}

// openPrompt reads a prompt, and the system prompt beside it.
func openPrompt(o rawjson.Object) envelope {
	e := envelope{shape: shapePrompt}
	taken := []string{"prompt"}
	if system := o.Get("system"); rawjson.IsString(system) {
		e.messages = append(e.messages, rawjson.Of("role", rawjson.Quote(RoleSystem)).With("content", system).Encode())
		taken = append(taken, "system")
	}
	e.messages = append(e.messages, rawjson.Of("role", rawjson.Quote(RoleUser)).With("content", o.Get("prompt")).Encode())
	e.rest = o.Rest(taken...)
	return e
}

// sealPrompt writes what openPrompt has read.
func (e envelope) sealPrompt(rest Extras) json.RawMessage {
	var out rawjson.Object
	keys := []string{"system", "prompt"}
	for i, raw := range e.messages {
		message, _ := rawjson.ReadObject(raw)
		out = out.With(keys[len(keys)-len(e.messages)+i], message.Get("content"))
	}
	return out.WithAll(rest).Encode()
}

// bareKeys are the message's own members if it is the whole document; the rest (id, model, stop_reason, …) describes the
// answer.
var bareKeys = []string{
	"role", "content", "tool_calls", "function_call", "refusal", "audio", "name", "tool_call_id", "annotations",
	"reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "thinking", "tool_plan", "images", "extras",
}

// splitBare splits a message that is the whole document.
func splitBare(o rawjson.Object) (message json.RawMessage, rest Extras) {
	rest = o.Rest(bareKeys...)
	if rest == nil {
		return o.Encode(), nil
	}
	own := make(rawjson.Object, 0, len(o))
	for _, m := range o {
		if slices.Contains(bareKeys, m.Key) {
			own = append(own, m)
		}
	}
	return own.Encode(), rest
}

// openList reads a pair, or a list of messages that all have a role.
func openList(list []json.RawMessage, side Side) (envelope, bool) {
	if side == Outputs && len(list) == 2 {
		if role, ok := rawjson.ReadString(list[0]); ok && slices.Contains(pairRoles, role) {
			message := rawjson.Of("role", list[0]).With("content", list[1]).Encode()
			return envelope{shape: shapePair, messages: []json.RawMessage{message}}, true
		}
	}
	if len(list) == 0 {
		return envelope{}, false
	}
	for _, raw := range list {
		if !isMessage(raw) {
			return envelope{}, false
		}
	}
	return envelope{shape: shapeList, messages: list}, true
}

// openChoices reads the choices of a completion, which all have a message or all have a text.
func openChoices(choices []json.RawMessage) (envelope, bool) {
	e := envelope{shape: shapeChoices}
	for i, raw := range choices {
		choice, ok := rawjson.ReadObject(raw)
		if !ok {
			return envelope{}, false
		}
		key, message := "message", choice.Get("message")
		if text := choice.Get("text"); message == nil && rawjson.IsString(text) {
			key, message = "text", rawjson.Of("role", rawjson.Quote(RoleAssistant)).With("content", text).Encode()
		}
		shape := shapeChoices
		if key == "text" {
			shape = shapeCompletion
		}
		if i == 0 {
			e.shape = shape
		}
		if !rawjson.IsObject(message) || shape != e.shape {
			return envelope{}, false
		}
		var beside json.RawMessage
		if rest := choice.Rest(key); rest != nil {
			beside = rawjson.Object(nil).WithAll(rest).Encode()
		}
		e.messages, e.choices = append(e.messages, message), append(e.choices, beside)
	}
	return e, true
}

// isMessage says whether a value is an object with a role and some content.
func isMessage(raw json.RawMessage) bool {
	o, ok := rawjson.ReadObject(raw)
	if !ok {
		return false
	}
	_, ok = o.Text("role")
	return ok && (o.Has("content") || o.Has("tool_calls") || o.Has("function_call"))
}

func allObjects(list []json.RawMessage) bool {
	return !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !rawjson.IsObject(raw) })
}

// cutShape splits a client's wrapper key off a shape.
func cutShape(shape string) (key, inner string, wrapped bool) {
	if i := strings.LastIndexByte(shape, '.'); i >= 0 {
		return shape[:i], shape[i+1:], true
	}
	return "", shape, false
}

// beside returns the members beside the messages, within the client's wrapper if there is one.
func (e envelope) beside() Extras {
	key, _, wrapped := cutShape(e.shape)
	if !wrapped {
		return e.rest
	}
	inner, _ := rawjson.ReadObject(e.rest[key])
	return inner.Rest()
}

// seal wraps the messages in their envelope again.
func (e envelope) seal() json.RawMessage {
	key, shape, wrapped := cutShape(e.shape)
	if !wrapped {
		return e.sealShape(shape, e.rest)
	}
	var inner Extras
	outer := Extras{}
	for k, value := range e.rest {
		if k != key {
			outer[k] = value
			continue
		}
		// The members beside the messages were collected within the wrapper.
		if o, ok := rawjson.ReadObject(value); ok {
			inner = o.Rest()
		}
	}
	return rawjson.Of(key, e.sealShape(shape, inner)).WithAll(outer).Encode()
}

func (e envelope) sealShape(shape string, rest Extras) json.RawMessage {
	switch shape {
	case shapeList:
		return rawjson.EncodeArray(e.messages)
	case shapePair:
		o, _ := rawjson.ReadObject(e.messages[0])
		return rawjson.EncodeArray([]json.RawMessage{o.Get("role"), o.Get("content")})
	case shapeBare:
		o, _ := rawjson.ReadObject(e.messages[0])
		return o.WithAll(rest).Encode()
	case shapePrompt:
		return e.sealPrompt(rest)
	case shapeResponse:
		o, _ := rawjson.ReadObject(e.messages[0])
		return rawjson.Of("response", o.Get("content")).WithRaw("thinking", o.Get("thinking")).WithAll(rest).Encode()
	case shapeMessage:
		return rawjson.Of("message", e.messages[0]).WithAll(rest).Encode()
	case shapeChoices, shapeCompletion:
		return rawjson.Of("choices", e.sealChoices(shape)).WithAll(rest).Encode()
	default:
		return rawjson.Of("messages", rawjson.EncodeArray(e.messages)).WithAll(rest).Encode()
	}
}

func (e envelope) sealChoices(shape string) json.RawMessage {
	choices := make([]json.RawMessage, len(e.messages))
	for i, message := range e.messages {
		var choice rawjson.Object
		if i < len(e.choices) && e.choices[i] != nil {
			choice, _ = rawjson.ReadObject(e.choices[i])
			choice = slices.Clone(choice)
		}
		if o, ok := rawjson.ReadObject(message); ok && shape == shapeCompletion {
			choice = choice.With("text", o.Get("content"))
		} else {
			choice = choice.With("message", message)
		}
		choices[i] = choice.Encode()
	}
	return rawjson.EncodeArray(choices)
}
