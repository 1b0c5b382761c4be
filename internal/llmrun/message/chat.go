package message

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Locations of blocks in a chat-completions message outside its content.
var (
	noteFunctionCall     = json.RawMessage(`"function_call"`)
	noteAudio            = json.RawMessage(`"audio"`)
	noteReasoningContent = json.RawMessage(`"reasoning_content"`)
	noteImages           = json.RawMessage(`"images"`)
	noteRefusal          = json.RawMessage(`"refusal"`)
)

const (
	// layoutRole is the role under the format's own name.
	layoutRole = "role"
	// layoutTwice is a second member with the same text.
	layoutTwice = "twice"
	// layoutImages is the list of images beside the content.
	layoutImages = "images"
	// layoutRaw is the original part, for parts that come from other formats.
	layoutRaw = "raw"
)

// chatRoles maps the roles of chat completions to different names in the normal form.
var chatRoles = map[string]string{
	"developer": RoleSystem, "function": RoleTool,
	// Other providers with the same format, and frameworks, use their own names.
	"model": RoleAssistant, "ai": RoleAssistant, "human": RoleUser,
}

// parseChat reads the chat-completions format: a request's messages, a response's choices, and the shapes of a single
// message.
//
// Reasoning, the answer's audio and the tool calls are separate members; they become blocks: reasoning before the content,
// audio and calls after it.
func parseChat(raw json.RawMessage, side Side) (*Document, bool) {
	e, ok := openEnvelope(raw, side)
	if !ok {
		return nil, false
	}
	d := &Document{Format: FormatChatCompletions, Side: side, Shape: e.shape, Extras: e.rest}
	d.Messages = make([]Message, len(e.messages))
	for i, raw := range e.messages {
		d.Messages[i] = parseChatMessage(raw, topUsage(e))
	}
	ok = d.takeEnvelope(e)
	return d, ok
}

func parseChatMessage(raw json.RawMessage, topUsage bool) Message {
	o, _ := rawjson.ReadObject(raw)
	m := Message{}
	taken := takeMessage(&m, o, noteString, parsePart, topUsage)
	if role, ok := chatRoles[m.Role]; ok {
		m.Layout.put(layoutRole, rawjson.Quote(m.Role))
		m.Role = role
	}
	// The format uses null for an answer that consists of calls alone; only a missing content needs a note.
	switch content := o.Get("content"); {
	case rawjson.IsNull(content):
		m.Layout.put(layoutContent, noteNull)
		m.Content, taken = []Block{}, append(taken, "content")
	case !slices.Contains(taken, "content"):
		m.Layout.put(layoutContent, noteAbsent)
	}
	if annotations := o.Get("annotations"); rawjson.IsArray(annotations) && plainText(&m) && m.Layout[layoutContent] == nil {
		m.Content[0].Annotations, taken = annotations, append(taken, "annotations")
	}
	if images, ok := parseImages(o.Get("images")); ok {
		m.Content, taken = append(m.Content, images...), append(taken, "images")
		m.Layout.put(layoutImages, o.Get("images"))
	}
	taken = m.takeReasoning(o, taken)
	if text, ok := o.Text("refusal"); ok {
		refusal := Block{Type: BlockText, Text: &text, Extras: Extras{"refusal": json.RawMessage("true")}, Layout: Layout{layoutPlace: noteRefusal}}
		m.Content, taken = append(m.Content, refusal), append(taken, "refusal")
	}
	if audio := o.Get("audio"); rawjson.IsObject(audio) {
		m.Content, taken = append(m.Content, parseAnswerAudio(audio)), append(taken, "audio")
	}
	if m.addCalls(o.Get("tool_calls"), callFunction) {
		taken = append(taken, "tool_calls")
	}
	if call := o.Get("function_call"); rawjson.IsObject(call) {
		b := Block{Type: BlockToolCall, Layout: Layout{layoutPlace: noteFunctionCall}}
		if rest := b.takeFunction(call); rest != nil {
			b.Extras.Put("function", rawjson.Object(nil).WithAll(rest).Encode())
		}
		m.Content, taken = append(m.Content, b), append(taken, "function_call")
	}
	m.Extras = o.Rest(taken...)
	return m
}

// reasoningKeys are the members for the reasoning before an answer, by provider. Some gateways set two to the same text.
var reasoningKeys = []string{"reasoning_content", "reasoning", "thinking", "tool_plan"}

// parseImages reads the images beside the content: data alone, or parts as in the content.
func parseImages(raw json.RawMessage) ([]Block, bool) {
	list, ok := rawjson.ReadArray(raw)
	if !ok || len(list) == 0 {
		return nil, false
	}
	images := make([]Block, len(list))
	for i, raw := range list {
		if data, ok := rawjson.ReadString(raw); ok {
			images[i] = Block{Type: BlockImage, Base64: &data}
		} else if images[i] = parsePart(raw); images[i].Type != BlockImage {
			return nil, false
		}
		images[i].Layout = Layout{layoutPlace: noteImages}
	}
	return images, true
}

