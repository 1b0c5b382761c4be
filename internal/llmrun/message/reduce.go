package message

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/aisdk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chatcompletions"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chunk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/cohere"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/converse"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/gemini"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/messages"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/ollama"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/responses"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// FormatOllama is a format of streams only: without streaming, its answers are read as chat completions.
const FormatOllama document.Format = "ollama"

// streams has the formats of streams: what recognizes a chunk, and what reduces them. No chunk belongs to two formats.
var streams = []struct {
	format  document.Format
	isChunk func(rawjson.Object) bool
	reduce  func([]json.RawMessage) (json.RawMessage, error)
}{
	{document.FormatChatCompletions, chatcompletions.IsChunk, chatcompletions.Reduce},
	{document.FormatMessages, messages.IsChunk, messages.Reduce},
	{document.FormatResponses, responses.IsChunk, responses.Reduce},
	{document.FormatGemini, gemini.IsChunk, gemini.Reduce},
	{document.FormatConverse, converse.IsChunk, converse.Reduce},
	{document.FormatAISDK, aisdk.IsChunk, aisdk.Reduce},
	{document.FormatCohere, cohere.IsChunk, cohere.Reduce},
	{document.FormatFramework, framework.IsChunk, framework.Reduce},
	{FormatOllama, ollama.IsChunk, ollama.Reduce},
}

// StreamFormats returns the formats of streams.
func StreamFormats() []document.Format {
	all := make([]document.Format, len(streams))
	for i, s := range streams {
		all[i] = s.format
	}
	return all
}

// Reduce combines the chunks of a streamed answer into the shape of the same answer without streaming.
//
// It accepts streams as they arrive: pieces of several choices, blocks or items in any order, and truncated streams, which
// result in what has arrived. An error that the stream reports is the member "error" of the result. Chunks that can't be
// interpreted are collected in the list "unreduced_chunks" of the result; one that isn't JSON is a string there. Only a
// stream without any interpretable chunk is an error, and even then the result contains these chunks.
func Reduce(format document.Format, chunks []json.RawMessage) (json.RawMessage, error) {
	names := make([]string, len(streams))
	for i, s := range streams {
		if s.format == format {
			return s.reduce(chunks)
		}
		names[i] = string(s.format)
	}
	last := len(names) - 1
	return nil, fmt.Errorf("reducing %s: not a stream format; choose %s or %s", rawjson.Name(string(format)), strings.Join(names[:last], ", "), names[last])
}

// StreamFormat returns the format of a stream according to the first chunk that determines it, document.FormatUnrecognized if none
// does.
func StreamFormat(chunks []json.RawMessage) document.Format {
	for _, raw := range chunks {
		o, ok := chunk.Open(raw)
		for _, s := range streams {
			if ok && s.isChunk(o) {
				return s.format
			}
		}
	}
	return document.FormatUnrecognized
}
