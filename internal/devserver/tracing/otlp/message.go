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
