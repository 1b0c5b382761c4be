package llmrun

import (
	"encoding/json"
	"slices"
	"strings"
)

// envelope is how messages are wrapped, taken apart: every shape that is not the private one of a format.
type envelope struct {
	shape    string
	messages []json.RawMessage
	// choices holds what stands beside each message of ShapeChoices and ShapeCompletion, as an object or nil.
	choices []json.RawMessage
	rest    Extras
	// only says that there is one message.
	only bool
}

// choiceKey is the extra of a message that holds what its choice says beside it: index, finish_reason, logprobs.
const choiceKey = "choice"

// wrapperKeys are the names under which clients put an output that is no object of its own.
var wrapperKeys = []string{"output", "outputs"}

// pairRoles are the roles that make a list of two values a message, and not any two words.
var pairRoles = []string{"system", "developer", "user", "assistant", "tool", "function", "reasoning"}

// openEnvelope takes a document apart. It doesn't look into the messages beyond what tells a shape from another.
func openEnvelope(raw json.RawMessage, side Side) (envelope, bool) {
	e, ok := openWrapped(raw, side)
	e.only = len(e.messages) == 1
	return e, ok
}

func openWrapped(raw json.RawMessage, side Side) (envelope, bool) {
	if e, ok := openShape(raw, side); ok {
		return e, true
	}
	o, ok := readObject(raw)
	if !ok {
		return envelope{}, false
	}
	key, ok := wrapper(o, side)
	if !ok {
		return envelope{}, false
	}
	inner, ok := openShape(o.get(key), side)
	if !ok || (side == Inputs && inner.shape != ShapeList) {
		return envelope{}, false
	}
	rest := o.rest(key)
	if inner.rest != nil {
		rest.put(key, object(nil).withAll(inner.rest).encode())
	}
	inner.shape, inner.rest = key+"."+inner.shape, rest
	return inner, true
}

// wrapper finds the key under which a client put the messages: for outputs one of two names, for inputs the name of the
// argument, which can be anything but is the only list among the inputs.
func wrapper(o object, side Side) (string, bool) {
	if side == Outputs {
		for _, key := range wrapperKeys {
			if o.has(key) {
				return key, true
			}
		}
		return "", false
	}
	key, lists := "", 0
	for _, m := range o {
		if isArray(m.value) {
			key = m.key
			lists++
		}
	}
	return key, lists == 1
}

// openShape takes a document apart that no client has wrapped once more.
func openShape(raw json.RawMessage, side Side) (envelope, bool) {
	if list, ok := readArray(raw); ok {
		return openList(list, side)
	}
	o, ok := readObject(raw)
	if !ok {
		return envelope{}, false
	}
	if choices, ok := readArray(o.get("choices")); ok && side == Outputs {
		if e, ok := openChoices(choices); ok {
			e.rest = o.rest("choices")
			return e, true
		}
	}
	if list, ok := readArray(o.get("messages")); ok {
		if !allObjects(list) {
			return envelope{}, false
		}
		return envelope{shape: ShapeMessages, messages: list, rest: o.rest("messages")}, true
	}
	if message := o.get("message"); isObject(message) && isMessage(message) {
		return envelope{shape: ShapeMessage, messages: []json.RawMessage{message}, rest: o.rest("message")}, true
	}
	if isMessage(raw) {
		message, rest := splitBare(o)
		return envelope{shape: ShapeBare, messages: []json.RawMessage{message}, rest: rest}, true
	}
	if prompt := o.get("prompt"); side == Inputs && isString(prompt) {
		message := object{{"role", quote(RoleUser)}, {"content", prompt}}.encode()
		return envelope{shape: ShapePrompt, messages: []json.RawMessage{message}, rest: o.rest("prompt")}, true
	}
	return envelope{}, false
}

// bareKeys are what a message says itself when it is the whole document; the rest (id, model, stop_reason, …) is about
// the answer that it is.
var bareKeys = []string{
	"role", "content", "tool_calls", "function_call", "refusal", "audio", "name", "tool_call_id", "annotations",
	"reasoning_content", "extras",
}

