package message

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// responsesKeys are the members of requests and answers beside the items.
var responsesKeys = []string{
	"background", "completed_at", "conversation", "created_at", "error", "include", "incomplete_details", "instructions",
	"max_output_tokens", "max_tool_calls", "metadata", "model_name", "object", "parallel_tool_calls", "previous_response_id",
	"prompt", "prompt_cache_key", "prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "status",
	"store", "stream_options", "text", "tool_choice", "tools", "top_logprobs", "truncation", "usage", "user",
}

// responsesTarget converts to the input of a request or the output of an answer.
var responsesTarget = &target{
	format: FormatResponses,
	written: func(d *Document) []string {
		keys := writtenKeys(d, responsesKeys, responsesShared)
		if d.Side == Inputs && rawjson.IsString(d.Extras["instructions"]) { // They would be read as a message.
			return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "instructions" })
		}
		return keys
	},
	items:     true,
	block:     func(*Block) []string { return []string{"id", "status", "logprobs", "index"} },
	reasoning: (*prepared).splitReasoning,
	lose:      loseResponses,
	write:     writeResponses,
}

// responsesShared have the same meaning in this format and in the formats of other providers.
var responsesShared = []string{"id", "model", "temperature", "top_p", "stream", "usage_metadata"}

func writeResponses(p *prepared, rest Extras) []byte {
	key := "input"
	if p.Side == Outputs {
		key = "output"
	}
	items := []json.RawMessage{}
	o := make(rawjson.Object, 0, len(rest)+2)
	for i := range p.Messages {
		items = append(items, responsesItems(&p.Messages[i])...)
		if p.Side == Outputs {
			o = o.WithRaw("usage_metadata", p.Messages[i].UsageMetadata)
		}
	}
	return o.With(key, rawjson.EncodeArray(items)).WithAll(rest).Encode()
}

// responsesItems writes the items of a message. A message with only calls has no item of its own.
func responsesItems(m *Message) []json.RawMessage {
	switch m.Role {
	case RoleReasoning:
		return []json.RawMessage{reasoningItem(m)}
	case RoleTool:
		return []json.RawMessage{callOutput(m)}
	}
	var items []json.RawMessage
	if alone := len(m.Content) > 0 && !slices.ContainsFunc(m.Content, func(b Block) bool { return !isItem(&b) }); !alone {
		o := ofType("message")
		if m.Role != "" {
			o = o.With("role", rawjson.Quote(m.Role))
		}
		items = append(items, o.WithRaw("content", responsesContent(m)).WithAll(m.Extras).Encode())
	}
	calls := 0
	for i := 0; i < len(m.Content); i++ {
		b := &m.Content[i]
		if !isItem(b) {
			continue
		}
		var result *Block
		if b.Type == BlockServerToolCall && i+1 < len(m.Content) && m.Content[i+1].Type == BlockServerToolResult {
			i++
			result = &m.Content[i]
		}
		extras := b.Extras
		if b.Type == BlockToolCall && isIndex(extras["index"], calls) {
			extras = extras.Without("index")
		}
		items = append(items, callItem(b, extras, result))
		if calls++; result != nil {
			calls++
		}
	}
	return items
}

// isItem says whether a block is a separate item, and not a part of the message's item.
func isItem(b *Block) bool { return isCall(b) || blockFields[b.Type] == nil }

// responsesContent writes the parts of the content; nil if there is no content.
func responsesContent(m *Message) json.RawMessage {
	if m.Content == nil {
		return nil
	}
	parts := make([]json.RawMessage, 0, len(m.Content))
	for i := range m.Content {
		if b := &m.Content[i]; !isItem(b) {
			parts = append(parts, responsesPart(b, m.Role))
		}
	}
	return rawjson.EncodeArray(parts)
}

