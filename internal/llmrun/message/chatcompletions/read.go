package chatcompletions

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/envelope"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Read reads the chat-completions format: a request's messages, a response's choices, and the shapes of a single
// message.
//
// Reasoning, the answer's audio and the tool calls are separate members; they become blocks: reasoning before the content,
// audio and calls after it.
func Read(src document.Source) (*document.Document, bool) {
	e, ok := envelope.Open(src)
	if !ok {
		return nil, false
	}
	d := &document.Document{Format: document.FormatChatCompletions, Side: src.Side, Shape: e.Shape, Extras: e.Rest}
	d.Messages = make([]document.Message, len(e.Messages))
	for i, raw := range e.Messages {
		d.Messages[i] = readMessage(raw, envelope.TopUsage(e))
	}
	ok = envelope.TakeEnvelope(d, e)
	return d, ok
}

func readMessage(raw json.RawMessage, topUsage bool) document.Message {
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
	taken = takeReasoning(&m, o, taken)
	if rawjson.IsString(o.Get("refusal")) {
		text, _ := o.Text("refusal")
		refusal := document.Block{Type: document.BlockText, Text: &text, Extras: document.Extras{"refusal": json.RawMessage("true")}}
		m.Content, taken = append(m.Content, refusal), append(taken, "refusal")
	}
	if rawjson.IsObject(o.Get("audio")) {
		audio := document.Block{Type: document.BlockAudio}
		audio.TakeWithin(o, "audio", answerAudioMembers)
		m.Content, taken = append(m.Content, audio), append(taken, "audio")
	}
	taken = append(taken, part.AddCalls(&m, o)...)
	if call := o.Get("function_call"); rawjson.IsObject(call) {
		m.Content, taken = append(m.Content, part.Function(call)), append(taken, "function_call")
	}
	m.Extras = o.Rest(taken...)
	return m
}

// answerAudioMembers are the members of the audio of an answer, {"id","data","transcript","expires_at"}.
var answerAudioMembers = []string{"id", "id", "data", "base64"}

// takeReasoning puts the reasoning before the content, and returns the keys that were read.
func takeReasoning(m *document.Message, o rawjson.Object, taken []string) []string {
	var blocks []document.Block
	for _, key := range envelope.ReasoningKeys {
		key, value := o.Find(key)
		if !rawjson.IsString(value) {
			continue
		}
		text, _ := rawjson.ReadString(value)
		taken = append(taken, key)
		if len(blocks) == 0 || *blocks[0].Text != text {
			blocks = append(blocks, document.Block{Type: document.BlockReasoning, Text: &text})
		}
	}
	m.Content = slices.Insert(m.Content, 0, blocks...)
	return taken
}

// readImages reads the images beside the content: data alone, or parts as in the content.
func readImages(raw json.RawMessage) ([]document.Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || len(list) == 0 {
		return nil, false
	}
	images := make([]document.Block, 0, len(list))
	for i, raw := range list {
		if data, ok := rawjson.ReadString(raw); ok {
			images = append(images, document.Block{Type: document.BlockImage, Base64: &data})
		} else if images = part.Append(images, raw); len(images) != i+1 || images[i].Type != document.BlockImage {
			return nil, false
		}
	}
	return images, true
}
