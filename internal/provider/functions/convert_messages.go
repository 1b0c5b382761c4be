package functions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// formats are those that messages can be written in.
var formats = []message.Format{message.FormatNative, message.FormatChatCompletions, message.FormatMessages, message.FormatResponses}

type convertMessages struct{}

// NewConvertMessages writes messages in another format.
func NewConvertMessages() function.Function { return convertMessages{} }

func (convertMessages) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "convert_messages"
}

func (convertMessages) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Writes messages in another format",
		MarkdownDescription: "Returns the inputs or outputs of a run as JSON in another format. It fails if something would be lost " +
			"on the way, and says what.",
		Parameters: []function.Parameter{messagesParameter(), function.StringParameter{
			Name: "to", MarkdownDescription: "Format to write: `native`, `chat_completions`, `messages` or `responses`.",
		}},
		Return: function.StringReturn{},
	}
}

func (convertMessages) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text, to string
	if resp.Error = req.Arguments.Get(ctx, &text, &to); resp.Error != nil {
		return
	}
	if !slices.Contains(formats, message.Format(to)) {
		resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("%s is no format to write: use one of %s.", rawjson.Name(to), choices(formats)))
		return
	}
	document, failed := normalized(text)
	if failed != nil {
		resp.Error = failed
		return
	}
	written, err := document.Build(message.Format(to))
	if loss, is := errors.AsType[*message.LossError](err); is {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("%s. Take that out, or write another format.",
			strings.TrimSuffix(loss.Error(), ".")))
		return
	}
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("This can't be converted: %s.", err))
		return
	}
	resp.Error = resp.Result.Set(ctx, string(written))
}

func choices(formats []message.Format) string {
	names := make([]string, len(formats))
	for i, format := range formats {
		names[i] = string(format)
	}
	return strings.Join(names, ", ")
}
