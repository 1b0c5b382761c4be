package framework_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

func TestPlannedWorkspace(t *testing.T) {
	t.Parallel()
	in := func(workspaceID string) *framework.ProviderData {
		c, err := client.New(client.Config{BaseURL: "https://agents.example.com", WorkspaceID: workspaceID})
		if err != nil {
			t.Fatal(err)
		}
		return &framework.ProviderData{Client: c}
	}
	tests := map[string]struct {
		data                *framework.ProviderData
		configured, planned types.String
		want                types.String
	}{
		"configured":            {in("w-1"), types.StringValue("w-2"), types.StringValue("w-2"), types.StringValue("w-2")},
		"configured, not known": {in("w-1"), types.StringUnknown(), types.StringUnknown(), types.StringUnknown()},
		"the provider's":        {in("w-1"), types.StringNull(), types.StringUnknown(), types.StringValue("w-1")},
		"the key's":             {in(""), types.StringNull(), types.StringUnknown(), types.StringNull()},
		"provider not known":    {&framework.ProviderData{}, types.StringNull(), types.StringUnknown(), types.StringUnknown()},
		"kept from the import":  {in("w-1"), types.StringNull(), types.StringNull(), types.StringNull()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			configured, err := test.configured.ToTerraformValue(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			as := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"workspace_id": tftypes.String}}
			config := tfsdk.Config{Raw: tftypes.NewValue(as, map[string]tftypes.Value{"workspace_id": configured})}
			if got := test.data.PlannedWorkspace(config, test.planned); !got.Equal(test.want) {
				t.Errorf("PlannedWorkspace = %s, want %s", got, test.want)
			}
		})
	}
}
