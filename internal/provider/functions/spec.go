package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// spec describes a function: its name, its parameters and result, and how it computes the result from the arguments.
type spec struct {
	name       string
	definition function.Definition
	run        func(ctx context.Context, arguments function.ArgumentsData, result *function.ResultData) *function.FuncError
}

func (s spec) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = s.name
}

func (s spec) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = s.definition
}

func (s spec) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	resp.Error = s.run(ctx, req.Arguments, &resp.Result)
}
