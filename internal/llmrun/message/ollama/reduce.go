package ollama

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/shape"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// IsChunk recognizes a line of a chat, {"message","done"}, or of a generated text, {"response","done"}.
var IsChunk = shape.Named("ollama_chunk")

// Reduce combines the lines of a chat or a generated text into the last one, with the whole text. Calls of tools arrive
// whole.
func Reduce(lines []json.RawMessage) (json.RawMessage, error) {
	s := chunk.Stream{}
	s.Read(lines, func(o rawjson.Object) bool {
		if failure := o.Get(chunk.Error); failure != nil && !rawjson.IsNull(failure) && !o.Has("done") {
			return s.Fail(failure)
		}
		if !IsChunk(o) {
			return false
		}
		for _, m := range o {
			switch m.Key {
			case "message", "response", "thinking", "logprobs", "tool_calls":
				s.Answer.Grow(m.Key, m.Value)
			default:
				s.Answer.Set(m.Key, m.Value)
			}
		}
		return true
	})
	return s.Finish("ollama")
}
