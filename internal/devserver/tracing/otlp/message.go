package otlp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// The names of attributes with messages, which are also the members of a document of that convention.
var (
	genAIMessages = map[document.Side]string{document.Inputs: "gen_ai.input.messages", document.Outputs: "gen_ai.output.messages"}
	llmMessages   = map[document.Side]string{document.Inputs: "llm.input_messages", document.Outputs: "llm.output_messages"}
)

const systemInstructions = "gen_ai.system_instructions"

// normalize reads a document with messages; false if it has no known form.
func normalize(payload json.RawMessage, side document.Side) (*document.Document, bool) {
	d, err := message.Normalize(payload, side)
	return d, err == nil && d.Format != document.FormatUnrecognized
}

// messagesOf returns the messages of a document in the normal form.
func messagesOf(d *document.Document) json.RawMessage {
	form, _ := rawjson.ReadObject(d.Native())
	return form.Get("messages")
}

// normal returns the messages under a key of a document in the normal form. Others are unchanged.
func normal(o rawjson.Object, key string, side document.Side) json.RawMessage {
	if d, is := normalize(o.Encode(), side); is {
		return messagesOf(d)
	}
	return o.Get(key)
}

// conversation reads messages in any form.
func conversation(messages []json.RawMessage, side document.Side) json.RawMessage {
	return normal(rawjson.Of("messages", rawjson.EncodeArray(messages)), "messages", side)
}

// understood returns a list of messages, or of the choices of an answer, in the normal form. Anything else is unchanged.
func understood(payload json.RawMessage, side document.Side) json.RawMessage {
	if !rawjson.IsArray(payload) {
		return payload
	}
	for _, doc := range []json.RawMessage{payload, rawjson.Of("choices", payload).Encode()} {
		if d, is := normalize(doc, side); is {
			return messagesOf(d)
		}
	}
	return payload
}

// none is neither side of a run.
const none document.Side = -1

// sideOf returns the side of a run to which a document with messages belongs, by the words of its name or else by its form; none if it has
// no known form.
func sideOf(payload json.RawMessage, words string) document.Side {
	if !rawjson.IsObject(payload) && !rawjson.IsArray(payload) {
		return none
	}
	d, err := message.NormalizeEither(payload)
	if err != nil || d.Format == document.FormatUnrecognized || len(d.Messages) == 0 {
		return none
	}
	if side, known := sideIn(words); known {
		return side
	}
	return d.Side
}

// withSystem returns inputs with a system prompt that has an attribute of its own, unless they have one, or have no messages.
func withSystem(system json.RawMessage, inputs rawjson.Object) rawjson.Object {
	d, err := message.Normalize(inputs.Encode(), document.Inputs)
	if err != nil || len(d.Messages) == 0 || d.Messages[0].Role == document.RoleSystem {
		return inputs
	}
	first, _ := rawjson.ReadArray(system)
	rest, _ := rawjson.ReadArray(messagesOf(d))
	return messagesObject(rawjson.EncodeArray(append(first, rest...)))
}

// textOfJSON returns a JSON string's value, or any other value as JSON.
func textOfJSON(raw json.RawMessage) string {
	if text, is := rawjson.ReadString(raw); is {
		return text
	}
	if rawjson.IsNull(raw) {
		return ""
	}
	return string(raw)
}

// indexed reads messages with an attribute for each field: PREFIX.NUMBER.FIELD. A system prompt that is a parameter of the call
// is added if the first message is another.
func (a attributes) indexed(prefix string, side document.Side, system json.RawMessage) json.RawMessage {
	entries := a.entries(prefix)
	if entries == nil {
		return nil
	}
	if entries[0].peek("role", "message.role") == document.RoleSystem {
		system = nil
	}
	var messages, thoughts []json.RawMessage
	for _, fields := range entries {
		if fields.peek("role") == "thinking" { // OpenLLMetry has a message for the thoughts that precede an answer.
			thoughts = append(thoughts, rawjson.Of("type", rawjson.Quote("reasoning")).With("text", rawjson.Quote(fields.peek("content"))).Encode())
			continue
		}
		messages = append(messages, withThoughts(thoughts, fields.object(pathLevels)))
		thoughts = nil
	}
	if thoughts != nil {
		messages = append(messages, withThoughts(thoughts, rawjson.Of("role", rawjson.Quote(document.RoleAssistant)).Encode()))
	}
	o := rawjson.Of(llmMessages[side], rawjson.EncodeArray(messages)).WithRaw(systemInstructions, system)
	return normal(o, llmMessages[side], side)
}

