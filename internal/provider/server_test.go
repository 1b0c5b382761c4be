package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/protocol"
)

// TestServer_complete expects the parts of the protocol that are found by type assertion.
func TestServer_complete(t *testing.T) {
	t.Parallel()
	server := NewServer("test", WithEnvironment(func(string) string { return "" }))()
	if _, ok := server.(*protocol.Server); !ok {
		t.Errorf("nothing stands between Terraform and the framework's server: %T", server)
	}
	if _, ok := server.(tfprotov6.ListResourceServer); !ok {
		t.Error("no list resources")
	}
	if _, ok := server.(tfprotov6.ActionServer); !ok {
		t.Error("no actions")
	}
	if _, ok := server.(tfprotov6.StateStoreServer); !ok {
		t.Error("no state stores")
	}
}

// TestServer_withoutDirect checks the switch that leaves every answer to the plugin framework.
func TestServer_withoutDirect(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{"": true, "1": true, "0": false} {
		getenv := func(name string) string { return map[string]string{"AGENTPLANE_DIRECT": value}[name] }
		is := false
		server := NewServer("test", WithEnvironment(getenv), WithComparison(func(string, any, any) { is = true }))()
		_, err := server.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
			TypeName: "agentplane_listener", RawState: &tfprotov6.RawState{JSON: []byte("{}")},
		})
		if err != nil || is != want {
			t.Errorf("AGENTPLANE_DIRECT=%q: answered directly: %t, %v, want %t", value, is, err, want)
		}
	}
}
