package functions

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message/document"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
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

// sideParameter says which half of a run messages are from.
func sideParameter() function.Parameter {
	return function.StringParameter{
		Name: "side",
		MarkdownDescription: "`\"inputs\"` or `\"outputs\"`: what the JSON is. If omitted, the structure of the JSON " +
			"decides, which is ambiguous for a bare list of messages.",
	}
}

// readDocument reads the arguments of a messagesParameter and a sideParameter; at is the position of the latter.
func readDocument(text string, sides []string, at int64) (*document.Document, *function.FuncError) {
	var read *document.Document
	var err error
	switch data := []byte(text); {
	case len(sides) == 0:
		read, err = message.NormalizeEither(data)
	case len(sides) > 1:
		return nil, function.NewArgumentFuncError(at+1, "Specify at most one side.")
	case sides[0] == document.Inputs.String():
		read, err = message.Normalize(data, document.Inputs)
	case sides[0] == document.Outputs.String():
		read, err = message.Normalize(data, document.Outputs)
	default:
		return nil, function.NewArgumentFuncError(at, fmt.Sprintf("%s is not a side of a run: use inputs or outputs.", rawjson.Name(sides[0])))
	}
	if err != nil {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The value is not JSON: %s.", err))
	}
	return read, nil
}
