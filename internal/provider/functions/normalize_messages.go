package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
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

// NewNormalizeMessages writes messages of any format in the native one.
func NewNormalizeMessages() function.Function {
	return spec{name: "normalize_messages", run: normalizeMessages, definition: function.Definition{
		Summary: "Converts messages of any known format to the native one",
		MarkdownDescription: "Returns the messages of the inputs or outputs of a run in any known format: an object with " +
			"the `format`, whether it is `recognized`, the `messages`, and `json`, everything in the native format. The " +
			"guide [Message formats](../guides/message-formats.md) lists the formats.\n\n" +
			"A message has a `role`, a `text` (all text blocks, joined without a separator), a `tool_call_id`, and `content`, a list " +
			"of blocks. A block has a `type`, and those of `text`, `url`, `base64`, `id`, `mime_type`, `name`, " +
			"`args_json`, `tool_call_id`, `status` and `output_json` that belong to its type; the others are null. Data " +
			"without a place in the native format is in `extras` of `json`.",
		Parameters:        []function.Parameter{messagesParameter()},
		VariadicParameter: optionsParameter(""),
		Return:            function.ObjectReturn{AttributeTypes: documentTypes},
	}}
}

func normalizeMessages(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError) {
	var text string
	var given types.Tuple
	if failed := arguments.Get(ctx, &text, &given); failed != nil {
		return nil, failed
	}
	options, failed := readOptions(given, 1)
	if failed != nil {
		return nil, failed
	}
	d, failed := options.readDocument(text)
	if failed != nil {
		return nil, failed
	}
	return types.ObjectValueMust(documentTypes, map[string]attr.Value{
		"format":     types.StringValue(string(d.Format)),
		"recognized": types.BoolValue(d.Format != document.FormatUnrecognized),
		"json":       types.StringValue(string(d.Native())),
		"messages":   newMessageList(d.Messages),
	}), nil
}
