package run

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// NewListDataSource is the data source agentplane_runs.
func NewListDataSource() datasource.DataSource {
	return framework.NewDataSource(framework.DataSpec[listModel]{
		Name: "runs", Attributes: listAttributes, Read: readList,
		Description: "Reads runs of a tracing project: model calls, tool calls and chains, with tokens, costs and " +
			"time to first token. Inputs and outputs are read only with `include_content`: otherwise users' " +
			"conversations would be stored in state.",
	})
}

func readList(ctx context.Context, provider framework.ProviderData, config *listModel) diag.Diagnostics {
	if diags := config.refuseTimes(); diags.HasError() {
		return diags
	}
	c := provider.In(config.WorkspaceID)
	project, diags := lookup.ProjectReference{
		ID: config.ProjectID, Name: config.ProjectName, DeploymentID: config.DeploymentID, NamePath: path.Root("project_name"),
	}.Find(ctx, c)
	if diags.HasError() {
		return diags
	}
	query := config.toQuery(project.ID)
	var runs []api.Run
	if config.IDs.IsNull() || len(query.IDs) > 0 { // The service treats an empty list as no filter.
		var err error
		if runs, err = c.QueryRuns(ctx, query, int(cmp.Or(config.Limit.ValueInt64(), defaultLimit))); err != nil {
			return refusedQuery(ctx, c, query, err)
		}
	}
	config.ProjectID = types.StringValue(project.ID)
	config.Runs = make([]model, len(runs))
	if config.IncludeContent.ValueBool() {
		config.Contents = make(map[string]content, len(runs))
	}
	config.countGaps(runs)
	for i, run := range runs {
		var d diag.Diagnostics
		config.Runs[i], d = newModel(run)
		diags.Append(d...)
		if config.Contents != nil {
			config.Contents[run.ID] = newContent(run)
		}
	}
	return diags
}

// refuseTimes refuses bounds between which no run can start.
func (m listModel) refuseTimes() diag.Diagnostics {
	from, wrongFrom := time.Parse(time.RFC3339, m.MinStartTime.ValueString())
	to, wrongTo := time.Parse(time.RFC3339, m.MaxStartTime.ValueString())
	if wrongFrom != nil || wrongTo != nil || !from.After(to) { // Null is in another form, too.
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("min_start_time"), "Invalid "+path.Root("min_start_time").String(), fmt.Sprintf("min_start_time is %s, "+
		"which is after max_start_time, %s. Exchange them.", m.MinStartTime.ValueString(), m.MaxStartTime.ValueString()))}
}
