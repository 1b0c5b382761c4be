package functions

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
)

var problemType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"pointer": types.StringType, "rule": types.StringType, "message": types.StringType, "remedy": types.StringType,
}}

// NewValidateMessages finds problems in messages.
func NewValidateMessages() function.Function {
	return spec{name: "validate_messages", run: validateMessages, definition: function.Definition{
		Summary: "Validates messages",
		MarkdownDescription: "Returns all problems in the inputs or outputs of a run, by the rules of their format: a " +
			"list of objects with a JSON `pointer`, the name of a `rule`, a `message` and a `remedy`. An empty list " +
			"means that the tracing service can show the messages; the function `usage` reports what is wrong with token " +
			"counts. For `precondition` and `check` blocks, and for tests of prompts and fixtures.",
		Parameters: []function.Parameter{messagesParameter()},
		VariadicParameter: optionsParameter("\n  - `format`: the format that the messages must have, such as `\"native\"`. Messages in " +
			"another format have a problem with the rule `format_expected`, which names the format that they were recognized as, before the " +
			"problems of that format."),
		Return: function.ListReturn{ElementType: problemType},
	}}
}

func validateMessages(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError) {
	var text string
	var given types.Tuple
	if failed := arguments.Get(ctx, &text, &given); failed != nil {
		return nil, failed
	}
	options, failed := readOptions(given, 1, optionFormat)
	if failed != nil {
		return nil, failed
	}
	read, failed := options.readDocument(text)
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
