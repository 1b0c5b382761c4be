package functions

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
)

var (
	blockType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"type": types.StringType, "text": types.StringType, "url": types.StringType, "base64": types.StringType,
		"id": types.StringType, "mime_type": types.StringType, "name": types.StringType, "args_json": types.StringType,
		"tool_call_id": types.StringType, "status": types.StringType, "output_json": types.StringType,
	}}
	messageType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"role": types.StringType, "text": types.StringType, "tool_call_id": types.StringType,
		"content": types.ListType{ElemType: blockType},
	}}
	documentTypes = map[string]attr.Type{
		"format": types.StringType, "recognized": types.BoolType, "json": types.StringType,
		"messages": types.ListType{ElemType: messageType},
	}
)

type normalizeMessages struct{}

// NewNormalizeMessages writes messages of any format in the native one.
func NewNormalizeMessages() function.Function { return normalizeMessages{} }

func (normalizeMessages) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "normalize_messages"
}

func (normalizeMessages) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Reads messages of any format",
		MarkdownDescription: "Returns the messages of the inputs or outputs of a run, whatever format they are in: an object with " +
			"the `format`, whether it is `recognized`, the `messages`, and `json`, the whole in the native format. The guide " +
			"[Message formats](../guides/message-formats.md) lists the formats.\n\nA message has a `role`, its `text` " +
			"(that of all text blocks, a line each), a `tool_call_id`, and its `content`, a list of blocks. A block has a `type`, " +
			"and of `text`, `url`, `base64`, `id`, `mime_type`, `name`, `args_json`, `tool_call_id`, `status` and `output_json` " +
			"what belongs to its type; the rest is null. What the native format has no place for is in `extras` of `json`.",
		Parameters:        []function.Parameter{messagesParameter()},
		VariadicParameter: sideParameter(),
		Return:            function.ObjectReturn{AttributeTypes: documentTypes},
	}
}

func (normalizeMessages) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var sides []string
	if resp.Error = req.Arguments.Get(ctx, &text, &sides); resp.Error != nil {
		return
	}
	given, failed := readDocument(text, sides, 1)
	if failed != nil {
		resp.Error = failed
		return
	}
	document, failed := given.normalized()
	if failed != nil {
		resp.Error = failed
		return
	}
	messages := make([]attr.Value, len(document.Messages))
	for i, message := range document.Messages {
		messages[i] = messageValue(message)
	}
	answer(ctx, resp, documentTypes, map[string]attr.Value{
		"format":     types.StringValue(string(document.Format)),
		"recognized": types.BoolValue(document.Format != message.FormatUnrecognized),
		"json":       types.StringValue(string(document.Native())),
		"messages":   types.ListValueMust(messageType, messages),
	})
}

func messageValue(m message.Message) attr.Value {
	content, texts := make([]attr.Value, len(m.Content)), []string{}
	for i, block := range m.Content {
		content[i] = blockValue(block)
		if block.Type == message.BlockText && block.Text != nil {
			texts = append(texts, *block.Text)
		}
	}
	return types.ObjectValueMust(messageType.AttrTypes, map[string]attr.Value{
		"role": textOrNull(m.Role), "text": types.StringValue(strings.Join(texts, "\n")),
		"tool_call_id": types.StringPointerValue(m.ToolCallID), "content": types.ListValueMust(blockType, content),
	})
}

func blockValue(b message.Block) attr.Value {
	return types.ObjectValueMust(blockType.AttrTypes, map[string]attr.Value{
		"type": textOrNull(b.Type), "text": types.StringPointerValue(b.Text), "url": types.StringPointerValue(b.URL),
		"base64": types.StringPointerValue(b.Base64), "id": types.StringPointerValue(b.ID),
		"mime_type": types.StringPointerValue(b.MimeType), "name": types.StringPointerValue(b.Name),
		"args_json": rawOrNull(b.Args), "tool_call_id": types.StringPointerValue(b.ToolCallID),
		"status": types.StringPointerValue(b.Status), "output_json": rawOrNull(b.Output),
	})
}

func rawOrNull(raw json.RawMessage) types.String {
	if raw == nil {
		return types.StringNull()
	}
	return types.StringValue(string(raw))
}
