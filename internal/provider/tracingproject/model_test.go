package tracingproject

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestNewProjectModel covers what the dev server never answers: a project that is more than a deployment's.
func TestNewProjectModel(t *testing.T) {
	t.Parallel()
	ended, description, dataset := "2026-02-03T04:05:06Z", "Nightly evaluation", "d-1"
	got := newProjectModel(api.TracingProject{
		ID: "p-1", TenantID: "w-1", Name: "nightly", StartTime: "2026-01-02T03:04:05Z",
		EndTime: &ended, Description: &description, ReferenceDatasetID: &dataset,
	})
	want := projectModel{
		ID: types.StringValue("p-1"), Name: types.StringValue("nightly"),
		Description: types.StringValue(description), StartTime: types.StringValue("2026-01-02T03:04:05Z"),
		EndTime: types.StringValue(ended), ReferenceDatasetID: types.StringValue(dataset),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
