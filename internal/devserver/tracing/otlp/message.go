package otlp

import (
	"encoding/json"

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

// normal returns the messages under a key of a document in the normal form. Others are unchanged.
func normal(o rawjson.Object, key string, side document.Side) json.RawMessage {
	d, err := message.Normalize(o.Encode(), side)
	if err != nil || d.Format == document.FormatUnrecognized {
		return o.Get(key)
	}
	form, _ := rawjson.ReadObject(d.Native())
	return form.Get("messages")
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
		if d, err := message.Normalize(doc, side); err == nil && d.Format != document.FormatUnrecognized {
			form, _ := rawjson.ReadObject(d.Native())
			return form.Get("messages")
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

// messagesIn returns the messages of inputs; none if they have no known form.
func messagesIn(inputs rawjson.Object) []document.Message {
	d, err := message.Normalize(inputs.Encode(), document.Inputs)
	if err != nil || d.Format == document.FormatUnrecognized {
		return nil
	}
	return d.Messages
}

// withSystem returns inputs with a system prompt that has an attribute of its own, unless they have one, or have no messages.
func withSystem(system json.RawMessage, inputs rawjson.Object) rawjson.Object {
	d, err := message.Normalize(inputs.Encode(), document.Inputs)
	if err != nil || len(d.Messages) == 0 || d.Messages[0].Role == document.RoleSystem {
		return inputs
	}
	form, _ := rawjson.ReadObject(d.Native())
	first, _ := rawjson.ReadArray(system)
	rest, _ := rawjson.ReadArray(form.Get("messages"))
	return messagesObject(rawjson.EncodeArray(append(first, rest...)))
}

// first returns the first existing value.
func first(values ...json.RawMessage) json.RawMessage {
	for _, value := range values {
		if value != nil {
			return value
		}
	}
	return nil
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
