package run

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// refusedQuery describes why runs can't be read. The service refuses a filter without saying which of the three it is, so each
// is tried alone.
func refusedQuery(ctx context.Context, c *client.Client, query api.RunQuery, err error) diag.Diagnostics {
	failure := framework.Failure{Summary: "Cannot read runs"}
	if !isRefusal(err) {
		return failure.Diagnostics(err)
	}
	var diags diag.Diagnostics
	for _, condition := range []struct {
		attribute string
		alone     api.RunQuery
	}{
		{"filter", api.RunQuery{Filter: query.Filter}},
		{"trace_filter", api.RunQuery{TraceFilter: query.TraceFilter}},
		{"tree_filter", api.RunQuery{TreeFilter: query.TreeFilter}},
	} {
		alone := condition.alone
		if alone.Filter+alone.TraceFilter+alone.TreeFilter == "" {
			continue
		}
		alone.ProjectIDs, alone.Selects, alone.MinStartTime = query.ProjectIDs, []string{"ID"}, query.MinStartTime
		if _, err := c.QueryRuns(ctx, alone, 1); isRefusal(err) {
			for _, d := range failure.Diagnostics(err) {
				diags.AddAttributeError(path.Root(condition.attribute), "Invalid "+condition.attribute, condition.attribute+": "+d.Detail())
			}
		}
	}
	if !diags.HasError() {
		return failure.Diagnostics(err)
	}
	return diags
}

// isRefusal reports whether the service refused the query itself.
func isRefusal(err error) bool {
	status := client.StatusOf(err)
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
}
