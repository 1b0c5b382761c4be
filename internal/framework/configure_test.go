package framework_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// configured configures a resource or an ephemeral resource, and returns its data and diagnostics.
type configured func(ctx context.Context, data any) (*framework.ProviderData, diag.Diagnostics)

var kinds = map[string]configured{
	"resource": func(ctx context.Context, data any) (*framework.ProviderData, diag.Diagnostics) {
		var r framework.Resource
		var resp resource.ConfigureResponse
		r.Configure(ctx, resource.ConfigureRequest{ProviderData: data}, &resp)
		return &r.ProviderData, resp.Diagnostics
	},
	"ephemeral resource": func(ctx context.Context, data any) (*framework.ProviderData, diag.Diagnostics) {
		var r framework.EphemeralResource
		var resp ephemeral.ConfigureResponse
		r.Configure(ctx, ephemeral.ConfigureRequest{ProviderData: data}, &resp)
		return &r.ProviderData, resp.Diagnostics
	},
}

// TestUnlikeAttributes checks that attributes aren't converted to kinds that can't have all that matters.
func TestUnlikeAttributes(t *testing.T) {
	t.Parallel()
	for want, attribute := range map[string]schema.Attribute{
		"schema.Int64Attribute is none of the types": schema.Int64Attribute{}, "can't be sensitive or write-only": schema.StringAttribute{WriteOnly: true},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panic = %s, want %s", got, want)
				}
			}()
			framework.EphemeralAttributes(map[string]schema.Attribute{"a": attribute})
		}()
	}
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	c, err := client.New(client.Config{BaseURL: "https://agents.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for kind, configure := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			t.Run("before the provider", func(t *testing.T) {
				t.Parallel()
				data, diags := configure(t.Context(), nil)
				if diags.HasError() || data.Client != nil {
					t.Errorf("diagnostics = %v, want none and no client", diags)
				}
			})
			t.Run("with a client", func(t *testing.T) {
				t.Parallel()
				data, diags := configure(t.Context(), &framework.ProviderData{Client: c})
				if diags.HasError() || data.Client != c {
					t.Errorf("client = %v, %v; want the given one", data.Client, diags)
				}
				if diags := data.Configured(); diags.HasError() {
					t.Errorf("Configured() = %v, want no error", diags)
				}
			})
			t.Run("while a setting is unknown", func(t *testing.T) {
				t.Parallel()
				data, diags := configure(t.Context(), &framework.ProviderData{})
				if diags.HasError() {
					t.Errorf("diagnostics = %v, want none until the service is needed", diags)
				}
				got := read(data.Configured())
				if len(got) != 1 || got[0].Summary != "Provider configuration not known yet" || !strings.Contains(got[0].Detail, "-target") {
					t.Errorf("Configured() = %+v, want an error that suggests -target", got)
				}
			})
			t.Run("with something else", func(t *testing.T) {
				t.Parallel()
				_, diags := configure(t.Context(), c)
				got := read(diags)
				if len(got) != 1 || !strings.Contains(got[0].Detail, "got *client.Client") {
					t.Errorf("diagnostics = %+v, want an error that names the type", got)
				}
			})
		})
	}
}
