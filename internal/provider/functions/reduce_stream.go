package functions

import (
	"context"
	"encoding/json"
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

// streamFormats are those that answers are streamed in.
var streamFormats = message.StreamFormats()

// NewReduceStream combines the chunks of a streamed answer.
func NewReduceStream() function.Function {
	return spec{name: "reduce_stream", run: reduceStream, definition: function.Definition{
		Summary: "Combines the chunks of a streamed response",
		MarkdownDescription: "Combines the chunks of a stream into the response as JSON, in the form that it has without " +
			"streaming. If the stream was interrupted, the result contains what has arrived. Unknown chunks are in the " +
			"list `unreduced_chunks` of the result, and an error that the stream reports is in its member `error`.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name: "format", MarkdownDescription: "Format of the stream: `" + strings.Join(names(streamFormats), "`, `") + "`.",
			},
			function.StringParameter{
				Name: "chunks_json",
				MarkdownDescription: "Chunks in order of arrival, as a JSON list: the data of the server-sent events, " +
					"or the objects that the provider's SDK yields.",
			},
		},
		Return: function.StringReturn{},
	}}
}

func reduceStream(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError) {
	var format, text string
	if failed := arguments.Get(ctx, &format, &text); failed != nil {
		return nil, failed
	}
	if !slices.Contains(streamFormats, document.Format(format)) {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("%s is not a stream format: use one of %s.", rawjson.Name(format), choices(streamFormats)))
	}
	if !json.Valid([]byte(text)) || !rawjson.IsArray([]byte(text)) {
		return nil, function.NewArgumentFuncError(1, "The value is not a JSON list of chunks.")
	}
	chunks, _ := rawjson.ReadArray([]byte(text))
	reduced, err := message.Reduce(document.Format(format), chunks)
	if err != nil {
		return nil, function.NewArgumentFuncError(1, fmt.Sprintf("The value is not a stream: %s.", err))
	}
	return types.StringValue(string(reduced)), nil
}
