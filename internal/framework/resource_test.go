package framework_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

type loginModel struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	Name        types.String `tfsdk:"name"`
	Password    types.String `tfsdk:"password"`
	ID          types.String `tfsdk:"id"`
}

func (m loginModel) ResourceIdentity() any { return nil }

func loginSchema() schema.Schema {
	return schema.Schema{Attributes: map[string]schema.Attribute{
		"workspace_id": schema.StringAttribute{Optional: true, Computed: true},
		"name":         schema.StringAttribute{Required: true},
		"password":     schema.StringAttribute{Optional: true, Sensitive: true, WriteOnly: true},
		"id":           schema.StringAttribute{Computed: true},
	}}
}

// TestResource_writeOnly creates an object with a write-only value: the operation has it, the state doesn't, and what the service doesn't
// return has not been changed by another user.
func TestResource_writeOnly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answered string
		warnings []string
	}{
		"as planned":              {"mail", nil},
		"changed by another user": {"calendar", []string{"warning: Changed by another user or process"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, s := t.Context(), loginSchema()
			values := func(password, id any) tftypes.Value {
				value := func(v any) tftypes.Value { return tftypes.NewValue(tftypes.String, v) }
				return tftypes.NewValue(s.Type().TerraformType(ctx), map[string]tftypes.Value{
					"workspace_id": value(nil), "name": value("mail"), "password": value(password), "id": value(id),
				})
			}
			var sent string
			r := framework.NewResource(framework.ResourceSpec[loginModel]{
				Name: "login", Noun: "login", Schema: loginSchema,
				Label: func(m loginModel) string { return m.ID.ValueString() },
				Create: func(_ context.Context, op *framework.Operation[loginModel]) (*loginModel, diag.Diagnostics) {
					sent = op.Plan.Password.ValueString()
					created := op.Plan
					created.ID, created.Name = types.StringValue("1"), types.StringValue(test.answered)
					return &created, nil
				},
			})
			var configured resource.ConfigureResponse
			r.(resource.ResourceWithConfigure).Configure(ctx, resource.ConfigureRequest{ProviderData: &framework.ProviderData{Client: &client.Client{}}}, &configured)
			frameworktest.NoDiags(t, configured.Diagnostics)
			resp := resource.CreateResponse{State: tfsdk.State{Schema: s}}
			r.Create(ctx, resource.CreateRequest{
				Config: tfsdk.Config{Schema: s, Raw: values("secret", nil)}, Plan: tfsdk.Plan{Schema: s, Raw: values(nil, tftypes.UnknownValue)},
			}, &resp)
			if got := frameworktest.Lines(resp.Diagnostics); !slices.Equal(got, test.warnings) {
				t.Errorf("diagnostics %v, want %v", got, test.warnings)
			}
			if sent != "secret" {
				t.Errorf("sent %q, want the write-only value", sent)
			}
			if diff := cmp.Diff(values(nil, "1").String(), resp.State.Raw.String()); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}
