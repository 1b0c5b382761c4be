package message

import (
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
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/responses"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// format is how a format is recognized, read, checked and written.
type format struct {
	name document.Format
	// has says whether a document has a shape that only this format has; nil for formats in shapes that several share.
	has func(document.Source) bool
	// read fails if a key that the normal form needs is taken.
	read  func(document.Source) (*document.Document, bool)
	check func(*check.Checker, document.Source)
	// target is nil for formats to which documents aren't converted.
	target *convert.Target
}

// formats are all formats. Of those with their own shape, the first that a document has counts.
var formats = append([]format{
	{name: document.FormatFramework, has: framework.Has, read: framework.Read, check: framework.Check},
	{name: document.FormatGemini, has: gemini.Has, read: gemini.Read, check: gemini.Check},
	{name: document.FormatConverse, has: converse.Has, read: converse.Read, check: converse.Check},
	{name: document.FormatResponses, has: hasResponses, read: responses.Read, check: responses.Check, target: responses.Target},
	{name: document.FormatAISDK, has: aisdk.Has, read: aisdk.Read, check: aisdk.Check},
	{name: document.FormatCohere, has: cohere.Has, read: cohere.Read, check: cohere.Check},
	{name: document.FormatNative, read: native.Read, check: native.Check},
	{name: document.FormatChatCompletions, read: chatcompletions.Read, check: chatcompletions.Check, target: chatcompletions.Target},
	{name: document.FormatMessages, read: messages.Read, check: messages.Check, target: messages.Target},
}, agentFormats()...)

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
	items, _ := rawjson.ReadArray(src.Object.Get(key))
	return responses.Has(src) && !framework.AreMessages(items)
}

// findFormat returns a format by its name; nil if there is none.
func findFormat(name document.Format) *format {
	if i := slices.IndexFunc(formats, func(f format) bool { return f.name == name }); i >= 0 {
		return &formats[i]
	}
	return nil
}
