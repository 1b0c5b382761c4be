package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/agents"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/aisdk"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/chatcompletions"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/cohere"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/converse"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/gemini"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/messages"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/native"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/ollama"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/responses"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// format is how a format is recognized, read, checked, written and reduced.
type format struct {
	name document.Format
	// has says whether a document has a shape that only this format has; nil for formats in shapes that several share.
	has func(document.Source) bool
	// read fails if a key that the normal form needs is taken; it is nil for a format of streams only.
	read  func(document.Source) (*document.Document, bool)
	check func(*check.Checker, document.Source)
	// target is nil for formats to which documents aren't converted.
	target *convert.Target
	// isChunk recognizes a chunk of a stream, and reduce combines them; nil for formats without streams. No chunk belongs to two
	// formats.
	isChunk func(rawjson.Object) bool
	reduce  func([]json.RawMessage) (json.RawMessage, error)
}

// formatOllama is a format of streams only: without streaming, its answers are read as chat completions.
const formatOllama document.Format = "ollama"

// formats are all formats. Of those with their own shape, the first that a document has counts.
var formats = append([]format{
	{
		document.FormatChatCompletions, nil, chatcompletions.Read, chatcompletions.Check, chatcompletions.Target,
		chatcompletions.IsChunk, chatcompletions.Reduce,
	},
	{document.FormatMessages, nil, messages.Read, messages.Check, messages.Target, messages.IsChunk, messages.Reduce},
	{document.FormatFramework, framework.Has, framework.Read, framework.Check, nil, framework.IsChunk, framework.Reduce},
	{document.FormatGemini, gemini.Has, gemini.Read, gemini.Check, nil, gemini.IsChunk, gemini.Reduce},
	{document.FormatConverse, converse.Has, converse.Read, converse.Check, nil, converse.IsChunk, converse.Reduce},
	{document.FormatResponses, hasResponses, responses.Read, responses.Check, responses.Target, responses.IsChunk, responses.Reduce},
	{document.FormatAISDK, aisdk.Has, aisdk.Read, aisdk.Check, nil, aisdk.IsChunk, aisdk.Reduce},
	{document.FormatCohere, cohere.Has, cohere.Read, cohere.Check, nil, cohere.IsChunk, cohere.Reduce},
	{name: formatOllama, isChunk: ollama.IsChunk, reduce: ollama.Reduce},
	{name: document.FormatNative, read: native.Read, check: native.Check},
}, agentFormats()...)

// Formats returns the formats that can be read.
func Formats() []document.Format { return namesOf(func(f format) bool { return f.read != nil }) }

// StreamFormats returns the formats of streams.
func StreamFormats() []document.Format {
	return namesOf(func(f format) bool { return f.reduce != nil })
}

func namesOf(is func(format) bool) []document.Format {
	var names []document.Format
	for _, f := range formats {
		if is(f) {
			names = append(names, f.name)
		}
	}
	return names
}

// agentFormats are the formats that share a reader.
func agentFormats() []format {
	list := make([]format, len(agents.Formats))
	for i, name := range agents.Formats {
		list[i] = format{name: name, read: agents.Read, check: agents.Check}
	}
	return list
}

// hasResponses says whether a document has items of the responses format, which a framework's messages under the same key aren't.
func hasResponses(src document.Source) bool {
	key := map[document.Side]string{document.Inputs: "input", document.Outputs: "output"}[src.Side]
	items, _ := src.List(key)
	return responses.Has(src) && !framework.AreMessages(items)
}

// findFormat returns a format by its name; nil if there is none.
func findFormat(name document.Format) *format {
	if i := slices.IndexFunc(formats, func(f format) bool { return f.name == name }); i >= 0 {
		return &formats[i]
	}
	return nil
}
