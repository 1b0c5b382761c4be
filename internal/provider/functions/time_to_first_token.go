package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// NewTimeToFirstToken measures how long a run took to its first token.
func NewTimeToFirstToken() function.Function {
	return spec{name: "time_to_first_token", run: timeToFirstToken, definition: function.Definition{
		Summary: "Returns the time to first token of a run",
		MarkdownDescription: "Returns the time to first token in seconds: from the start of the run to the earliest " +
			"`new_token` event with a time. Null if the run isn't of type `llm`, or has no such event or no start. Never " +
			"negative.",
		Parameters: []function.Parameter{runParameter()},
		Return:     function.Float64Return{},
	}}
}

func timeToFirstToken(ctx context.Context, arguments function.ArgumentsData, result *function.ResultData) *function.FuncError {
	run, failed := readRun(ctx, arguments)
	if failed != nil {
		return failed
	}
	seconds := types.Float64Null()
	if waited, known := run.TimeToFirstToken(); known {
		seconds = types.Float64Value(waited.Seconds())
	}
	return result.Set(ctx, seconds)
}
