package responses

import (
	"encoding/json"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/convert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/part"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// ownKeys are the members of requests and answers beside the items.
var ownKeys = []string{
	"background", "completed_at", "conversation", "created_at", "error", "include", "incomplete_details", "instructions",
	"max_output_tokens", "max_tool_calls", "metadata", "model_name", "object", "parallel_tool_calls", "previous_response_id",
	"prompt", "prompt_cache_key", "prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "status",
	"store", "stream_options", "text", "tool_choice", "tools", "top_logprobs", "truncation", "usage", "user",
}

// Target converts to the input of a request or the output of an answer.
var Target = &convert.Target{
	Format: document.FormatResponses,
	Written: func(d *document.Document) []string {
		keys := convert.WrittenKeys(d, ownKeys, sharedKeys)
		if d.Side == document.Inputs && rawjson.IsString(d.Extras["instructions"]) { // They would be read as a message.
			return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "instructions" })
		}
		return keys
	},
	Items:     true,
	Block:     func(*document.Block) []string { return []string{"id", "status", "logprobs", "index"} },
	Reasoning: (*convert.Prepared).SplitReasoning,
	Lose:      lose,
	Write:     write,
}

// sharedKeys have the same meaning in this format and in the formats of other providers.
var sharedKeys = []string{"id", "model", "temperature", "top_p", "stream", "usage_metadata"}

func write(p *convert.Prepared, rest document.Extras) []byte {
	key := "input"
	if p.Side == document.Outputs {
		key = "output"
	}
	items := []json.RawMessage{}
	o := make(rawjson.Object, 0, len(rest)+2)
	for i := range p.Messages {
		items = append(items, writeItems(&p.Messages[i])...)
		if p.Side == document.Outputs {
			o = o.WithRaw("usage_metadata", p.Messages[i].UsageMetadata)
		}
	}
	return o.With(key, rawjson.EncodeArray(items)).WithAll(rest).Encode()
}

