package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/direct"
)

// TestUndecided goes through what may come between a plan that leaves open whether a resource is replaced and the plan
// within its apply.
func TestUndecided(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first, second string // What the plans propose for the provider_id; empty for an unknown one.
		refreshed     bool
		otherState    bool
		want          string // Words of the error; empty for none.
	}{
		"another value":                  {first: "", second: "other", want: `provider_id from "calendar" to "other"; token_endpoint_auth_method from "client_secret_post" to "none"`},
		"the same value":                 {first: "", second: "calendar"},
		"known all along":                {first: "other", second: "other"},
		"a plan of its own":              {first: "", second: "other", refreshed: true},
		"another apply has come between": {first: "", second: "other", otherState: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			notes := framework.Notes{Directory: t.TempDir()}
			plan := func(id, note string, refreshed bool) []*tfprotov6.Diagnostic {
				server, ok := NewServer("test", WithNotes(notes.Directory))().(undecidedServer)
				if !ok {
					t.Fatal("the server doesn't tell of what was undecided")
				}
				server.refreshed.Store(refreshed)
				return planOAuthProvider(t, server, id, note)
			}
			if told := plan(test.first, "", false); len(told) != map[bool]int{true: 1, false: 0}[test.first == ""] {
				t.Fatalf("the first plan says %v", told)
			}
			note := ""
			if test.otherState {
				note = "newer"
			}
			told := plan(test.second, note, test.refreshed)
			if test.want == "" {
				if len(told) > 0 {
					t.Errorf("the second plan says %+v", told[0])
				}
				return
			}
			if len(told) != 1 || told[0].Severity != tfprotov6.DiagnosticSeverityError || !strings.Contains(told[0].Detail, test.want) ||
				!strings.Contains(told[0].Detail, "Apply again") {
				t.Errorf("the second plan says %+v", told)
			}
			if told := plan(test.second, note, false); len(told) > 0 {
				t.Errorf("it is said again: %+v", told[0]) // What is noted is taken once.
			}
		})
	}
}

// planOAuthProvider plans to change the provider_id of an OAuth provider, and how its client proves who it is.
func planOAuthProvider(t *testing.T, server tfprotov6.ProviderServer, id, updatedAt string) []*tfprotov6.Diagnostic {
	t.Helper()
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	kind, ok := schema.ResourceSchemas["agentplane_oauth_provider"].ValueType().(tftypes.Object)
	if !ok {
		t.Fatal("the resource has no object")
	}
	encoded := func(values map[string]any) *tfprotov6.DynamicValue {
		attributes := map[string]tftypes.Value{}
		for name, as := range kind.AttributeTypes {
			attributes[name] = tftypes.NewValue(as, values[name])
		}
		value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, attributes))
		if err != nil {
			t.Fatal(err)
		}
		return &value
	}
	values := map[string]any{
		"provider_id": "calendar", "name": "Calendar", "client_id": "agents", "auth_url": "https://a.example.com", "token_url": "https://t.example.com",
		"uses_pkce": false, "code_challenge_method": "S256", "token_endpoint_auth_method": "client_secret_post",
		"authorization_params": map[string]tftypes.Value{},
	}
	values["updated_at"] = "2026-01-02T03:04:05Z" + updatedAt
	prior := encoded(values)
	values["provider_id"] = id
	if id == "" {
		values["provider_id"] = tftypes.UnknownValue
	} else if id != "calendar" {
		values["token_endpoint_auth_method"] = "none"
	}
	resp, err := server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "agentplane_oauth_provider", PriorState: prior, ProposedNewState: encoded(values), Config: encoded(values),
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(resp.Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Attribute == nil })
}

// TestUndecided_broken passes states that can't be decoded: they are errors, and no replacement goes unexplained.
func TestUndecided_broken(t *testing.T) {
	t.Parallel()
	server, ok := NewServer("test")().(undecidedServer)
	if !ok {
		t.Fatal("the server doesn't tell of what was undecided")
	}
	broken, null := &tfprotov6.DynamicValue{MsgPack: []byte{0xc1}}, &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
	for name, req := range map[string]*tfprotov6.PlanResourceChangeRequest{
		"prior":    {PriorState: broken, ProposedNewState: null},
		"proposed": {PriorState: null, ProposedNewState: broken},
	} {
		req.TypeName = "agentplane_oauth_provider"
		if got, err := server.decided(t.Context(), req, &tfprotov6.PlanResourceChangeResponse{}); err == nil {
			t.Errorf("%s: decided = %v, want an error", name, got)
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
	notes := framework.Notes{Directory: t.TempDir()}
	plan := func(resp *tfprotov6.PlanResourceChangeResponse) error {
		server := undecidedServer{unreadable{resp: resp}, notes, new(atomic.Bool)}
		_, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: "agentplane_oauth_provider", PriorState: &tfprotov6.DynamicValue{MsgPack: []byte("state")},
		})
		return err
	}
	open := []*tfprotov6.Diagnostic{{Summary: framework.UndecidedSummary}}
	if err := plan(&tfprotov6.PlanResourceChangeResponse{Diagnostics: open}); err != nil {
		t.Fatal(err)
	}
	replacing := []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("provider_id")}
	if err := plan(&tfprotov6.PlanResourceChangeResponse{RequiresReplace: replacing}); err == nil {
		t.Error("the second plan has no error")
	}
}
