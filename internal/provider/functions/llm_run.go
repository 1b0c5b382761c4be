package functions

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
)

// What the functions about runs of language models have in common.

// runParameter is a run as JSON.
func runParameter() function.Parameter {
	return function.StringParameter{
		Name: "run",
		MarkdownDescription: "A run as a JSON object, as the tracing service answers it or as a client would log it: `inputs`, " +
			"`outputs`, `extra.metadata`, `events`, `run_type` and the times. Members that the function has no use for may be missing.",
	}
}

// messagesParameter is the inputs or the outputs of a run as JSON.
func messagesParameter() function.Parameter {
	return function.StringParameter{
		Name: "json",
		MarkdownDescription: "Inputs or outputs of a run as JSON: native messages, or the body of a request or an answer in the " +
			"chat-completions, messages or responses format of a model provider, or as frameworks log them.",
	}
}

// decodeRun reads the argument of a runParameter.
func decodeRun(text string) (*llmrun.Run, *function.FuncError) {
	run, _, err := llmrun.DecodeRun([]byte(text))
	if err != nil {
		return nil, notRun(err)
	}
	return run, nil
}

func notRun(err error) *function.FuncError {
	return function.NewArgumentFuncError(0, fmt.Sprintf("This is not a run as a JSON object: %s.", err))
}

// normalized reads messages, whichever side of a run they are. The side that is recognised wins.
func normalized(text string) (*message.Document, *function.FuncError) {
	document, err := message.Normalize([]byte(text), sideOf(text))
	if err != nil {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("This is not JSON: %s.", err))
	}
	return document, nil
}

// sideOf is the half of a run that messages are from: outputs only if they are nothing as inputs.
func sideOf(text string) message.Side {
	for _, side := range []message.Side{message.Inputs, message.Outputs} {
		if d, err := message.Normalize([]byte(text), side); err == nil && d.Format != message.FormatUnrecognized {
			return side
		}
	}
	return message.Inputs
}

// textOrNull is null for what is empty.
func textOrNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

// answer sets an object as the result.
func answer(ctx context.Context, resp *function.RunResponse, kinds map[string]attr.Type, values map[string]attr.Value) {
	object, diags := types.ObjectValue(kinds, values)
	resp.Error = function.ConcatFuncErrors(function.FuncErrorFromDiags(ctx, diags), resp.Result.Set(ctx, object))
}
