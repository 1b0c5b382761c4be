package functions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// messageOptions are the options of a function about messages. Functions have no named arguments: options are members of an
// object, which is the last argument, or the side alone.
type messageOptions struct {
	// side is nil if the structure of the messages decides.
	side   *document.Side
	lossy  bool
	format document.Format
}

// The names of options.
const (
	optionSide   = "side"
	optionLossy  = "lossy"
	optionFormat = "format"
)

// optionsParameter is the last, optional parameter of a function about messages; more describes its options other than the side.
func optionsParameter(more string) function.Parameter {
	return function.DynamicParameter{
		Name: "options",
		MarkdownDescription: "`\"inputs\"` or `\"outputs\"`, by default recognized by structure, which is ambiguous for a bare " +
			"list of messages. Or an object with options:\n  - `side`: `\"inputs\"` or `\"outputs\"`." + more,
	}
}

// readOptions reads the arguments of an optionsParameter.
func readOptions(given types.Tuple, at int64, names ...string) (messageOptions, *function.FuncError) {
	var read messageOptions
	arguments := given.Elements()
	switch {
	case len(arguments) == 0:
		return read, nil
	case len(arguments) > 1:
		return read, function.NewArgumentFuncError(at+1, "Specify at most one side or one object with options.")
	}
	value := underlying(arguments[0])
	var members map[string]attr.Value
	switch v := value.(type) {
	case types.Object:
		members = v.Attributes()
	case types.Map:
		members = v.Elements()
	default:
		members = map[string]attr.Value{optionSide: value}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := underlying(members[name])
		switch {
		case !slices.Contains(append(names, optionSide), name):
			return read, function.NewArgumentFuncError(at, fmt.Sprintf("%s is not an option of this function: use %s.",
				rawjson.Name(name), strings.Join(append([]string{optionSide}, names...), " or ")))
		case value.IsNull():
			continue
		}
		if problem := read.set(name, value); problem != "" {
			return read, function.NewArgumentFuncError(at, problem)
		}
	}
	return read, nil
}

func underlying(value attr.Value) attr.Value {
	if dynamic, is := value.(types.Dynamic); is {
		if dynamic.IsNull() || dynamic.UnderlyingValue() == nil {
			return types.StringNull()
		}
		return dynamic.UnderlyingValue()
	}
	return value
}

// set sets an option. It returns the problem of an invalid value.
func (o *messageOptions) set(name string, value attr.Value) (problem string) {
	if name == optionLossy {
		lossy, is := value.(types.Bool)
		o.lossy = lossy.ValueBool()
		if !is {
			return "lossy is " + kindOf(value) + ", not a bool: use true or false."
		}
		return ""
	}
	text, is := value.(types.String)
	shown := rawjson.Name(text.ValueString())
	if !is {
		shown = kindOf(value)
		shown = strings.ToUpper(shown[:1]) + shown[1:]
	}
	if name == optionFormat {
		if o.format = document.Format(text.ValueString()); !slices.Contains(message.Formats(), o.format) {
			return fmt.Sprintf("%s is not a format of messages: use one of %s.", shown, choices(message.Formats()))
		}
		return ""
	}
	for _, side := range []document.Side{document.Inputs, document.Outputs} {
		if is && text.ValueString() == side.String() {
			o.side = &side
			return ""
		}
	}
	return shown + " is not a side of a run: use inputs or outputs."
}

// readMessages reads the argument of a messagesParameter, with the arguments of an optionsParameter, of which the first is at a position.
func readMessages(text string, given types.Tuple, at int64, names ...string) (*document.Document, messageOptions, *function.FuncError) {
	options, failed := readOptions(given, at, names...)
	if failed != nil {
		return nil, options, failed
	}
	var read *document.Document
	var err error
	if options.side == nil {
		read, err = message.NormalizeEither([]byte(text))
	} else {
		read, err = message.Normalize([]byte(text), *options.side)
	}
	if err != nil {
		return nil, options, function.NewArgumentFuncError(0, fmt.Sprintf("The value is not JSON: %s.", err))
	}
	return read, options, nil
}

// formats are those that messages can be written in.
var formats = []document.Format{document.FormatNative, document.FormatChatCompletions, document.FormatMessages, document.FormatResponses}

var convertedTypes = map[string]attr.Type{"json": types.StringType, "dropped": types.ListType{ElemType: types.StringType}}