// writeItems writes the items of a message. A message with only calls has no item of its own.
func writeItems(m *document.Message) []json.RawMessage {
	switch m.Role {
	case document.RoleReasoning:
		return []json.RawMessage{reasoningItem(m)}
	case document.RoleTool:
		return []json.RawMessage{callOutput(m)}
	}
	var items []json.RawMessage
	if alone := len(m.Content) > 0 && !slices.ContainsFunc(m.Content, func(b document.Block) bool { return !isItem(&b) }); !alone {
		o := convert.OfType("message")
		if m.Role != "" {
			o = o.With("role", rawjson.Quote(m.Role))
		}
		items = append(items, o.WithRaw("content", writeContent(m)).WithAll(m.Extras).Encode())
	}
	calls := 0
	for i := 0; i < len(m.Content); i++ {
		b := &m.Content[i]
		if !isItem(b) {
			continue
		}
		var result *document.Block
		if b.Type == document.BlockServerToolCall && i+1 < len(m.Content) && m.Content[i+1].Type == document.BlockServerToolResult {
			i++
			result = &m.Content[i]
		}
		extras := b.Extras
		if b.Type == document.BlockToolCall && convert.IsIndex(extras["index"], calls) {
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
func isItem(b *document.Block) bool { return document.IsCall(b) || part.BlockFields[b.Type] == nil }

// writeContent writes the parts of the content; nil if there is no content.
func writeContent(m *document.Message) json.RawMessage {
	if m.Content == nil {
		return nil
	}
	parts := make([]json.RawMessage, 0, len(m.Content))
	for i := range m.Content {
		if b := &m.Content[i]; !isItem(b) {
			parts = append(parts, writePart(b, m.Role))
		}
	}
	return rawjson.EncodeArray(parts)
}

// writePart writes a part of a message with a role.
func writePart(b *document.Block, role string) json.RawMessage {
	switch {
	case convert.IsRefusal(b) || b.Type == document.BlockAudio:
		return convert.WritePart(b)
	case b.Type == document.BlockText && role == document.RoleAssistant:
		return convert.OfType("output_text").WithText("text", b.Text).WithRaw("annotations", b.Annotations).WithAll(b.Extras).Encode()
	case b.Type == document.BlockText:
		return convert.OfType("input_text").WithText("text", b.Text).WithRaw("annotations", b.Annotations).WithAll(b.Extras).Encode()
	case b.Type == document.BlockImage:
		return convert.OfType("input_image").WithText("image_url", convert.Address(b)).WithText("file_id", b.ID).WithAll(b.Extras).Encode()
	}
	var data *string
	if b.Base64 != nil {
		data = convert.Address(b)
	}
	return convert.OfType("input_file").WithText("file_data", data).WithText("file_url", b.URL).WithText("file_id", b.ID).WithAll(b.Extras).Encode()
}

func reasoningItem(m *document.Message) json.RawMessage {
	summary, content := []json.RawMessage{}, []json.RawMessage{}
	for i := range m.Content {
		b := &m.Content[i]
		kind := b.Kind(part.SummaryText)
		entry := convert.OfType(kind).WithText("text", b.Text).WithAll(b.Extras.Without(document.KeyType)).Encode()
		if kind == part.ReasoningText {
			content = append(content, entry)
		} else {
			summary = append(summary, entry)
		}
	}
	o := convert.OfType("reasoning").With("summary", rawjson.EncodeArray(summary))
	if len(content) > 0 {
		o = o.With("content", rawjson.EncodeArray(content))
	}
	return o.WithAll(m.Extras).Encode()
}

// callOutput writes the answer of a tool, whose output is a string if it is one text.
func callOutput(m *document.Message) json.RawMessage {
	kind, extras := functionCallOutput, m.Extras
	if text, ok := rawjson.ReadString(extras[document.KeyType]); ok {
		kind, extras = text, extras.Without(document.KeyType)
	}
	output := writeContent(m)
	if len(m.Content) == 1 && document.IsPlainText(&m.Content[0]) && m.Content[0].Annotations == nil {
		output = rawjson.Quote(*m.Content[0].Text)
	}
	return convert.OfType(kind).WithText("call_id", m.ToolCallID).WithRaw("output", output).WithAll(extras).Encode()
}

// callItem writes the item of a block, with the result that follows it if there is one.
func callItem(b *document.Block, extras document.Extras, result *document.Block) json.RawMessage {
	if !document.IsCall(b) {
		return convert.OfType(b.Type).WithAll(extras).Encode()
	}
	kind := b.Kind(part.KindFunctionCall)
	extras = extras.Without(document.KeyType)
	o := convert.OfType(kind)
	call, server := part.ServerCalls[kind]
	switch {
	case kind == part.KindFunctionCall:
		o = o.WithText("call_id", b.ID).WithText("name", b.Name).WithRaw("arguments", convert.ArgumentsText(b))
	case kind == part.KindMCPCall:
		o = o.WithText("id", b.ID).WithText("name", b.Name).WithRaw("arguments", convert.ArgumentsText(b))
	case kind == part.KindCustomCall:
		o = o.WithText("call_id", b.ID).WithText("name", b.Name)
	case !server:
		o = o.WithText("call_id", b.ID).WithRaw(part.ClientCalls[kind], b.Args)
	case call.Whole != "":
		o = o.WithText("id", b.ID).WithRaw(call.Whole, b.Args)
	default:
		args, _ := rawjson.ReadObject(b.Args)
		o = append(o.WithText("id", b.ID), args...)
	}
	if result != nil {
		key := call.Result
		if part.IsError(result) {
			key = part.KeyError
		}
		o, extras = o.WithRaw(key, result.Output), extras.Without(key)
	}
	return o.WithAll(extras).Encode()
}

// userItems are the items, besides messages and tool answers, that clients send and models don't.
var userItems = []string{"item_reference", "mcp_approval_response"}

// verbatimItems are the items without a counterpart that other formats contain as blocks of the same type.
var verbatimItems = append([]string{"mcp_list_tools", "mcp_approval_request", "compaction"}, userItems...)

func isVerbatimItem(b *document.Block) bool { return slices.Contains(verbatimItems, b.Type) }
