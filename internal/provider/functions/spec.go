package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
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
