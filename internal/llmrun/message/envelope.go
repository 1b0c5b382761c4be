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
}

const (
	// choiceKey is the extra of a message for the other members of its choice: index, finish_reason, logprobs.
	choiceKey = "choice"
	// generationKey is the extra of a message for the other members of its generation: text, generationInfo.
	generationKey = "generation"
)

// wrapperKeys are the keys under which clients wrap an output that isn't an object.
var wrapperKeys = []string{"output", "outputs"}

// pairRoles are the roles that make a list of two values a message rather than any two strings.
var pairRoles = []string{"system", "developer", "user", "assistant", "tool", "function", "reasoning"}

// openEnvelope unwraps a document. It looks into the messages only as far as needed to distinguish the shapes.
func openEnvelope(src Source) (envelope, bool) {
	if e, ok := openShape(src); ok {
		return e, true
	}
	key, ok := wrapper(src)
	if !ok {
		return envelope{}, false
	}
	inner, ok := openShape(NewSource(src.Object.Get(key), src.Side))
	if !ok || (src.Side == Inputs && inner.shape != shapeList) {
		return envelope{}, false
	}
	rest := src.Object.Rest(key)
	if inner.rest != nil {
		rest.Put(key, rawjson.Object(nil).WithAll(inner.rest).Encode())
	}
	inner.shape, inner.rest = key+"."+inner.shape, rest
	return inner, true
}

// wrapper finds the key under which a client put the messages: for outputs, one of two names; for inputs, the name of the
// argument, which is arbitrary but must be the only list among the inputs.
func wrapper(src Source) (string, bool) {
	if src.Side == Outputs {
		for _, key := range wrapperKeys {
			if src.Object.Has(key) {
				return key, true
			}
		}
		return "", false
	}
	key, lists := "", 0
	for _, m := range src.Object {
		if rawjson.IsArray(m.Value) {
			key = m.Key
			lists++
		}
	}
	return key, lists == 1
}

// openShape unwraps a document that has no client's wrapper.
func openShape(src Source) (envelope, bool) {
	o, side := src.Object, src.Side
	if list, ok := rawjson.ReadArray(src.Raw); ok {
		return openList(list, side)
	}
	if choices, ok := rawjson.ReadArray(o.Get("choices")); ok && side == Outputs {
		if e, ok := openChoices(choices); ok {
			e.rest = o.Rest("choices")
			return e, true
		}
	}
	if list, ok := rawjson.ReadArray(o.Get("messages")); ok {
		if !rawjson.AllObjects(list) {
			return envelope{}, false
		}
		return envelope{shape: shapeMessages, messages: list, rest: o.Rest("messages")}, true
	}
	if message := o.Get("message"); rawjson.IsObject(message) && isMessage(message) {
		return envelope{shape: shapeMessage, messages: []json.RawMessage{message}, rest: o.Rest("message")}, true
	}
	if isMessageObject(o) {
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
	o, _ := rawjson.ReadObject(raw)
	return isMessageObject(o)
}

func isMessageObject(o rawjson.Object) bool {
	_, ok := o.Text("role")
	return ok && (o.Has("content") || o.Has("tool_calls") || o.Has("function_call"))
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
