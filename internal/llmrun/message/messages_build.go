package message

import (
	"encoding/json"
	"maps"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Types of blocks that stand for one of the normal form with the extra "type".
const (
	kindRedactedThinking = "redacted_thinking"
	kindContainerUpload  = "container_upload"
)

// messagesKeys are the members of requests and answers beside the messages.
var messagesKeys = []string{
	"anthropic_version", "betas", "container", "context_management", "inference_geo", "mcp_servers", "metadata", "model_name",
	"output_config", "output_format", "service_tier", "stop_reason", "stop_sequence", "stop_sequences", "thinking",
	"tool_choice", "tools", "top_k", "type", "usage",
}

// messagesTarget converts to a request's messages, an answer or, if an answer has several messages, a list of them.
var messagesTarget = &target{
	format:    FormatMessages,
	written:   func(d *Document) []string { return writtenKeys(d, messagesKeys, sharedKeys) },
	choices:   func(d *Document) bool { return messagesShape(d) == shapeBare && d.Extras["stop_reason"] == nil },
	reason:    true,
	block:     func(*Block) []string { return []string{"cache_control", "signature", "caller", "index"} },
	reasoning: (*prepared).mergeReasoning,
	lose:      loseMessages,
	write: func(p *prepared, rest Extras) []byte {
		return writeMessages(p.Messages, messagesShape(&p.Document), rest)
	},
}

// writeMessages writes messages: a single plain text as a string, but as a list in an answer, and consecutive answers of
// tools as one message, which the service requires.
func writeMessages(messages []Message, shape string, rest Extras) []byte {
	if len(messages) > 0 && messages[0].Role == RoleSystem {
		rest = maps.Clone(rest)
		rest.Put("system", messagesContent(&messages[0], true))
		messages = messages[1:]
	}
	wires := []json.RawMessage{}
	for len(messages) > 0 {
		n := 1
		for n < len(messages) && messages[0].Role == RoleTool && messages[n].Role == RoleTool && messages[n].UsageMetadata == nil {
			n++
		}
		o := messagesMessage(messages[:n], shape != shapeBare)
		if shape == shapeBare {
			if usage := messages[0].UsageMetadata; usage != nil {
				rest.Put("usage_metadata", usage)
			}
			return o.WithAll(rest).Encode()
		}
		wires = append(wires, o.WithRaw("usage_metadata", messages[0].UsageMetadata).Encode())
		messages = messages[n:]
	}
	return rawjson.Of("messages", rawjson.EncodeArray(wires)).WithAll(rest).Encode()
}

// messagesMessage writes a message, or several answers of tools.
func messagesMessage(messages []Message, short bool) rawjson.Object {
	o := make(rawjson.Object, 0, 6)
	m := &messages[0]
	if m.Role != RoleTool {
		if m.Role != "" {
			o = o.With("role", rawjson.Quote(m.Role))
		}
		return o.WithRaw("content", messagesContent(m, short))
	}
	results := make([]json.RawMessage, len(messages))
	for i := range messages {
		m := &messages[i]
		results[i] = ofType("tool_result").WithText("tool_use_id", m.ToolCallID).WithRaw("content", messagesContent(m, short)).
			WithAll(m.Extras).Encode()
	}
	return o.With("role", rawjson.Quote(RoleUser)).With("content", rawjson.EncodeArray(results))
}

// messagesContent writes content as a list of blocks, or as a string if that is short enough.
func messagesContent(m *Message, short bool) json.RawMessage {
	if m.Content == nil {
		return nil
	}
	if short && len(m.Content) == 1 && isPlainText(&m.Content[0]) && m.Content[0].Annotations == nil {
		return rawjson.Quote(*m.Content[0].Text)
	}
	blocks := make([]json.RawMessage, len(m.Content))
	calls := 0
	for i := range m.Content {
		b := &m.Content[i]
		extras := b.Extras
		if b.Type == BlockToolCall {
			if isIndex(extras["index"], calls) {
				extras = extras.Without("index")
			}
			calls++
		}
		blocks[i] = messagesBlock(b, extras)
	}
	return rawjson.EncodeArray(blocks)
}

// messagesShape returns how messages of another format are wrapped.
func messagesShape(d *Document) string {
	if d.Side == Inputs || len(d.Messages) != 1 {
		return shapeMessages
	}
	switch m := &d.Messages[0]; {
	case m.Role == "" || m.Role == RoleSystem || m.Content == nil && m.Role != RoleTool:
		return shapeMessages
	default:
		return shapeBare
	}
}

// messagesBlock writes a block of the messages format.
func messagesBlock(b *Block, extras Extras) json.RawMessage {
	var o rawjson.Object
	switch b.Type {
	case BlockText:
		o = ofType(BlockText).WithText("text", b.Text).WithRaw("citations", b.Annotations)
	case BlockReasoning:
		if o = ofType(b.kind(kindThinking)); b.kind(kindThinking) == kindThinking {
			o = o.WithText("thinking", b.Text)
		}
		extras = extras.Without(keyType)
	case BlockImage:
		o, extras = ofType(BlockImage).WithRaw("source", buildSource(b)), extras.Without("source")
	case BlockFile:
		if b.kind("") == kindContainerUpload {
			o, extras = ofType(kindContainerUpload).WithText("file_id", b.ID), extras.Without(keyType)
			break
		}
		o, extras = ofType("document").WithRaw("source", buildSource(b)), extras.Without("source")
	case BlockToolCall, BlockServerToolCall:
		usual := map[string]string{BlockToolCall: kindToolUse, BlockServerToolCall: "server_tool_use"}[b.Type]
		o, extras = ofType(b.kind(usual)).WithText("id", b.ID).WithText("name", b.Name).WithRaw("input", b.Args), extras.Without(keyType)
	case BlockServerToolResult:
		o = ofType(b.kind("")).WithText("tool_use_id", b.ToolCallID).WithRaw("content", b.Output)
		extras = extras.Without(keyType)
	default:
		o = ofType(b.Type)
	}
	return o.WithAll(extras).Encode()
}

func buildSource(b *Block) json.RawMessage {
	rest, _ := rawjson.ReadObject(b.Extras["source"])
	for _, s := range sources {
		if data := *b.text(s.field); data != nil {
			o := ofType(s.kind).With(s.key, rawjson.Quote(*data))
			if s.field == "base64" {
				o = o.WithText("media_type", b.MimeType)
			}
			return append(o, rest...).Encode()
		}
	}
	return b.Extras["source"]
}
