package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

// NewTimeToFirstToken measures how long a run took to its first token.
func NewTimeToFirstToken() function.Function {
	return spec{name: "time_to_first_token", run: ofRun(timeToFirstToken), definition: function.Definition{
		Summary: "Returns the time to first token of a run",
		MarkdownDescription: "Returns the time to first token in seconds: from the start of the run to the earliest " +
			"`new_token` event with a time. Null if the run isn't of type `llm`, or has no such event or no start. Never " +
			"negative.",
		Parameters: []function.Parameter{runParameter()},
		Return:     function.Float64Return{},
	}}
}

func timeToFirstToken(run *llmrun.Run) attr.Value {
	if waited, known := run.TimeToFirstToken(); known {
		return types.Float64Value(waited.Seconds())
	}
	return types.Float64Null()
}
