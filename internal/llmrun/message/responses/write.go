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

// Target converts to the input of a request or the output of an answer.
var Target = &convert.Target{
	Format: document.FormatResponses,
	Written: func(d *document.Document) []string {
		keys := convert.WrittenKeys(document.FormatResponses)(d)
		if d.Side == document.Inputs && rawjson.IsString(d.Extras["instructions"]) { // They would be read as a message.
			return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "instructions" })
		}
		return keys
	},
	Shape:     writeSetting,
	Roles:     []string{"", document.RoleSystem, document.RoleReasoning, document.RoleUser, document.RoleAssistant, document.RoleTool},
	Extras:    extrasOf,
	Form:      formOf,
	Prepare:   func(*convert.Prepared) {},
	Reasoning: (*convert.Prepared).SplitReasoning,
	Write:     write,
	Read:      Read,
	Has:       Has,
}

var messageExtras = map[string][]string{
	document.RoleReasoning: {"id", "status", "encrypted_content"},
	document.RoleTool:      {"id", "status"},
}

func extrasOf(_ *convert.Prepared, m *document.Message) []string {
	known, ok := messageExtras[m.Role]
	if !ok && !hasOnlyItems(m) {
		known = []string{"id", "status", "phase"}
	}
	kind, _ := rawjson.ReadString(m.Extras[document.KeyType])
	if m.Role == document.RoleTool && strings.HasSuffix(kind, suffixCallOutput) && kind != functionCallOutput {
		known = append(slices.Clip(known), document.KeyType)
	}
	return known
}

// forms are those of parts and of texts of reasoning.
var forms = convert.Forms{
	document.BlockText: {
		convert.Refusal, {Kind: "output_text", Is: convert.IsAnswer, Members: textMembers, Extras: []string{"logprobs"}},
		{Kind: "input_text", Members: textMembers},
	},
	document.BlockReasoning: {
		{Kind: part.ReasoningText, Kept: true, Members: textMembers[:2]}, {Kind: part.SummaryText, Members: textMembers[:2]},
	},
	document.BlockImage: {
		{Kind: kindScreenshot, Kept: true, Is: isOutput, Members: imageMembers, Extras: []string{"detail"}},
		{Kind: "input_image", Members: imageMembers, Extras: []string{"detail"}},
	},
	document.BlockAudio: {convert.InputAudio},
	document.BlockFile:  {{Kind: "input_file", Members: fileMembers, Extras: []string{"filename"}}},
}

var (
	textMembers  = []string{"text", "text", "annotations", "annotations"}
	imageMembers = []string{"image_url", "address", "file_id", "id"}
	fileMembers  = []string{"file_data", "data", "file_url", "url", "file_id", "id"}
)

// isOutput reports whether a block is the whole output of a call.
func isOutput(m *document.Message, _ *document.Block) bool {
	return m.Role == document.RoleTool && len(m.Content) == 1
}

func formOf(m *document.Message, b *document.Block) *convert.Form {
	switch {
	case slices.Contains(verbatimItems, b.Type):
		return &convert.Form{Kind: b.Type, Extras: slices.Sorted(maps.Keys(b.Extras.Without(document.KeyType)))}
	case document.IsCall(b):
		return itemForm(m, b)
	default:
		return forms.Of(m, b)
	}
}

// itemTypes are the types of items with calls, or with results of a provider's tools, and itemExtras their members that are extras.
var (
	itemTypes = []string{
		part.KindFunctionCall, "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call", "web_search_call",
		"file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call", "mcp_approval_request", "tool_search_call",
		"tool_search_output", "program", "program_output",
	}
	itemExtras = []string{"id", "status", "execution", "fingerprint", "server_label", "approval_request_id", "container_id"}
)

// itemForm returns the form of an item for a call, or for the result of a provider's tool. Arguments that can't be read are extras.
func itemForm(m *document.Message, b *document.Block) *convert.Form {
	kind := b.Kind(part.KindFunctionCall)
	switch item := part.ItemOf(kind, b.Args); {
	case !convert.IsAnswer(m, b):
		return nil
	case b.Type == document.BlockServerToolResult && !slices.Contains(itemTypes, b.Kind("")): // Its item is that of the call.
		return &convert.Form{Kind: kind, Extras: []string{part.KeyError}}
	case !slices.Contains(itemTypes, kind):
		return nil
	default:
		f := &convert.Form{Kind: kind, Members: item.Members, Extras: append(slices.Clip(itemExtras), item.Members[len(item.Members)-2])}
		if item.Spread {
			f.Inner = argumentsOf
		}
		return f
	}
}

// argumentsOf returns arguments that are members of their item.
func argumentsOf(b *document.Block) rawjson.Object {
	args, _ := rawjson.ReadObject(b.Args)
	return args
}

