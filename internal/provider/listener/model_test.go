package listener

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestNewModel covers what the dev server never answers: a version, and fields that are left out.
func TestNewModel(t *testing.T) {
	t.Parallel()
	version := "0.2.7"
	tests := map[string]struct {
		answer api.Listener
		want   model
	}{
		"everything": {
			api.Listener{
				ID: "l-1", CreatedAt: "2026-01-02T03:04:05Z", UpdatedAt: "2026-02-03T04:05:06Z", Version: &version,
				ComputeType: api.ComputeTypeK8s, ComputeID: "production",
				ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: []string{"agents", "staging"}},
			},
			model{
				ID: types.StringValue("l-1"), ComputeType: types.StringValue("k8s"), ComputeID: types.StringValue("production"),
				ComputeConfig: computeConfigModel{K8sNamespaces: types.ListValueMust(types.StringType,
					[]attr.Value{types.StringValue("agents"), types.StringValue("staging")})},
				Version:   types.StringValue("0.2.7"),
				CreatedAt: types.StringValue("2026-01-02T03:04:05Z"), UpdatedAt: types.StringValue("2026-02-03T04:05:06Z"),
			},
		},
		"as little as possible": {
			api.Listener{ID: "l-1", ComputeType: "vm", ComputeID: "production"},
			model{
				ID: types.StringValue("l-1"), ComputeType: types.StringValue("vm"), ComputeID: types.StringValue("production"),
				ComputeConfig: computeConfigModel{K8sNamespaces: types.ListNull(types.StringType)},
				Version:       types.StringNull(), CreatedAt: types.StringNull(), UpdatedAt: types.StringNull(),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := newModel(t.Context(), test.answer)
			if diags.HasError() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
