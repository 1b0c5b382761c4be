package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/direct"
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
func served(t *testing.T, p *agentplane) undecidedServer {
	t.Helper()
	server, ok := serve(p).(undecidedServer)
	if !ok {
		t.Fatal("the server doesn't explain what was undecided")
	}
	return server
}

// planOAuthProvider plans to change the provider_id of an OAuth provider, and how its client proves who it is.
func planOAuthProvider(t *testing.T, server undecidedServer, id string) []*tfprotov6.Diagnostic {
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

// TestUndecided_broken passes states that can't be decoded: they are errors, and no replacement goes unexplained.
func TestUndecided_broken(t *testing.T) {
	t.Parallel()
	server := served(t, newProvider("test", nil))
	broken, null := &tfprotov6.DynamicValue{MsgPack: []byte{0xc1}}, &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
	for name, req := range map[string]*tfprotov6.PlanResourceChangeRequest{
		"prior":    {PriorState: broken, ProposedNewState: null},
		"proposed": {PriorState: null, ProposedNewState: broken},
	} {
		req.TypeName = "agentplane_oauth_provider"
		if got, err := server.because(t.Context(), req, &tfprotov6.PlanResourceChangeResponse{}); err == nil {
			t.Errorf("%s: because = %v, want an error", name, got)
		}
	}
	attribute := tftypes.NewAttributePath().WithAttributeName("source").WithAttributeName("uri")
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"source": tftypes.Object{AttributeTypes: map[string]tftypes.Type{"uri": tftypes.String}}}}
	nothing := tftypes.NewValue(object, map[string]tftypes.Value{"source": tftypes.NewValue(object.AttributeTypes["source"], nil)})
	if text, is := textAt(nothing, attribute); text != "null" || !is {
		t.Errorf("textAt in an object that is null = %q, %t, want null", text, is)
	}
	if text, is := textAt(tftypes.NewValue(tftypes.Number, 1), tftypes.NewAttributePath()); is {
		t.Errorf("textAt of a number = %q, want no text", text)
	}
}

// unreadable is a server that can't return its schema. Its plans are resp.
type unreadable struct {
	direct.FrameworkServer
	resp *tfprotov6.PlanResourceChangeResponse
}

func (unreadable) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return nil, errors.New("no schema")
}

func (s unreadable) PlanResourceChange(context.Context, *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return s.resp, nil
}

// TestUndecided_noSchema plans a replacement that can't be explained: it is an error, not a replacement.
func TestUndecided_noSchema(t *testing.T) {
	t.Parallel()
	replacing := []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("provider_id")}
	server := undecidedServer{unreadable{resp: &tfprotov6.PlanResourceChangeResponse{RequiresReplace: replacing}}, newProvider("test", nil), nil}
	if _, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{TypeName: "agentplane_oauth_provider"}); err == nil {
		t.Error("the plan has no error")
	}
}
