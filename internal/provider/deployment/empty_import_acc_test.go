package deployment_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccImport_empty: an empty ID is an error of the ID for everything that can be imported.
func TestAccImport_empty(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	rpc := providertest.NewDev(t).RPC()
	for name := range rpc.Schema.ResourceSchemas {
		t.Run(name, func(t *testing.T) {
			imported, err := rpc.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: name})
			if err != nil {
				t.Fatal(err)
			}
			if told := providertest.Told(imported.Diagnostics); !strings.Contains(told, "ERROR: Invalid import ID") || strings.Contains(told, "Conversion") {
				t.Errorf("got %s", told)
			}
		})
	}
}
