package functions

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// What the functions about runs of language models have in common.

// runParameter is a run as JSON.
func runParameter() function.Parameter {
	return function.StringParameter{
		Name: "run",
		MarkdownDescription: "A run as a JSON object, as the tracing service returns it or as a client would log it: " +
			"`inputs`, `outputs`, `extra.metadata`, `events`, `run_type` and the times. Members that the function " +
			"doesn't use may be missing.",
	}
}

// messagesParameter is the inputs or the outputs of a run as JSON.
func messagesParameter() function.Parameter {
	return function.StringParameter{
		Name: "json",
		MarkdownDescription: "Inputs or outputs of a run as JSON: native messages, the body of a model provider's " +
			"request or response, or what a framework logs. See [Message formats](../guides/message-formats.md).",
	}
}

// ofRun returns the runner of a function whose argument is a runParameter.
func ofRun(compute func(*llmrun.Run) attr.Value) runner {
	return ofOne(func(text string) (attr.Value, *function.FuncError) {
		run, _, err := llmrun.DecodeRun([]byte(text))
		if err != nil {
			return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The value is not a run as a JSON object: %s.", err))
		}
		return compute(run), nil
	})
}
