package chatcompletions

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Read reads the chat-completions format: a request's messages, a response's choices, and the shapes of a single
// message.
func Read(src document.Source) (*document.Document, bool) {
	return envelope.Read(src, document.FormatChatCompletions, appendMessage)
}

func appendMessage(messages []document.Message, raw json.RawMessage, topUsage bool) ([]document.Message, bool) {
	o, _ := rawjson.ReadObject(raw)
	m := document.Message{}
	taken := envelope.TakeMessage(&m, o, topUsage)
	if role, ok := envelope.ChatRoles[m.Role]; ok {
		m.Role = role
	}
	content := o.Get("content")
	if rawjson.IsNull(content) { // The format uses null for an answer that consists of calls alone.
		m.Content, taken = []document.Block{}, append(taken, "content")
	}
	if rawjson.IsString(content) && m.Content[0].Take("annotations", o.Get("annotations")) {
		taken = append(taken, "annotations")
	}
	if images, ok := readImages(o.Get("images")); ok {
		m.Content, taken = append(m.Content, images...), append(taken, "images")
	}
	taken = append(taken, envelope.TakeBeside(&m, &m, o)...)
	m.Extras = o.Rest(taken...)
	return append(messages, m), true
}

// readImages reads the images beside the content: data alone, or parts as in the content.
func readImages(raw json.RawMessage) ([]document.Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || len(list) == 0 {
		return nil, false
	}
	images := make([]document.Block, 0, len(list))
	for i, raw := range list {
		o, _ := rawjson.ReadObject(raw)
		if data, ok := rawjson.ReadString(raw); ok {
			images = append(images, document.Block{Type: document.BlockImage, Base64: &data})
		} else if images = part.Append(images, o); len(images) != i+1 || images[i].Type != document.BlockImage {
			return nil, false
		}
	}
	return images, true
}
