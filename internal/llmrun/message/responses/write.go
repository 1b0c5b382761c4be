package responses

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

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
		keys := convert.WrittenKeys(d, ownKeys)
		if d.Side == document.Inputs && rawjson.IsString(d.Extras["instructions"]) { // They would be read as a message.
			return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "instructions" })
		}
		return keys
	},
	Request: convert.Request{
		Names: map[convert.Setting]string{
			convert.Tools: "tools", convert.ToolChoice: "tool_choice", convert.Parallel: "parallel_tool_calls", convert.MaxTokens: "max_output_tokens",
			convert.ResponseFormat: "text/format", convert.Effort: "reasoning/effort", convert.Verbosity: "text/verbosity",
		},
		Shape: writeSetting,
	},
	Roles:     []string{"", document.RoleSystem, document.RoleReasoning, document.RoleUser, document.RoleAssistant, document.RoleTool},
	Extras:    extrasOf,
	Prepare:   func(*convert.Prepared) {},
	Reasoning: (*convert.Prepared).SplitReasoning,
	Write:     write,
	Read:      Read,
	Has:       Has,
}

// messageExtras are the extras of messages by role.
var messageExtras = map[string][]string{
	document.RoleReasoning: {"id", "status", "encrypted_content"},
	document.RoleTool:      {"id", "status"},
}

// extrasOf returns the extras of a message or a block.
func extrasOf(_ *convert.Prepared, m *document.Message, b *document.Block) ([]string, bool) {
	if b != nil {
		return blockExtras(m, b)
	}
	known, ok := messageExtras[m.Role]
	if alone := len(m.Content) > 0 && !slices.ContainsFunc(m.Content, func(b document.Block) bool { return !isItem(&b) }); !ok && !alone {
		known = []string{"id", "status", "phase"}
	}
	kind, _ := rawjson.ReadString(m.Extras[document.KeyType])
	if m.Role == document.RoleTool && strings.HasSuffix(kind, suffixCallOutput) && kind != functionCallOutput {
		known = append(slices.Clip(known), document.KeyType)
	}
	return known, true
}

// callExtras are the extras of calls by the type of their item, other than those of a tool of the provider.
var callExtras = map[string][]string{
	"":                  {"id", "status", "arguments"},
	part.KindCustomCall: {"id", "status", document.KeyType, "input"},
	"tool_search_call":  {"id", "status", document.KeyType, "container_id", "execution", "fingerprint"},
	"program":           {"id", "status", document.KeyType, "container_id", "execution", "fingerprint"},
}

func blockExtras(m *document.Message, b *document.Block) ([]string, bool) {
	kind := b.Kind("")
	call, server := part.ServerCalls[kind]
	switch {
	case slices.Contains(verbatimItems, b.Type):
		return slices.Sorted(maps.Keys(b.Extras.Without(document.KeyType))), true
	case document.IsCall(b) && (m.Role != document.RoleAssistant || call.Foreign):
		return nil, false
	case b.Type == document.BlockServerToolResult && part.ServerResults[kind] != "":
		return []string{document.KeyType, "id", "status", "execution"}, true
	case b.Type == document.BlockServerToolResult:
		return []string{part.KeyError}, true
	case document.IsCall(b) && callExtras[kind] != nil:
		return callExtras[kind], true
	case document.IsCall(b) && server && call.Named:
		return []string{"status", document.KeyType, "server_label", "approval_request_id"}, true
	case document.IsCall(b) && server:
		return []string{"status", document.KeyType, "container_id"}, true
	case document.IsCall(b):
		return []string{"id", "status", document.KeyType}, part.ClientCalls[kind] != ""
	}
	return partExtras(m, b)
}

func partExtras(m *document.Message, b *document.Block) ([]string, bool) {
	switch {
	case b.Type == document.BlockReasoning && b.Kind("") == part.ReasoningText:
		return []string{document.KeyType}, true
	case b.Type == document.BlockText && convert.IsRefusal(b):
		return []string{part.KeepRefusal}, true
	case b.Type == document.BlockText && m.Role == document.RoleAssistant:
		return []string{"logprobs"}, true
	case b.Type == document.BlockImage && b.Kind("") == kindScreenshot && m.Role == document.RoleTool && len(m.Content) == 1:
		return []string{"detail", document.KeyType}, true
	case b.Type == document.BlockImage:
		return []string{"detail"}, true
	case b.Type == document.BlockFile:
		return []string{"filename"}, true
	case b.Type == document.BlockAudio:
		return []string{convert.MediaParts[b.Type]}, true
	default:
		return nil, b.Type == document.BlockText || b.Type == document.BlockReasoning
	}
}

// writeSetting writes a setting. A function must have all members, and without strict, the service tries to be strict.
func writeSetting(s convert.Setting, value json.RawMessage) (shaped json.RawMessage, dropped []string, reason string) {
	o, _ := rawjson.ReadObject(value)
	if kind, _ := o.Text("type"); s != convert.Tools || kind != part.KeyFunction {
		return value, nil, ""
	}
	if !o.Has("parameters") {
		o = o.With("parameters", json.RawMessage("null"))
	}
	if !o.Has("strict") {
		o = o.With("strict", json.RawMessage("false"))
	}
	return o.Encode(), nil, ""
}

