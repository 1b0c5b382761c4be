package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type timeToFirstToken struct{}

// NewTimeToFirstToken measures how long a run took to its first token.
func NewTimeToFirstToken() function.Function { return timeToFirstToken{} }

func (timeToFirstToken) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "time_to_first_token"
}

func (timeToFirstToken) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Returns the time to first token of a run",
		MarkdownDescription: "Returns the time to first token in seconds: from the start of the run to the earliest " +
			"`new_token` event with a time. Null if the run isn't of type `llm`, or has no such event or no start. Never " +
			"negative.",
		Parameters: []function.Parameter{runParameter()},
		Return:     function.Float64Return{},
	}
}

func (timeToFirstToken) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	run, failed := decodeRun(text)
	if failed != nil {
		resp.Error = failed
		return
	}
	seconds := types.Float64Null()
	if waited, known := run.TimeToFirstToken(); known {
		seconds = types.Float64Value(waited.Seconds())
	}
	resp.Error = resp.Result.Set(ctx, seconds)
}
