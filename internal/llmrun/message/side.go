package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// answerKeys are members that only answers have.
var answerKeys = []string{
	"choices", "candidates", "generations", "output", "outputs", "message", "stop_reason", "stopReason", "finish_reason", "finishReason",
	"done", "done_reason", "usage", "usageMetadata", "usage_metadata", "response", "generation_id", "output_text", "response_metadata",
	"gen_ai.output.messages", "llm.output_messages", "structuredContent", "isError",
}

// requestKeys are members that only requests have.
var requestKeys = []string{"input", "inputs", "contents", "prompt", "prompts", "max_tokens", "maxOutputTokens", "temperature", "stream"}

func guessSide(data json.RawMessage) document.Side {
	if list, ok := rawjson.ReadArray(data); ok {
		if len(list) == 2 && rawjson.IsString(list[0]) {
			return document.Outputs
		}
		return document.Inputs
	}
	o, _ := rawjson.ReadObject(data)
	has := func(key string) bool { return !rawjson.IsNullOrAbsent(o.Get(key)) }
	role, _ := o.Text("role")
	name, _ := o.Text("object")
	kind, _ := o.Text("kind")
	switch {
	case slices.Contains([]string{"response", "chat.completion", "text_completion", "interaction"}, name):
		return document.Outputs
	case kind == "response", has("blocks") && role == document.RoleAssistant:
		return document.Outputs
	case slices.ContainsFunc(requestKeys, has):
		return document.Inputs
	case slices.ContainsFunc(answerKeys, has):
		return document.Outputs
	case has("content") && (role == document.RoleAssistant || envelope.ChatRoles[role] == document.RoleAssistant), isAnswer(o):
		return document.Outputs
	default:
		return document.Inputs
	}
}

// isAnswer says whether a document is a single framework message written by a model.
func isAnswer(o rawjson.Object) bool { return framework.Role(o, o.Has("lc")) == document.RoleAssistant }