// responsesPart writes a part of a message with a role.
func responsesPart(b *Block, role string) json.RawMessage {
	switch {
	case isRefusal(b) || b.Type == BlockAudio:
		return buildPart(b)
	case b.Type == BlockText && role == RoleAssistant:
		return ofType("output_text").WithText("text", b.Text).WithRaw("annotations", b.Annotations).WithAll(b.Extras).Encode()
	case b.Type == BlockText:
		return ofType("input_text").WithText("text", b.Text).WithRaw("annotations", b.Annotations).WithAll(b.Extras).Encode()
	case b.Type == BlockImage:
		return ofType("input_image").WithText("image_url", address(b)).WithText("file_id", b.ID).WithAll(b.Extras).Encode()
	}
	var data *string
	if b.Base64 != nil {
		data = address(b)
	}
	return ofType("input_file").WithText("file_data", data).WithText("file_url", b.URL).WithText("file_id", b.ID).WithAll(b.Extras).Encode()
}

func reasoningItem(m *Message) json.RawMessage {
	summary, content := []json.RawMessage{}, []json.RawMessage{}
	for i := range m.Content {
		b := &m.Content[i]
		kind := b.kind(summaryText)
		entry := ofType(kind).WithText("text", b.Text).WithAll(b.Extras.Without(keyType)).Encode()
		if kind == reasoningText {
			content = append(content, entry)
		} else {
			summary = append(summary, entry)
		}
	}
	o := ofType("reasoning").With("summary", rawjson.EncodeArray(summary))
	if len(content) > 0 {
		o = o.With("content", rawjson.EncodeArray(content))
	}
	return o.WithAll(m.Extras).Encode()
}

// callOutput writes the answer of a tool, whose output is a string if it is one text.
func callOutput(m *Message) json.RawMessage {
	kind, extras := functionCallOutput, m.Extras
	if text, ok := rawjson.ReadString(extras[keyType]); ok {
		kind, extras = text, extras.Without(keyType)
	}
	output := responsesContent(m)
	if len(m.Content) == 1 && isPlainText(&m.Content[0]) && m.Content[0].Annotations == nil {
		output = rawjson.Quote(*m.Content[0].Text)
	}
	return ofType(kind).WithText("call_id", m.ToolCallID).WithRaw("output", output).WithAll(extras).Encode()
}

// callItem writes the item of a block, with the result that follows it if there is one.
func callItem(b *Block, extras Extras, result *Block) json.RawMessage {
	if !isCall(b) {
		return ofType(b.Type).WithAll(extras).Encode()
	}
	kind := b.kind(kindFunctionCall)
	extras = extras.Without(keyType)
	o := ofType(kind)
	call, server := serverCalls[kind]
	switch {
	case kind == kindFunctionCall:
		o = o.WithText("call_id", b.ID).WithText("name", b.Name).WithRaw("arguments", argumentsText(b))
	case kind == kindMCPCall:
		o = o.WithText("id", b.ID).WithText("name", b.Name).WithRaw("arguments", argumentsText(b))
	case kind == kindCustomCall:
		o = o.WithText("call_id", b.ID).WithText("name", b.Name)
	case !server:
		o = o.WithText("call_id", b.ID).WithRaw(clientCalls[kind], b.Args)
	case call.whole != "":
		o = o.WithText("id", b.ID).WithRaw(call.whole, b.Args)
	default:
		args, _ := rawjson.ReadObject(b.Args)
		o = append(o.WithText("id", b.ID), args...)
	}
	if result != nil {
		key := call.result
		if isError(result) {
			key = keyError
		}
		o, extras = o.WithRaw(key, result.Output), extras.Without(key)
	}
	return o.WithAll(extras).Encode()
}

// userItems are the items, besides messages and tool answers, that clients send and models don't.
var userItems = []string{"item_reference", "mcp_approval_response"}

// verbatimItems are the items without a counterpart that other formats contain as blocks of the same type.
var verbatimItems = append([]string{"mcp_list_tools", "mcp_approval_request", "compaction"}, userItems...)

func isVerbatimItem(b *Block) bool { return slices.Contains(verbatimItems, b.Type) }
