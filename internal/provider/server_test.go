package provider

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/direct"
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
	undecided, _ := server.(undecidedServer)
	answering, _ := undecided.FrameworkServer.(*direct.Server)
	if answering == nil {
		t.Fatalf("the framework's server isn't wrapped: %T", server)
	}
	releasing, _ := answering.FrameworkServer.(releasingServer)
	if _, ok := releasing.FrameworkServer.(checkedServer); !ok {
		t.Errorf("the framework's server isn't wrapped: %T", answering.FrameworkServer)
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
		undecided, _ := NewServer("test", WithEnvironment(getenv))().(undecidedServer)
		if _, is := undecided.FrameworkServer.(*direct.Server); is != want {
			t.Errorf("AGENTPLANE_DIRECT=%q: behind the direct server: %t, want %t", value, is, want)
		}
	}
}

func TestReleaseAfter(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(time.Hour)
	parent, cancel := context.WithDeadline(context.WithValue(t.Context(), contextKey{}, "value"), deadline)
	defer cancel()
	failure := errors.New("failure")
	var during, derived context.Context
	response, err := releaseAfter(parent, "request", func(ctx context.Context, request string) (string, error) {
		during = ctx
		var end context.CancelFunc
		derived, end = context.WithCancel(ctx)
		t.Cleanup(end)
		if got, ok := ctx.Deadline(); !ok || !got.Equal(deadline) {
			t.Errorf("deadline %v, want %v", got, deadline)
		}
		if got := derived.Value(contextKey{}); got != "value" {
			t.Errorf("value %v", got)
		}
		if ctx.Err() != nil || derived.Err() != nil {
			t.Error(ctx.Err(), derived.Err())
		}
		return "response to " + request, failure
	})
	if response != "response to request" || !errors.Is(err, failure) {
		t.Error(response, err)
	}
	for name, ctx := range map[string]context.Context{"during": during, "derived": derived} {
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.Canceled) || ctx.Value(contextKey{}) != nil {
			t.Errorf("%s: %v, value %v", name, ctx.Err(), ctx.Value(contextKey{}))
		}
		if got, ok := ctx.Deadline(); ok {
			t.Errorf("%s: deadline %v", name, got)
		}
	}
	if parent.Err() != nil {
		t.Error("the parent is canceled, too:", parent.Err())
	}
}

// TestReleaseAfter_canceled cancels a call, as Ctrl-C does.
func TestReleaseAfter_canceled(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancel(t.Context())
	_, err := releaseAfter(parent, "", func(ctx context.Context, _ string) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
