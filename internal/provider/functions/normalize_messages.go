package functions

import (
	"context"

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
	document, failed := readDocument(text, sides, 1)
	if failed != nil {
		resp.Error = failed
		return
	}
	answer(ctx, resp, documentTypes, map[string]attr.Value{
		"format":     types.StringValue(string(document.Format)),
		"recognized": types.BoolValue(document.Format != message.FormatUnrecognized),
		"json":       types.StringValue(string(document.Native())),
		"messages":   newMessageList(document.Messages),
	})
}
