package listener

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func wireForm(t *testing.T, request any) string {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestToCreate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		version       types.String
		computeConfig types.Object
		want          string
	}{
		"everything": {
			types.StringValue("1.0.0"), namespaces([]string{"agents", "staging"}),
			`{"version":"1.0.0","compute_type":"k8s","compute_id":"production","compute_config":{"k8s_namespaces":["agents","staging"]}}`,
		},
		"left to the service": {
			types.StringUnknown(), computeConfig(unknownNamespaces),
			`{"compute_type":"k8s","compute_id":"production","compute_config":{}}`,
		},
		"no namespace": {
			types.StringNull(), namespaces([]string{}),
			`{"compute_type":"k8s","compute_id":"production","compute_config":{"k8s_namespaces":[]}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := model{}
			m.ComputeType, m.ComputeID = types.StringValue("k8s"), types.StringValue("production")
			m.Version, m.ComputeConfig = test.version, test.computeConfig
			if got := wireForm(t, m.toCreate()); got != test.want {
				t.Errorf("toCreate = %s, want %s", got, test.want)
			}
		})
	}
}

// TestToPatch expects the effective difference only: the service keeps fields that aren't sent.
func TestToPatch(t *testing.T) {
	t.Parallel()
	one, two := types.StringValue("1.0.0"), types.StringValue("2.0.0")
	agents, both := namespaces([]string{"agents"}), namespaces([]string{"agents", "staging"})
	type settings struct {
		version       types.String
		computeConfig types.Object
	}
	tests := map[string]struct {
		state, plan settings
		want        string // Empty if nothing is sent.
	}{
		"nothing":            {settings{one, agents}, settings{one, agents}, ""},
		"version":            {settings{one, agents}, settings{two, agents}, `{"version":"2.0.0"}`},
		"first version":      {settings{types.StringNull(), agents}, settings{two, agents}, `{"version":"2.0.0"}`},
		"open version":       {settings{types.StringNull(), agents}, settings{types.StringUnknown(), agents}, ""},
		"version removed":    {settings{one, agents}, settings{types.StringNull(), agents}, ""},
		"namespaces":         {settings{one, agents}, settings{one, both}, `{"compute_config":{"k8s_namespaces":["agents","staging"]}}`},
		"namespaces emptied": {settings{one, agents}, settings{one, namespaces([]string{})}, `{"compute_config":{"k8s_namespaces":[]}}`},
		"namespaces open":    {settings{one, agents}, settings{one, computeConfig(unknownNamespaces)}, ""},
		"both": {
			settings{one, agents}, settings{two, both},
			`{"version":"2.0.0","compute_config":{"k8s_namespaces":["agents","staging"]}}`,
		},
		"all unknown": {settings{one, agents}, settings{types.StringUnknown(), types.ObjectUnknown(attributeTypes("compute_config"))}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, plan := model{}, model{}
			state.Version, state.ComputeConfig = test.state.version, test.state.computeConfig
			plan.Version, plan.ComputeConfig = test.plan.version, test.plan.computeConfig
			patch, changes := plan.toPatch(state)
			if changes != (test.want != "") {
				t.Errorf("changes = %t, want %t", changes, !changes)
			}
			if got := wireForm(t, patch); changes && got != test.want {
				t.Errorf("toPatch = %s, want %s", got, test.want)
			}
		})
	}
}
