package run

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// llmRunModel is the resource: what is logged, and the results. While its status is null, the run has not been seen in the
// service.
type llmRunModel struct {
	logModel
	results

	Triggers types.Map      `tfsdk:"triggers"`
	ID       types.String   `tfsdk:"id"`
	TraceID  types.String   `tfsdk:"trace_id"`
	URL      types.String   `tfsdk:"url"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

// ResourceIdentity implements framework.Identified. The project isn't part of it: it may be found only after the run was logged.
func (m llmRunModel) ResourceIdentity() any {
	return framework.Identity{WorkspaceID: m.WorkspaceID, ID: m.ID}
}

// unseen is m as the plan of an update that resumes waiting for a run: all results are unknown. That includes a project
// that was found by name, possibly from an unexpected response.
func (m llmRunModel) unseen() llmRunModel {
	if m.ProjectID.IsNull() || !m.ProjectName.IsNull() || !m.DeploymentID.IsNull() {
		m.ProjectID = types.StringUnknown()
	}
	m.Status = types.StringUnknown()
	m.PromptTokens, m.CompletionTokens, m.TotalTokens = types.Int64Unknown(), types.Int64Unknown(), types.Int64Unknown()
	m.PromptCost, m.CompletionCost, m.TotalCost = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.TimeToFirstTokenSeconds, m.URL = types.Float64Unknown(), types.StringUnknown()
	return m
}

// logged is m once its run has been sent: the results are null, so that no unknown value is stored.
func (m llmRunModel) logged(sent logged) llmRunModel {
	m.ID, m.TraceID = types.StringValue(sent.id.String()), types.StringValue(sent.id.String())
	m.ProjectID = framework.StringOrNull(sent.projectID)
	m.StartTime = framework.PlannedOr(m.StartTime, types.StringValue(timestamp.Format(sent.startTime)))
	m.results, m.URL = results{}, types.StringNull()
	return m
}

// isProcessed reports whether the state has the results of the run, which no longer change.
func (m llmRunModel) isProcessed() bool {
	return !m.Status.IsNull() && m.Status.ValueString() != pending
}

// hasProcessed reports whether the service has processed the run that m describes.
func (m llmRunModel) hasProcessed(run api.Run, now time.Time) bool {
	sent, _ := m.toRun(now) // Its warnings belong to the apply that logged it.
	return isProcessed(run, statesTokens(sent))
}

// withResults is m with the results from the service.
func (m llmRunModel) withResults(run api.Run) (llmRunModel, diag.Diagnostics) {
	found, diags := newModel(run)
	m.ProjectID = framework.StringOrNull(run.ProjectID)
	m.results = found.results
	return m, diags
}
