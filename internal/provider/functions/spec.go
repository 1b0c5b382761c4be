package functions

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// spec describes a function: its name, its parameters and result, and how it computes the result from the arguments.
type spec struct {
	name       string
	definition function.Definition
	run        runner
}

// runner computes the result of a function, which has the type that the function declares: nothing has to be converted.
type runner func(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError)

// ofOne returns the runner of a function with one argument.
func ofOne[Argument any](compute func(Argument) (attr.Value, *function.FuncError)) runner {
	return func(ctx context.Context, arguments function.ArgumentsData) (attr.Value, *function.FuncError) {
		var argument Argument
		if failed := arguments.Get(ctx, &argument); failed != nil {
			return nil, failed
		}
		return compute(argument)
	}
}

func (s spec) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = s.name
}

func (s spec) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = s.definition
}

func (s spec) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, failed := s.run(ctx, req.Arguments)
	if resp.Error = failed; failed == nil {
		resp.Result = function.NewResultData(result)
	}
}

// jsonOf is a value of any type as JSON, as jsonencode writes it.
func jsonOf(value attr.Value) (json.RawMessage, error) {
	tree, _ := framework.JSON(value, nil)
	return json.Marshal(tree)
}

// kindOf returns the kind of a value in the words of Terraform's language.
func kindOf(value attr.Value) string {
	if value.IsNull() {
		return "null"
	}
	switch value.(type) {
	case types.String:
		return "a string"
	case types.Bool:
		return "a bool"
	case types.Number:
		return "a number"
	case types.List, types.Tuple, types.Set:
		return "a list"
	}
	return "an object"
}
