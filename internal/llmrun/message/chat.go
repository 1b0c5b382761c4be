package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// parseChat reads the chat-completions format: a request's messages, a response's choices, and the shapes of a single
// message.
//
// Reasoning, the answer's audio and the tool calls are separate members; they become blocks: reasoning before the content,
// audio and calls after it.
func parseChat(src Source) (*Document, bool) {
	e, ok := openEnvelope(src)
	if !ok {
		return nil, false
	}
	d := &Document{Format: FormatChatCompletions, Side: src.Side, Shape: e.shape, Extras: e.rest}
	d.Messages = make([]Message, len(e.messages))
	for i, raw := range e.messages {
		d.Messages[i] = parseChatMessage(raw, topUsage(e))
	}
	ok = takeEnvelope(d, e)
	return d, ok
}

func parseChatMessage(raw json.RawMessage, topUsage bool) Message {
	o, _ := rawjson.ReadObject(raw)
	m := Message{}
	taken := takeMessage(&m, o, topUsage)
	if role, ok := chatRoles[m.Role]; ok {
		m.Role = role
	}
	content := o.Get("content")
	if rawjson.IsNull(content) { // The format uses null for an answer that consists of calls alone.
		m.Content, taken = []Block{}, append(taken, "content")
	}
	if rawjson.IsString(content) && m.Content[0].take("annotations", o.Get("annotations")) {
		taken = append(taken, "annotations")
	}
	if images, ok := parseImages(o.Get("images")); ok {
		m.Content, taken = append(m.Content, images...), append(taken, "images")
	}
	taken = takeReasoning(&m, o, taken)
	if text, ok := o.Text("refusal"); ok {
		refusal := Block{Type: BlockText, Text: &text, Extras: Extras{"refusal": json.RawMessage("true")}}
		m.Content, taken = append(m.Content, refusal), append(taken, "refusal")
	}
	if rawjson.IsObject(o.Get("audio")) {
		audio := Block{Type: BlockAudio}
		audio.takeWithin(o, "audio", answerAudioMembers)
		m.Content, taken = append(m.Content, audio), append(taken, "audio")
	}
	if addCalls(&m, o.Get("tool_calls")) {
		taken = append(taken, "tool_calls")
	}
	if call := o.Get("function_call"); rawjson.IsObject(call) {
		m.Content, taken = append(m.Content, parseFunction(call)), append(taken, "function_call")
	}
	m.Extras = o.Rest(taken...)
	return m
}

// answerAudioMembers are the members of the audio of an answer, {"id","data","transcript","expires_at"}.
var answerAudioMembers = []string{"id", "id", "data", "base64"}

// takeReasoning puts the reasoning before the content, and returns the keys that were read.
func takeReasoning(m *Message, o rawjson.Object, taken []string) []string {
	var blocks []Block
	for _, key := range reasoningKeys {
		text, ok := o.Text(key)
		if !ok {
			continue
		}
		taken = append(taken, key)
		if len(blocks) == 0 || *blocks[0].Text != text {
			blocks = append(blocks, Block{Type: BlockReasoning, Text: &text})
		}
	}
	m.Content = slices.Insert(m.Content, 0, blocks...)
	return taken
}

// parseImages reads the images beside the content: data alone, or parts as in the content.
func parseImages(raw json.RawMessage) ([]Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || len(list) == 0 {
		return nil, false
	}
	images := make([]Block, 0, len(list))
	for i, raw := range list {
		if data, ok := rawjson.ReadString(raw); ok {
			images = append(images, Block{Type: BlockImage, Base64: &data})
		} else if images = appendPart(images, raw); len(images) != i+1 || images[i].Type != BlockImage {
			return nil, false
		}
	}
	return images, true
}
