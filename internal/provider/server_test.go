package provider

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/protocol"
)

// called is a call of a type or function that doesn't exist, which gets far enough for the framework to keep its context.
type called func(context.Context, tfprotov6.ProviderServer) error

func calling[Req, Resp any](method func(tfprotov6.ProviderServer, context.Context, *Req) (*Resp, error)) called {
	return func(ctx context.Context, server tfprotov6.ProviderServer) error {
		_, err := method(server, ctx, new(Req))
		return err
	}
}

type contextKey struct{}

// callWithValue makes a call and returns a value of the call's context.
//
//go:noinline
func callWithValue(t *testing.T, server tfprotov6.ProviderServer, call called) weak.Pointer[[1 << 10]byte] {
	t.Helper()
	value := new([1 << 10]byte)
	if err := call(context.WithValue(t.Context(), contextKey{}, value), server); err != nil {
		t.Error(err)
	}
	return weak.Make(value)
}

// TestServer_releasesCalls lets the garbage collector tell whether anything still refers to the context of a call.
func TestServer_releasesCalls(t *testing.T) {
	t.Parallel()
	server := NewServer("test")()
	for name, call := range map[string]called{
		"ValidateResourceConfig":     calling(tfprotov6.ProviderServer.ValidateResourceConfig),
		"UpgradeResourceState":       calling(tfprotov6.ProviderServer.UpgradeResourceState),
		"UpgradeResourceIdentity":    calling(tfprotov6.ProviderServer.UpgradeResourceIdentity),
		"ReadResource":               calling(tfprotov6.ProviderServer.ReadResource),
		"PlanResourceChange":         calling(tfprotov6.ProviderServer.PlanResourceChange),
		"ApplyResourceChange":        calling(tfprotov6.ProviderServer.ApplyResourceChange),
		"ImportResourceState":        calling(tfprotov6.ProviderServer.ImportResourceState),
		"MoveResourceState":          calling(tfprotov6.ProviderServer.MoveResourceState),
		"ValidateDataResourceConfig": calling(tfprotov6.ProviderServer.ValidateDataResourceConfig),
		"ReadDataSource":             calling(tfprotov6.ProviderServer.ReadDataSource),
		"CallFunction":               calling(tfprotov6.ProviderServer.CallFunction),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value := callWithValue(t, server, call)
			runtime.GC()
			if value.Value() != nil {
				t.Error("the context is kept after the call")
			}
		})
	}
}

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