// takeReasoning puts the reasoning before the content, and returns the keys that were read.
func (m *Message) takeReasoning(o rawjson.Object, taken []string) []string {
	var blocks []Block
	for _, key := range reasoningKeys {
		text, ok := o.Text(key)
		if !ok {
			continue
		}
		taken = append(taken, key)
		place := rawjson.Quote(key)
		if len(blocks) > 0 && *blocks[0].Text == text {
			blocks[0].Layout.put(layoutTwice, place)
			continue
		}
		blocks = append(blocks, Block{Type: BlockReasoning, Text: &text, Layout: Layout{layoutPlace: place}})
	}
	m.Content = slices.Insert(m.Content, 0, blocks...)
	return taken
}

// parseAnswerAudio reads the audio of an answer, {"id","data","transcript","expires_at"}.
func parseAnswerAudio(raw json.RawMessage) Block {
	o, _ := rawjson.ReadObject(raw)
	b := Block{Type: BlockAudio, Layout: Layout{layoutPlace: noteAudio}}
	var taken []string
	if b.take("id", o.Get("id")) {
		taken = append(taken, "id")
	}
	if b.take("base64", o.Get("data")) {
		taken = append(taken, "data")
	}
	if rest := o.Rest(taken...); rest != nil {
		b.Extras.Put("audio", rawjson.Object(nil).WithAll(rest).Encode())
	}
	return b
}

// layoutPart is how a part of the content was written, if its block doesn't determine that.
const layoutPart = "part"

// Notes under layoutPart.
var (
	notePartVerbatim = json.RawMessage(`"verbatim"`)
	notePartNative   = json.RawMessage(`"native"`)
	notePartRefusal  = json.RawMessage(`"refusal"`)
	notePartString   = json.RawMessage(`"string"`)
)

// parsePart reads a part of the content. For parts with an object under their type's name, unmapped members of the object
// are kept under that name.
func parsePart(raw json.RawMessage) Block {
	o, _ := rawjson.ReadObject(raw)
	kind, _ := o.Text("type")
	nested := rawjson.IsObject(o.Get(kind))
	switch {
	case kind == "text" && rawjson.IsString(o.Get("text")):
		b := Block{Type: BlockText}
		b.Extras = o.Rest(append(b.takeMembers(o, "text", "text", "annotations", "annotations"), "type")...)
		return b
	case kind == "refusal" && rawjson.IsString(o.Get("refusal")):
		b := Block{Type: BlockText, Extras: o.Rest("type", "refusal"), Layout: Layout{layoutPart: notePartRefusal}}
		b.take("text", o.Get("refusal"))
		b.Extras.Put("refusal", json.RawMessage("true"))
		return b
	case (kind == "image_url" || kind == "video_url") && (nested || rawjson.IsString(o.Get(kind))),
		(kind == "input_audio" || kind == "file") && nested:
		return parseMediaPart(o, kind)
	case isForeignPart(o, kind):
		return parseForeignPart(raw, o, kind)
	case blockFields[kind] != nil && kind != BlockText:
		b := parseNativeBlock(raw)
		b.Layout.put(layoutPart, notePartNative)
		return b
	default:
		b := Block{Extras: o.Rest(), Layout: Layout{layoutPart: notePartVerbatim, layoutExtras: noteInline}}
		if kind != "" {
			b.Type, b.Extras = kind, o.Rest("type")
		}
		return b
	}
}

// mediaParts maps the parts with media to their blocks.
var mediaParts = map[string]string{
	"image_url": BlockImage, "video_url": BlockVideo, "input_audio": BlockAudio, "file": BlockFile,
}

func parseMediaPart(o rawjson.Object, kind string) Block {
	b := Block{Type: mediaParts[kind], Extras: o.Rest("type", kind)}
	if url, ok := o.Text(kind); ok {
		b.takeURL(url)
		b.Layout.put(layoutPart, notePartString)
		return b
	}
	nested, _ := rawjson.ReadObject(o.Get(kind))
	var taken []string
	switch kind {
	case "input_audio":
		if b.take("base64", nested.Get("data")) {
			taken = append(taken, "data")
		}
		if format, ok := nested.Text("format"); ok {
			mime := audioMime + format
			b.MimeType, taken = &mime, append(taken, "format")
		}
	case "file":
		if data, ok := nested.Text("file_data"); ok {
			if b.takeURL(data); b.Base64 == nil {
				b.Base64, b.URL = b.URL, nil
			}
			taken = append(taken, "file_data")
		}
		if b.take("id", nested.Get("file_id")) {
			taken = append(taken, "file_id")
		}
	default:
		if url, ok := nested.Text("url"); ok {
			b.takeURL(url)
			taken = append(taken, "url")
		}
	}
	if rest := nested.Rest(taken...); rest != nil {
		b.Extras.Put(kind, rawjson.Object(nil).WithAll(rest).Encode())
	}
	return b
}

const audioMime = "audio/"

// takeData reads data, with or without the prefix of a data URL, or a URL.
func (b *Block) takeData(text string) {
	if strings.HasPrefix(text, "data:") || strings.Contains(text, "://") {
		b.takeURL(text)
		return
	}
	b.Base64 = &text
}

// takeURL splits a data URL of the plain form data:<type>;base64,<data>; any other URL is unchanged.
func (b *Block) takeURL(url string) {
	if rest, ok := strings.CutPrefix(url, "data:"); ok {
		mime, data, ok := strings.Cut(rest, ";base64,")
		if ok && mime != "" && !strings.ContainsAny(mime, ";,") {
			b.MimeType, b.Base64 = &mime, &data
			return
		}
	}
	b.URL = &url
}
