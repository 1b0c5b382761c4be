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
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// formats are those that messages can be written in.
var formats = []message.Format{message.FormatNative, message.FormatChatCompletions, message.FormatMessages, message.FormatResponses}

var convertedTypes = map[string]attr.Type{"json": types.StringType, "dropped": types.ListType{ElemType: types.StringType}}

type convertMessages struct{}

// NewConvertMessages writes messages in another format.
func NewConvertMessages() function.Function { return convertMessages{} }

func (convertMessages) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "convert_messages"
}

func (convertMessages) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Converts messages to another format",
		MarkdownDescription: "Returns the inputs or outputs of a run in another format: an object with the `json` and " +
			"the list `dropped`. The function fails if content would be lost. Other data that the target format doesn't " +
			"have, such as the time of a response, is omitted; `dropped` lists it by JSON pointers in the native format " +
			"that `normalize_messages` returns.",
		Parameters: []function.Parameter{messagesParameter(), function.StringParameter{
			Name: "to", MarkdownDescription: "Format to write: `native`, `chat_completions`, `messages` or `responses`.",
		}},
		VariadicParameter: sideParameter(),
		Return:            function.ObjectReturn{AttributeTypes: convertedTypes},
	}
}

func (convertMessages) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text, to string
	var sides []string
	if resp.Error = req.Arguments.Get(ctx, &text, &to, &sides); resp.Error != nil {
		return
	}
	if !slices.Contains(formats, message.Format(to)) {
		resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("%s is not an output format: use one of %s.", rawjson.Name(to), choices(formats)))
		return
	}
	document, failed := readDocument(text, sides, 2)
	if failed != nil {
		resp.Error = failed
		return
	}
	written, dropped, err := document.Build(message.Format(to))
	if loss, is := errors.AsType[*message.LossError](err); is {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("%s. Remove it, or choose another format.",
			strings.TrimSuffix(loss.Error(), ".")))
		return
	}
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("The messages can't be converted: %s.", err))
		return
	}
	left := make([]attr.Value, len(dropped))
	for i, pointer := range dropped {
		left[i] = types.StringValue(pointer)
	}
	answer(ctx, resp, convertedTypes, map[string]attr.Value{
		"json": types.StringValue(string(written)), "dropped": types.ListValueMust(types.StringType, left),
	})
}

func choices(formats []message.Format) string {
	names := make([]string, len(formats))
	for i, format := range formats {
		names[i] = string(format)
	}
	return strings.Join(names, ", ")
}