// NewConvertMessages writes messages in another format.
func NewConvertMessages() function.Function {
	return spec{name: "convert_messages", run: convertMessages, definition: function.Definition{
		Summary: "Converts messages to another format",
		MarkdownDescription: "Returns the inputs or outputs of a run in another format: an object with the `json` and the list " +
			"`dropped`. The function fails if content would be lost, unless it is `lossy`. Other data that the target format " +
			"doesn't have, such as the time of a response, is omitted; `dropped` lists it by JSON pointers into the `json` of " +
			"`normalize_messages`.\n\nThe guide [Message formats](../guides/message-formats.md) lists the settings of requests " +
			"that are converted, too.",
		Parameters: []function.Parameter{messagesParameter(), function.StringParameter{
			Name: "to", MarkdownDescription: "Format to write: `native`, `chat_completions`, `messages` or `responses`.",
		}},
		VariadicParameter: optionsParameter("\n  - `lossy`: if `true`, content that the target format can't express is also in " +
			"`dropped`."),
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
	read, options, failed := readMessages(text, given, 2, optionLossy)
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
	return types.ObjectValueMust(convertedTypes, map[string]attr.Value{
		"json": types.StringValue(string(written)), "dropped": framework.TextList(append([]string{}, dropped...)),
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
		MarkdownDescription: "Returns the messages of the inputs or outputs of a run: an object with the `format`, whether it is " +
			"`recognized`, the `messages`, and `json`, everything in the native format.\n\nA message has a `role`, a `text` (all " +
			"text blocks, joined without a separator), a `tool_call_id`, and `content`, a list of blocks. A block has a `type`, " +
			"and those of `text`, `url`, `base64`, `id`, `mime_type`, `name`, `args_json`, `tool_call_id`, `status` and " +
			"`output_json` that belong to its type; the others are null. Data without a place in the native format is in " +
			"`extras` of `json`.",
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
	d, _, failed := readMessages(text, given, 1)
	if failed != nil {
		return nil, failed
	}
	return types.ObjectValueMust(documentTypes, map[string]attr.Value{
		"format":     types.StringValue(string(d.Format)),
		"recognized": types.BoolValue(d.Format != document.FormatUnrecognized),
		"json":       types.StringValue(string(d.Native())),
		"messages":   messagesValue(d.Messages),
	}), nil
}

func messagesValue(messages []document.Message) attr.Value {
	all := make([]attr.Value, len(messages))
	for i, m := range messages {
		content := make([]attr.Value, len(m.Content))
		for j, b := range m.Content {
			content[j] = blockValue(b)
		}
		all[i] = types.ObjectValueMust(messageType.AttrTypes, map[string]attr.Value{
			"role": framework.StringOrNull(m.Role), "text": types.StringValue(m.Text()), "tool_call_id": framework.String(m.ToolCallID),
			"content": types.ListValueMust(blockType, content),
		})
	}
	return types.ListValueMust(messageType, all)
}

func blockValue(b document.Block) attr.Value {
	return types.ObjectValueMust(blockType.AttrTypes, map[string]attr.Value{
		"type": framework.StringOrNull(b.Type), "text": framework.String(b.Text), "url": framework.String(b.URL), "base64": framework.String(b.Base64),
		"id": framework.String(b.ID), "mime_type": framework.String(b.MimeType), "name": framework.String(b.Name), "args_json": jsonOrNull(b.Args),
		"tool_call_id": framework.String(b.ToolCallID), "status": framework.String(b.Status), "output_json": jsonOrNull(b.Output),
	})
}

func jsonOrNull(raw json.RawMessage) types.String {
	if raw == nil {
		return types.StringNull()
	}
	return types.StringValue(string(raw))
}

// streamFormats are those that answers are streamed in.
var streamFormats = message.StreamFormats()

// NewReduceStream combines the chunks of a streamed answer.
func NewReduceStream() function.Function {
	return spec{name: "reduce_stream", run: reduceStream, definition: function.Definition{
		Summary: "Combines the chunks of a streamed response",
		MarkdownDescription: "Combines the chunks of a stream into the response as JSON, as without streaming, as far as it has " +
			"arrived. Unknown chunks are in the list `unreduced_chunks` of the result, and an error of the stream is in `error`.",
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

var problemType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"pointer": types.StringType, "rule": types.StringType, "message": types.StringType, "remedy": types.StringType,
}}

// NewValidateMessages finds problems in messages.
func NewValidateMessages() function.Function {
	return spec{name: "validate_messages", run: validateMessages, definition: function.Definition{
		Summary: "Validates messages",
		MarkdownDescription: "Returns all problems in the inputs or outputs of a run, by the rules of their format: a list of " +
			"objects with a JSON `pointer`, the name of a `rule`, a `message` and a `remedy`. An empty list means that the " +
			"tracing service can show the messages; the function `usage` reports wrong token counts.",
		Parameters: []function.Parameter{messagesParameter()},
		VariadicParameter: optionsParameter("\n  - `format`: the format that the messages must have, such as `\"native\"`. For " +
			"another format, the first problem has the rule `format_expected`."),
		Return: function.ListReturn{ElementType: problemType},
	}}
}

func validateMessages(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError) {
	var text string
	var given types.Tuple
	if failed := arguments.Get(ctx, &text, &given); failed != nil {
		return nil, failed
	}
	read, options, failed := readMessages(text, given, 1, optionFormat)
	if failed != nil {
		return nil, failed
	}
	if options.format == "" {
		return problemsValue(message.ValidateRead(read)), nil
	}
	problems, err := message.ValidateAs([]byte(text), read.Side, options.format)
	if err != nil {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The value is not JSON: %s.", err))
	}
	return problemsValue(problems), nil
}

func problemsValue(problems []document.Problem) attr.Value {
	found := make([]attr.Value, len(problems))
	for i, p := range problems {
		found[i] = types.ObjectValueMust(problemType.AttrTypes, map[string]attr.Value{
			"pointer": types.StringValue(p.Pointer), "rule": types.StringValue(p.Rule),
			"message": types.StringValue(p.Message), "remedy": types.StringValue(p.Remedy),
		})
	}
	return types.ListValueMust(problemType, found)
}
