package listener

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// namespaces returns a compute_config with this list; nil means null.
func namespaces(names []string) types.Object {
	list := types.ListNull(types.StringType)
	if names != nil {
		values := make([]attr.Value, len(names))
		for i, name := range names {
			values[i] = types.StringValue(name)
		}
		list = types.ListValueMust(types.StringType, values)
	}
	return computeConfig(list)
}

func computeConfig(list types.List) types.Object {
	return types.ObjectValueMust(attributeTypes("compute_config"), map[string]attr.Value{"k8s_namespaces": list})
}

var unknownNamespaces = types.ListUnknown(types.StringType)

// answered returns a response with every field of a listener.
func answered() api.Listener {
	version := "0.2.7"
	return api.Listener{
		ID: "l-1", CreatedAt: "2026-01-02T03:04:05Z", UpdatedAt: "2026-02-03T04:05:06Z", Version: &version,
		ComputeType: api.ComputeTypeK8s, ComputeID: "production",
		ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: []string{"agents", "staging"}},
	}
}

func TestNewModel(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer api.Listener
		want   dataModel
	}{
		"everything": {
			answered(),
			dataModel{
				ID: types.StringValue("l-1"), ComputeType: types.StringValue("k8s"), ComputeID: types.StringValue("production"),
				ComputeConfig: namespaces([]string{"agents", "staging"}), Version: types.StringValue("0.2.7"),
				CreatedAt: types.StringValue("2026-01-02T03:04:05Z"), UpdatedAt: types.StringValue("2026-02-03T04:05:06Z"),
			},
		},
		"as little as possible": {
			api.Listener{ID: "l-1", ComputeType: "vm", ComputeID: "production"},
			dataModel{
				ID: types.StringValue("l-1"), ComputeType: types.StringValue("vm"), ComputeID: types.StringValue("production"),
				ComputeConfig: namespaces(nil),
				Version:       types.StringNull(), CreatedAt: types.StringNull(), UpdatedAt: types.StringNull(),
			},
		},
		"no namespace allowed": {
			api.Listener{ID: "l-1", ComputeType: "k8s", ComputeID: "dev", ComputeConfig: api.ListenerComputeConfig{K8sNamespaces: []string{}}},
			dataModel{
				ID: types.StringValue("l-1"), ComputeType: types.StringValue("k8s"), ComputeID: types.StringValue("dev"),
				ComputeConfig: namespaces([]string{}),
				Version:       types.StringNull(), CreatedAt: types.StringNull(), UpdatedAt: types.StringNull(),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newDataModel(test.answer)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNewModel_order keeps the order of the state if a service sorts the namespaces.
func TestNewModel_order(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ prior, want types.Object }{
		"the same":       {namespaces([]string{"staging", "agents"}), namespaces([]string{"staging", "agents"})},
		"others":         {namespaces([]string{"staging"}), namespaces([]string{"agents", "staging"})},
		"one of them":    {namespaces([]string{"staging", "staging"}), namespaces([]string{"agents", "staging"})},
		"not known":      {computeConfig(unknownNamespaces), namespaces([]string{"agents", "staging"})},
		"not configured": {namespaces(nil), namespaces([]string{"agents", "staging"})},
	} {
		if got := newModel(model{dataModel: dataModel{ComputeConfig: test.prior}}, answered()).ComputeConfig; !got.Equal(test.want) {
			t.Errorf("%s: compute_config = %s, want %s", name, got, test.want)
		}
	}
}
