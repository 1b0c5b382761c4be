package messages

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/check"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Check validates a document of the messages format, whose system prompt is beside the messages.
func Check(v *check.Checker, src document.Source) {
	if system := src.Object.Get("system"); !rawjson.IsNullOrAbsent(system) {
		v.Blocks(system, v.Base+"/system", func(b rawjson.Object, at string) { checkBlock(v, b, at, document.RoleSystem) })
	}
	v.Envelope(src, func(o rawjson.Object, p envelope.Place) { checkMessage(v, o, p) })
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