// withThoughts returns a message whose content begins with thoughts.
func withThoughts(thoughts []json.RawMessage, message json.RawMessage) json.RawMessage {
	o, is := rawjson.ReadObject(message)
	if thoughts == nil || !is {
		return message
	}
	content := o.Get("content")
	blocks, _ := rawjson.ReadArray(content)
	if text, is := rawjson.ReadString(content); is && text != "" {
		blocks = []json.RawMessage{rawjson.Of("type", rawjson.Quote(document.BlockText)).With("text", content).Encode()}
	}
	return o.Without("content").With("content", rawjson.EncodeArray(append(thoughts, blocks...))).Encode()
}

// pathLevels is the number of levels in the names of attributes that become objects. Conventions have at most six.
const pathLevels = 8

// object returns attributes whose names are paths as objects, and as lists where the names are numbers.
func (a attributes) object(levels int) json.RawMessage {
	members, inner := make(rawjson.Members, len(a)), map[string]attributes{}
	for key, value := range a {
		name, rest, deeper := strings.Cut(key, ".")
		if !deeper || levels == 0 {
			members[key] = fieldOf(key, value)
			continue
		}
		if inner[name] == nil {
			inner[name] = attributes{}
		}
		inner[name][rest] = value
	}
	for name, fields := range inner {
		if members[name] == nil {
			members[name] = fields.object(levels - 1)
		}
	}
	return listOr(members)
}

// listOr returns members as a list if all their names are numbers, and otherwise as an object.
func listOr(members rawjson.Members) json.RawMessage {
	numbers := make([]int, 0, len(members))
	for name := range members {
		number, err := strconv.Atoi(name)
		if err != nil || strconv.Itoa(number) != name {
			return rawjson.EncodeMembers(members)
		}
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	list := make([]json.RawMessage, len(numbers))
	for i, number := range numbers {
		list[i] = members[strconv.Itoa(number)]
	}
	return rawjson.EncodeArray(list)
}

// fieldOf returns the field of a message. Parts and calls may be JSON in a string; any other text is unchanged.
func fieldOf(name string, value *common.AnyValue) json.RawMessage {
	payload := payloadOf(value)
	if name == "content" && areBlocks(payload) || name == "tool_calls" && rawjson.IsArray(payload) {
		return payload
	}
	if text, is := textOf(value); is {
		return rawjson.Quote(text)
	}
	return jsonOf(value)
}

// areBlocks reports whether a value is a list of what messages consist of: objects with a type, or what the reader of messages knows.
func areBlocks(payload json.RawMessage) bool {
	list, _ := rawjson.ReadArray(payload)
	if len(list) == 0 {
		return false
	}
	typed := func(o rawjson.Object) bool { _, is := o.Text("type"); return is }
	if rawjson.AllObjects(list) && !rawjson.AnyObject(list, func(o rawjson.Object) bool { return !typed(o) }) {
		return true
	}
	message := rawjson.Of("role", rawjson.Quote(document.RoleUser)).With("content", payload).Encode()
	d, is := normalize(rawjson.Of("messages", rawjson.EncodeArray([]json.RawMessage{message})).Encode(), document.Inputs)
	if !is {
		return false
	}
	blocks := 0
	for _, m := range d.Messages {
		for _, block := range m.Content {
			if block.Type == "" {
				return false
			}
			blocks++
		}
	}
	return blocks > 0
}