// splitBare takes a message that is the whole document apart.
func splitBare(o object) (message json.RawMessage, rest Extras) {
	rest = o.rest(bareKeys...)
	if rest == nil {
		return o.encode(), nil
	}
	own := make(object, 0, len(o))
	for _, m := range o {
		if slices.Contains(bareKeys, m.key) {
			own = append(own, m)
		}
	}
	return own.encode(), rest
}

// openList takes apart a pair, or a list of messages that all have a role.
func openList(list []json.RawMessage, side Side) (envelope, bool) {
	if side == Outputs && len(list) == 2 {
		if role, ok := readString(list[0]); ok && slices.Contains(pairRoles, role) {
			message := object{{"role", list[0]}, {"content", list[1]}}.encode()
			return envelope{shape: ShapePair, messages: []json.RawMessage{message}}, true
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
	return envelope{shape: ShapeList, messages: list}, true
}

// openChoices takes apart the choices of a completion, all of which have a message or all of which have a text.
func openChoices(choices []json.RawMessage) (envelope, bool) {
	e := envelope{shape: ShapeChoices}
	for i, raw := range choices {
		choice, ok := readObject(raw)
		if !ok {
			return envelope{}, false
		}
		key, message := "message", choice.get("message")
		if text := choice.get("text"); message == nil && isString(text) {
			key, message = "text", object{{"role", quote(RoleAssistant)}, {"content", text}}.encode()
		}
		shape := ShapeChoices
		if key == "text" {
			shape = ShapeCompletion
		}
		if i == 0 {
			e.shape = shape
		}
		if !isObject(message) || shape != e.shape {
			return envelope{}, false
		}
		var beside json.RawMessage
		if rest := choice.rest(key); rest != nil {
			beside = object(nil).withAll(rest).encode()
		}
		e.messages, e.choices = append(e.messages, message), append(e.choices, beside)
	}
	return e, true
}

// isMessage says whether a value is an object with a role and something said.
func isMessage(raw json.RawMessage) bool {
	o, ok := readObject(raw)
	if !ok {
		return false
	}
	_, ok = o.text("role")
	return ok && (o.has("content") || o.has("tool_calls") || o.has("function_call"))
}

func allObjects(list []json.RawMessage) bool {
	return !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !isObject(raw) })
}

// cutShape splits the key of a client's wrapper off a shape.
func cutShape(shape string) (key, inner string, wrapped bool) {
	if i := strings.LastIndexByte(shape, '.'); i >= 0 {
		return shape[:i], shape[i+1:], true
	}
	return "", shape, false
}

// seal puts the messages back into their envelope.
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
		// The members beside the messages were gathered under the wrapper's key.
		if o, ok := readObject(value); ok {
			inner = o.rest()
		}
	}
	return object{{key, e.sealShape(shape, inner)}}.withAll(outer).encode()
}

func (e envelope) sealShape(shape string, rest Extras) json.RawMessage {
	switch shape {
	case ShapeList:
		return encodeArray(e.messages)
	case ShapePair:
		o, _ := readObject(e.messages[0])
		return encodeArray([]json.RawMessage{o.get("role"), o.get("content")})
	case ShapeBare:
		o, _ := readObject(e.messages[0])
		return o.withAll(rest).encode()
	case ShapePrompt:
		o, _ := readObject(e.messages[0])
		return object{{"prompt", o.get("content")}}.withAll(rest).encode()
	case ShapeMessage:
		return object{{"message", e.messages[0]}}.withAll(rest).encode()
	case ShapeChoices, ShapeCompletion:
		return object{{"choices", e.sealChoices(shape)}}.withAll(rest).encode()
	default:
		return object{{"messages", encodeArray(e.messages)}}.withAll(rest).encode()
	}
}

func (e envelope) sealChoices(shape string) json.RawMessage {
	choices := make([]json.RawMessage, len(e.messages))
	for i, message := range e.messages {
		var choice object
		if i < len(e.choices) && e.choices[i] != nil {
			choice, _ = readObject(e.choices[i])
			choice = slices.Clone(choice)
		}
		if o, ok := readObject(message); ok && shape == ShapeCompletion {
			choice = choice.with("text", o.get("content"))
		} else {
			choice = choice.with("message", message)
		}
		choices[i] = choice.encode()
	}
	return encodeArray(choices)
}
