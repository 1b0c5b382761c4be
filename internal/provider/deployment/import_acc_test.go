package deployment_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccImport_empty checks that every resource refuses to import an empty ID.
func TestAccImport_empty(t *testing.T) {
	t.Parallel()
	rpc := providertest.NewDev(t).RPC()
	for name := range rpc.Schema.ResourceSchemas {
		t.Run(name, func(t *testing.T) {
			imported, err := rpc.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: name})
			if err != nil {
				t.Fatal(err)
			}
			if told := providertest.Told(imported.Diagnostics); !strings.Contains(told, "ERROR: Invalid import ID") || strings.Contains(told, "Conversion") {
				t.Errorf("diagnostics = %s, want that the import ID is invalid", told)
			}
		})
	}
}

// TestAccImport_identity checks that every resource refuses identities that its import IDs wouldn't have. A workspace may be omitted.
func TestAccImport_identity(t *testing.T) {
	t.Parallel()
	rpc := providertest.NewDev(t).RPC()
	identities, err := rpc.Server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for name, schema := range identities.IdentitySchemas {
		all := map[string]any{}
		for _, attribute := range schema.IdentityAttributes {
			all[attribute.Name] = "6f1c2a9e-8d3b-4b6a-9c57-2e0f6d1a7b38"
		}
		forms := []map[string]any{all}
		if name == "agentplane_agent_connection" {
			forms = []map[string]any{except(all, "provider_id", "provider_account_label"), except(all, "id")}
		}
		told := func(identity map[string]any) string {
			imported, err := rpc.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
				TypeName: name, Identity: &tfprotov6.ResourceIdentityData{IdentityData: rpc.Value(identity)},
			})
			if err != nil {
				t.Fatal(err)
			}
			return providertest.Told(imported.Diagnostics)
		}
		for _, valid := range forms {
			for attribute := range valid {
				for _, wrong := range []string{"", "not valid", "name:chat", providertest.WorkspaceID + "/x"} {
					if slices.Contains([]string{"agent_id", "provider_account_label"}, attribute) && wrong != "" {
						continue // Any text.
					}
					cases++
					identity := maps.Clone(valid)
					identity[attribute] = wrong
					if got := told(identity); !strings.Contains(got, "ERROR: Invalid identity") || !strings.Contains(got, attribute+" is "+strconv.Quote(wrong)) {
						t.Errorf("%s: %v: diagnostics = %s, want that %s is wrong", name, identity, got, attribute)
					}
				}
			}
			if got := told(valid); strings.Contains(got, "Invalid identity") {
				t.Errorf("%s: %v: diagnostics = %s, want the identity to be accepted", name, valid, got)
			}
		}
	}
	if cases < 20 {
		t.Errorf("only %d identities were tried", cases)
	}
}

// except returns an object without some members.
func except(object map[string]any, names ...string) map[string]any {
	object = maps.Clone(object)
	maps.DeleteFunc(object, func(name string, _ any) bool { return slices.Contains(names, name) })
	return object
}
