package functions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// formats are those that messages can be written in.
var formats = []document.Format{document.FormatNative, document.FormatChatCompletions, document.FormatMessages, document.FormatResponses}

var convertedTypes = map[string]attr.Type{"json": types.StringType, "dropped": types.ListType{ElemType: types.StringType}}

// NewConvertMessages writes messages in another format.
func NewConvertMessages() function.Function {
	return spec{name: "convert_messages", run: convertMessages, definition: function.Definition{
		Summary: "Converts messages to another format",
		MarkdownDescription: "Returns the inputs or outputs of a run in another format: an object with the `json` and " +
			"the list `dropped`. The function fails if content would be lost, unless the conversion is `lossy`. Other data " +
			"that the target format doesn't have, such as the time of a response, is omitted; `dropped` lists it by JSON " +
			"pointers in the native format that `normalize_messages` returns.\n\n" +
			"Requests keep their settings: the definitions of tools, the choice of a tool, the limit of tokens and others " +
			"are converted too. The guide [Message formats](../guides/message-formats.md) lists them.",
		Parameters: []function.Parameter{messagesParameter(), function.StringParameter{
			Name: "to", MarkdownDescription: "Format to write: `native`, `chat_completions`, `messages` or `responses`.",
		}},
		VariadicParameter: optionsParameter("\n  - `lossy`: if `true`, content that the target format can't express is omitted " +
			"and listed in `dropped` instead of failing."),
		Return: function.ObjectReturn{AttributeTypes: convertedTypes},
	}}
}

func convertMessages(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError) {
	var text, to string
	var given types.Tuple
	if failed := arguments.Get(ctx, &text, &to, &given); failed != nil {
		return nil, failed
	}
	if !slices.Contains(formats, document.Format(to)) {
		return nil, function.NewArgumentFuncError(1, fmt.Sprintf("%s is not an output format: use one of %s.", rawjson.Name(to), choices(formats)))
	}
	options, failed := readOptions(given, 2, optionLossy)
	if failed != nil {
		return nil, failed
	}
	read, failed := options.readDocument(text)
	if failed != nil {
		return nil, failed
	}
	written, dropped, err := message.Build(read, document.Format(to), options.lossy)
	if loss, is := errors.AsType[*document.LossError](err); is {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("%s. Remove it, choose another format, or pass { lossy = true } to omit it.", loss))
	}
	if err != nil {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The messages can't be converted: %s.", err))
	}
	left := make([]attr.Value, len(dropped))
	for i, pointer := range dropped {
		left[i] = types.StringValue(pointer)
	}
	return types.ObjectValueMust(convertedTypes, map[string]attr.Value{
		"json": types.StringValue(string(written)), "dropped": types.ListValueMust(types.StringType, left),
	}), nil
}

func choices(formats []document.Format) string { return strings.Join(names(formats), ", ") }

func names(formats []document.Format) []string {
	names := make([]string, len(formats))
	for i, format := range formats {
		names[i] = string(format)
	}
	return names
}
