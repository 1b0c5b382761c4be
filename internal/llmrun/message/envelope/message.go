package envelope

import (
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// TakeMessage reads the members common to messages in the native, the chat-completions and the framework format, and
// returns the keys that it has read. Members of the wrong type are skipped.
func TakeMessage(m *document.Message, o rawjson.Object, topUsage bool) []string {
	taken := make([]string, 0, 8)
	if role, ok := o.Text("role"); ok && role != "" {
		m.Role, taken = role, append(taken, "role")
	}
	if content, ok := part.Content(o.Get("content")); ok {
		m.Content, taken = content, append(taken, "content")
	}
	key, value := o.Find("tool_call_id")
	if rawjson.IsString(value) {
		id, _ := rawjson.ReadString(value)
		m.ToolCallID, taken = &id, append(taken, key)
	}
	if usage := o.Get("usage_metadata"); usage != nil && !topUsage {
		m.UsageMetadata, taken = usage, append(taken, "usage_metadata")
	}
	return taken
}

// TakeEnvelope adds the members beside messages to their extras. It fails if a message already has an extra of that name.
func TakeEnvelope(d *document.Document, e Envelope) bool {
	for i, choice := range e.Choices {
		if d.Messages[i].Extras[ChoiceKey] != nil {
			return false
		}
		if choice != nil {
			d.Messages[i].Extras.Put(ChoiceKey, choice)
		}
	}
	if usage := d.Extras["usage_metadata"]; TopUsage(e) && rawjson.IsObject(usage) {
		d.Messages[0].UsageMetadata = usage
		d.Extras = d.Extras.Without("usage_metadata")
	}
	return true
}

// TopUsage says whether the usage of the only message is beside it, at the top level of the document. If a message in such
// an envelope has its own usage_metadata, that remains an extra.
func TopUsage(e Envelope) bool {
	_, shape, wrapped := CutShape(e.Shape)
	beside := []string{document.ShapeChoices, document.ShapeCompletion, document.ShapeMessage, document.ShapeBare}
	return len(e.Messages) == 1 && (slices.Contains(beside, shape) || wrapped && shape == document.ShapePair)
}
