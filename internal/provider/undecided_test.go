package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/protocol"
)

// TestUndecided replaces in every kind of walk: an error within an apply, a warning where it isn't known whether one is under way, and
// neither in a plan that refreshes.
func TestUndecided(t *testing.T) {
	t.Parallel()
	const changes = `provider_id from "calendar" to "other"; token_endpoint_auth_method from "client_secret_post" to "none"`
	for name, test := range map[string]struct {
		id                  string // What the plan proposes for the provider_id; empty for an unknown one.
		refreshed, applying bool
		severity            tfprotov6.DiagnosticSeverity
		want                []string
	}{
		"in an apply":                  {"other", false, true, tfprotov6.DiagnosticSeverityError, []string{changes, "Apply again"}},
		"in an apply, after a refresh": {"other", true, true, tfprotov6.DiagnosticSeverityError, []string{changes, "Apply again"}},
		"without a refresh":            {"other", false, false, tfprotov6.DiagnosticSeverityWarning, []string{changes, "are not a bug of the provider", "Plan again"}},
		"with a refresh":               {id: "other", refreshed: true},
		"the same value in an apply":   {id: "calendar", applying: true},
		"the same value in a plan":     {id: "calendar"},
		"unknown":                      {"", false, false, tfprotov6.DiagnosticSeverityWarning, []string{"will only be known during the apply"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider("test", nil)
			p.memo.Refreshed.Store(test.refreshed)
			p.memo.Applying.Store(test.applying)
			for range 2 { // Nothing is remembered from one plan to the next.
				told := planOAuthProvider(t, served(t, p), test.id)
				if len(test.want) == 0 {
					if len(told) > 0 {
						t.Errorf("the plan says %+v", told[0])
					}
					continue
				}
				if len(told) != 1 || told[0].Severity != test.severity {
					t.Fatalf("the plan says %+v, want one diagnostic of severity %s", told, test.severity)
				}
				for _, part := range test.want {
					if !strings.Contains(told[0].Detail, part) {
						t.Errorf("the plan says %q, want %q in it", told[0].Detail, part)
					}
				}
			}
		})
	}
}

// TestUndecided_walk calls the provider as walks do: what it knows of a walk ends with the next configuration.
func TestUndecided_walk(t *testing.T) {
	t.Parallel()
	p := newProvider("test", nil)
	server, null := served(t, p), &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
	for _, walk := range []struct {
		refreshed, applying bool
		call                func() error
	}{
		{true, false, func() error {
			_, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "agentplane_oauth_provider", CurrentState: null})
			return err
		}},
		{false, true, func() error {
			_, err := server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
				TypeName: "agentplane_none", PriorState: null, PlannedState: null, Config: null,
			})
			return err
		}},
	} {
		config := &tfprotov6.DynamicValue{JSON: []byte(`{}`)}
		if _, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config}); err != nil {
			t.Fatal(err)
		}
		if p.memo.Refreshed.Load() || p.memo.Applying.Load() {
			t.Error("something is known of a walk that has just begun")
		}
		if err := walk.call(); err != nil {
			t.Fatal(err)
		}
		if refreshed, applying := p.memo.Refreshed.Load(), p.memo.Applying.Load(); refreshed != walk.refreshed || applying != walk.applying {
			t.Errorf("refreshed = %t, applying = %t, want %t, %t", refreshed, applying, walk.refreshed, walk.applying)
		}
	}
}

// served returns the server of a provider.
func served(t *testing.T, p *agentplane) *protocol.Server {
	t.Helper()
	server, ok := serve(p).(*protocol.Server)
	if !ok {
		t.Fatal("the server doesn't explain what was undecided")
	}
	return server
}

// planOAuthProvider plans to change the provider_id of an OAuth provider, and how its client proves who it is.
func planOAuthProvider(t *testing.T, server *protocol.Server, id string) []*tfprotov6.Diagnostic {
	t.Helper()
	values := map[string]any{
		"provider_id": "calendar", "name": "Calendar", "client_id": "agents", "auth_url": "https://a.example.com", "token_url": "https://t.example.com",
		"uses_pkce": false, "code_challenge_method": "S256", "token_endpoint_auth_method": "client_secret_post",
		"authorization_params": map[string]tftypes.Value{},
	}
	values["updated_at"] = "2026-01-02T03:04:05Z"
	const typeName = "agentplane_oauth_provider"
	prior := encoded(t, server, typeName, values)
	values["provider_id"] = id
	if id == "" {
		values["provider_id"] = tftypes.UnknownValue
	} else if id != "calendar" {
		values["token_endpoint_auth_method"] = "none"
	}
	resp, err := server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: prior, ProposedNewState: encoded(t, server, typeName, values), Config: encoded(t, server, typeName, values),
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(resp.Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Attribute == nil })
}

// replacing is the framework's server with plans that replace.
type replacing struct {
	protocol.FrameworkServer
	noSchema bool
}

func (s replacing) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	if s.noSchema {
		return nil, errors.New("no schema")
	}
	return s.FrameworkServer.GetProviderSchema(ctx, req)
}

func (replacing) PlanResourceChange(context.Context, *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return &tfprotov6.PlanResourceChangeResponse{
		RequiresReplace: []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("provider_id")},
	}, nil
}

// TestUndecided_broken plans replacements that can't be explained, because a state or the schema can't be decoded: they are errors,
// and no replacement goes unexplained.
func TestUndecided_broken(t *testing.T) {
	t.Parallel()
	broken, null := &tfprotov6.DynamicValue{MsgPack: []byte{0xc1}}, &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
	for name, test := range map[string]struct {
		noSchema bool
		req      tfprotov6.PlanResourceChangeRequest
	}{
		"prior":     {false, tfprotov6.PlanResourceChangeRequest{PriorState: broken, ProposedNewState: null}},
		"proposed":  {false, tfprotov6.PlanResourceChangeRequest{PriorState: null, ProposedNewState: broken}},
		"no schema": {true, tfprotov6.PlanResourceChangeRequest{}},
	} {
		p := newProvider("test", nil)
		server := protocol.NewServer(protocol.Wrap(p), replacing{served(t, p).FrameworkServer, test.noSchema}, protocol.Options{
			Memo: func() *framework.Memo { return p.memo },
		})
		test.req.TypeName = "agentplane_oauth_provider"
		if got, err := server.PlanResourceChange(t.Context(), &test.req); err == nil {
			t.Errorf("%s: the plan is %+v, want an error", name, got)
		}
	}
}
