package run

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewLogAction is the action agentplane_log_llm_run.
func NewLogAction() action.Action {
	return framework.NewAction(framework.ActionSpec[actionModel]{
		Name: "log_llm_run", Invoke: logRun,
		Validate: func(config actionModel) diag.Diagnostics { return config.validate() },
		Description: "Logs one run of a language model into a tracing project, waits until the service has processed it, and " +
			"reports the results. The resource `agentplane_llm_run` does the same and stores the results in state.",
		Attributes: func() map[string]schema.Attribute {
			attributes := arguments()
			attributes["timeout"] = framework.OptionalDuration("Limit for logging and processing, such as `30s`. Default: `2m`.")
			return attributes
		},
	})
}

type actionModel struct {
	logModel

	Timeout timetypes.GoDuration `tfsdk:"timeout"`
}

func logRun(ctx context.Context, provider *framework.ProviderData, config actionModel, tell func(message string)) diag.Diagnostics {
	limit := framework.DurationOr(config.Timeout, defaultTimeout)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c, start := provider.In(config.WorkspaceID), provider.Now()
	sent, diags := config.log(limited, c, uuid.Must(uuid.NewV7()), start, "timeout")
	if diags.HasError() {
		return diags
	}
	if sent.doubt != nil {
		tell(fmt.Sprintf("Run %s was sent, but the service didn't confirm it. Looking for it.", sent.id))
	} else {
		tell(fmt.Sprintf("Run %s was logged. Waiting until the service has processed it.", sent.id))
	}
	run, err := sent.process(ctx, c, provider.Policy(), limit-provider.Now().Sub(start))
	if err != nil {
		return append(diags, sent.notProcessed(err, "Check the tracing project before logging another run.")...)
	}
	found, more := newModel(run)
	diags.Append(more...)
	tell(found.report())
	if page := address(ctx, c, run); !page.IsNull() {
		tell("URL of the run: " + page.ValueString())
	}
	return diags
}

// report summarizes a run in one line.
func (m model) report() string {
	text := fmt.Sprintf("The service counted %d prompt tokens and %d completion tokens", m.PromptTokens.ValueInt64(), m.CompletionTokens.ValueInt64())
	if !m.TotalCost.IsNull() {
		text += fmt.Sprintf(", a cost of $%s", m.TotalCost.ValueString())
	}
	if !m.TimeToFirstTokenSeconds.IsNull() {
		text += fmt.Sprintf(", a time to first token of %g s", m.TimeToFirstTokenSeconds.ValueFloat64())
	}
	return text + "."
}