// writeSetting writes a setting. A function must have all members, and without strict, the service tries to be strict.
func writeSetting(setting string, value json.RawMessage) (shaped json.RawMessage, dropped []string, reason string) {
	o, _ := rawjson.ReadObject(value)
	if kind, _ := o.Text("type"); setting != convert.Tools || kind != part.KeyFunction {
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
	if said := *m; !hasOnlyItems(m) {
		said.Content = contentOf(m)
		o := rawjson.Typed("message").WithName("role", m.Role).WithRaw("content", writeContent(&said))
		items = append(items, o.WithAll(m.Extras).Encode())
	}
	for i := 0; i < len(m.Content); i++ {
		b := &m.Content[i]
		if !isItem(b) {
			continue
		}
		item := formOf(m, b).Write(b)
		if i+1 < len(m.Content) && isResultOf(b, &m.Content[i+1]) {
			i++
			key, result := part.ItemOf(b.Kind(""), nil).Result, &m.Content[i]
			if string(result.Extras[part.KeyError]) == "true" {
				key = part.KeyError
			}
			value := result.Output
			if result.Base64 != nil {
				value = rawjson.Quote(*result.Base64)
			}
			item = append(slices.DeleteFunc(item, func(m rawjson.Member) bool { return m.Key == key }), rawjson.Member{Key: key, Value: value})
		}
		items = append(items, item.Encode())
	}
	return items
}

// isResultOf reports whether a block is the result of the call before it, and has a place in the call's item.
func isResultOf(call, b *document.Block) bool {
	item := part.ItemOf(call.Kind(""), nil)
	isResult := b.Type == document.BlockServerToolResult && !slices.Contains(itemTypes, b.Kind("")) && !rawjson.IsNullOrAbsent(b.Output) &&
		b.ToolCallID != nil && call.ID != nil && *b.ToolCallID == *call.ID
	return call.Type == document.BlockServerToolCall && item.Result != "" && (isResult || b.Type == item.ResultType && b.Base64 != nil)
}

// isItem reports whether a block is a separate item, and not a part of the message's item.
func isItem(b *document.Block) bool { return document.IsCall(b) || part.BlockFields[b.Type] == nil }

func hasOnlyItems(m *document.Message) bool { return len(m.Content) > 0 && len(contentOf(m)) == 0 }

// contentOf returns the blocks of a message that are neither items nor results in the items of their calls.
func contentOf(m *document.Message) []document.Block {
	content := m.Content[:0:0]
	for i := range m.Content {
		if b := &m.Content[i]; !isItem(b) && (i == 0 || !isResultOf(&m.Content[i-1], b)) {
			content = append(content, *b)
		}
	}
	return content
}

// writeContent writes the parts of the content; nil if there is no content.
func writeContent(m *document.Message) json.RawMessage {
	if m.Content == nil {
		return nil
	}
	parts := make([]json.RawMessage, 0, len(m.Content))
	for i := range m.Content {
		if b := &m.Content[i]; !isItem(b) {
			parts = append(parts, formOf(m, b).Write(b).Encode())
		}
	}
	return rawjson.EncodeArray(parts)
}

func reasoningItem(m *document.Message) json.RawMessage {
	summary, content := []json.RawMessage{}, []json.RawMessage{}
	for i := range m.Content {
		b := &m.Content[i]
		kind := b.Kind(part.SummaryText)
		entry := formOf(m, b).Write(b).Encode()
		if kind == part.ReasoningText {
			content = append(content, entry)
		} else {
			summary = append(summary, entry)
		}
	}
	o := rawjson.Typed("reasoning").With("summary", rawjson.EncodeArray(summary))
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
			output = formOf(m, b).Write(b).Encode()
		}
	}
	return rawjson.Typed(kind).WithText(id, m.ToolCallID).WithRaw("output", output).WithAll(extras).Encode()
}

// isCommandOutput reports whether an answer has the JSON of what commands have written.
func isCommandOutput(m *document.Message) bool {
	kind, _ := rawjson.ReadString(m.Extras[document.KeyType])
	b := &m.Content[0]
	return kind == shellOutput && document.IsPlainText(b) && json.Valid([]byte(*b.Text)) && rawjson.IsArray([]byte(*b.Text))
}

// userItems are the items, besides messages and tool answers, that clients send and models don't.
var userItems = []string{"item_reference", "mcp_approval_response"}

// kindScreenshot is the type of the only part that is the whole output of a call.
const kindScreenshot = "computer_screenshot"

// verbatimItems are the items without a counterpart that other formats contain as blocks of the same type.
var verbatimItems = append([]string{"mcp_list_tools", "compaction"}, userItems...)