func write(p *convert.Prepared, rest document.Extras) []byte {
	key := "input"
	if p.Side == document.Outputs {
		key = "output"
	}
	items := []json.RawMessage{}
	for i := range p.Messages {
		items = append(items, writeItems(&p.Messages[i])...)
		if usage := p.Messages[i].UsageMetadata; p.Side == document.Outputs && usage != nil {
			rest.Put("usage_metadata", usage)
		}
	}
	return rawjson.Of(key, rawjson.EncodeArray(items)).WithAll(rest).Encode()
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
	for i := 0; i < len(m.Content); i++ {
		b := &m.Content[i]
		if !isItem(b) {
			continue
		}
		var result *document.Block
		if i+1 < len(m.Content) && isResultOf(b, &m.Content[i+1]) {
			i++
			result = &m.Content[i]
		}
		items = append(items, callItem(b, result))
	}
	return items
}

// isResultOf says whether a block is the result of the call before it, and has a place in the call's item.
func isResultOf(call, b *document.Block) bool {
	return call.Type == document.BlockServerToolCall && b.Type == document.BlockServerToolResult && part.ServerResults[b.Kind("")] == "" &&
		part.ServerCalls[call.Kind("")].Result != "" && !rawjson.IsNullOrAbsent(b.Output) &&
		b.ToolCallID != nil && call.ID != nil && *b.ToolCallID == *call.ID
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
		return convert.OfType(b.Kind("input_image")).WithText("image_url", convert.Address(b)).WithText("file_id", b.ID).
			WithAll(b.Extras.Without(document.KeyType)).Encode()
	}
	return convert.OfType("input_file").WithText("file_data", convert.DataURL(b)).WithText("file_url", b.URL).WithText("file_id", b.ID).WithAll(b.Extras).Encode()
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
	kind, extras, id := functionCallOutput, m.Extras, "call_id"
	if text, ok := rawjson.ReadString(extras[document.KeyType]); ok {
		kind, extras = text, extras.Without(document.KeyType)
	}
	if kind == localShellOutput {
		id = "id"
	}
	output := writeContent(m)
	if len(m.Content) == 1 {
		switch b := &m.Content[0]; {
		case isCommandOutput(m):
			output = json.RawMessage(*b.Text)
		case document.IsPlainText(b) && b.Annotations == nil:
			output = rawjson.Quote(*b.Text)
		case b.Kind("") == kindScreenshot:
			output = writePart(b, m.Role)
		}
	}
	return convert.OfType(kind).WithText(id, m.ToolCallID).WithRaw("output", output).WithAll(extras).Encode()
}

// isCommandOutput says whether an answer has the JSON of what commands have written.
func isCommandOutput(m *document.Message) bool {
	kind, _ := rawjson.ReadString(m.Extras[document.KeyType])
	b := &m.Content[0]
	return kind == shellOutput && document.IsPlainText(b) && json.Valid([]byte(*b.Text)) && rawjson.IsArray([]byte(*b.Text))
}

// callItem writes the item of a block, with the result that follows it if there is one.
func callItem(b, result *document.Block) json.RawMessage {
	if !document.IsCall(b) {
		return convert.OfType(b.Type).WithAll(b.Extras).Encode()
	}
	kind := b.Kind(part.KindFunctionCall)
	extras := b.Extras.Without(document.KeyType)
	o := convert.OfType(kind)
	call, server := part.ServerCalls[kind]
	switch {
	case kind == part.KindFunctionCall:
		o = o.WithText("call_id", b.ID).WithText("name", b.Name).WithRaw("arguments", convert.ArgumentsText(b))
	case part.ServerResults[kind] != "":
		o = o.WithText("call_id", b.ToolCallID).WithRaw(part.ServerResults[kind], b.Output)
	case call.Named:
		o = o.WithText(call.ID, b.ID).WithText("name", b.Name).WithRaw("arguments", convert.ArgumentsText(b))
	case kind == part.KindCustomCall:
		input, _ := b.FreeInput()
		o = o.WithText("call_id", b.ID).WithText("name", b.Name).WithRaw("input", input)
	case !server:
		o = o.WithText("call_id", b.ID).WithRaw(part.ClientCalls[kind], b.Args)
	case call.Whole != "":
		o = o.WithText(call.ID, b.ID).WithRaw(call.Whole, b.Args)
	default:
		args, _ := rawjson.ReadObject(b.Args)
		o = append(o.WithText(call.ID, b.ID), args...)
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

// kindScreenshot is the type of the only part that is the whole output of a call.
const kindScreenshot = "computer_screenshot"

// verbatimItems are the items without a counterpart that other formats contain as blocks of the same type.
var verbatimItems = append([]string{"mcp_list_tools", "compaction"}, userItems...)
