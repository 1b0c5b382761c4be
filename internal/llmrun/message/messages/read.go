package messages

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Read reads the messages format: a request's messages with the system prompt beside them, and an answer that is
// one message.
func Read(src document.Source) (*document.Document, bool) {
	return envelope.Read(src, document.FormatMessages, appendMessage)
}

func appendMessage(messages []document.Message, m document.Message, o rawjson.Object, taken []string) []document.Message {
	if split, ok := envelope.AppendAnswers(messages, &m, o, taken); ok {
		return split
	}
	m.Extras = o.Rest(taken...)
	return append(messages, m)
}

// Check validates a document of the messages format.
func Check(v *check.Checker, src document.Source) {
	v.Envelope(src, checkMessage)
}

// checkMessage validates a message of the messages format. Clients move the system prompt into the messages.
func checkMessage(v *check.Checker, o rawjson.Object, p envelope.Place) {
	role := v.Role(o, p, document.RoleUser, document.RoleAssistant, document.RoleSystem)
	v.Blocks(o.Get("content"), p.Member("content"), func(b rawjson.Object, at string) { checkBlock(v, b, at, role) })
	v.Usage(o.Get("usage_metadata"), p.Member("usage_metadata"))
}

func checkBlock(v *check.Checker, o rawjson.Object, at, role string) {
	if kind := v.Part(o, at, role); kind == document.BlockImage || kind == "document" {
		source, _ := rawjson.ReadObject(o.Get("source"))
		v.Text(source, "type", at+"/source", document.RuleMediaSource, true)
	}
}
