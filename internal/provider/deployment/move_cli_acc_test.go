package deployment_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	acceptance "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// standIn acts as the vendor's provider: created resources get the given state.
type standIn struct {
	provider.Provider
	state map[string]any
	// deleted has the IDs of deleted resources.
	deleted *[]string
}

func (s standIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "langsmith"
}
func (s standIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (s standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (s standIn) DataSources(context.Context) []func() datasource.DataSource                        { return nil }
func (s standIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return standInResource{state: s.state, deleted: s.deleted} }}
}

type standInResource struct {
	resource.Resource
	state   map[string]any
	deleted *[]string
}

func (standInResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "langsmith_deployment"
}

// Schema has the attributes of the state. Those that aren't configured are computed.
func (standInResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	required := schema.StringAttribute{Required: true}
	computed := schema.StringAttribute{Computed: true}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name": required, "source": required,
		"source_config": schema.SingleNestedAttribute{Required: true, Attributes: map[string]schema.Attribute{
			"listener_id": required,
			"listener_config": schema.SingleNestedAttribute{Required: true, Attributes: map[string]schema.Attribute{
				"k8s_namespace": required,
			}},
		}},
		"source_revision_config": schema.SingleNestedAttribute{Required: true, Attributes: map[string]schema.Attribute{
			"image_uri": required,
		}},
		"id": computed, "workspace_id": computed, "created_at": computed, "updated_at": computed, "status": computed,
		"latest_revision_id": computed, "active_revision_id": computed, "latest_revision_status": computed,
	}}
}

func (s standInResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	for name, attribute := range resp.State.Schema.GetAttributes() {
		if text, ok := s.state[name].(string); ok && attribute.IsComputed() {
			resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), types.StringValue(text))...)
		}
	}
}
func (standInResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}
func (s standInResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var name types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("name"), &name)...)
	*s.deleted = append(*s.deleted, name.ValueString())
}

// vendorStep returns a test step with both providers.
func vendorStep(plane *providertest.Plane, directory string, checks ...plancheck.PlanCheck) acceptance.TestStep {
	return acceptance.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/" + directory), ConfigVariables: plane.Variables(nil),
		ConfigPlanChecks: acceptance.ConfigPlanChecks{PreApply: checks},
	}
}

// besideVendor returns the provider next to one that acts as the vendor's, which manages a deployment and records the names of those that it
// deletes in deleted.
func besideVendor(t *testing.T, plane *providertest.Plane, deleted *[]string) map[string]func() (tfprotov6.ProviderServer, error) {
	t.Helper()
	var state map[string]any
	if err := json.Unmarshal(vendorState(t, plane, "first_version", makeDeployment(plane, "tf-acc-moved", nil, nil)), &state); err != nil {
		t.Fatal(err)
	}
	state["workspace_id"] = providertest.WorkspaceID
	factories := plane.Factories()
	factories["langsmith"] = providerserver.NewProtocol6WithError(standIn{state: state, deleted: deleted})
	return factories
}

// needsMoves returns a check of Terraform's version and, for OpenTofu, one for 1.10: earlier versions support neither moves between
// resource types nor lifecycle blocks in removed blocks.
func needsMoves(t *testing.T, terraform tfversion.TerraformVersionCheck) []tfversion.TerraformVersionCheck {
	t.Helper()
	if os.Getenv("TF_ACC_PROVIDER_HOST") == "registry.opentofu.org" { // .ci/cli sets this.
		terraform = tfversion.SkipBelow(tfversion.Version1_10_0)
	}
	return providertest.VersionChecks(t, terraform)
}

// TestAccMove_cli moves a deployment with a moved block in one step, while another stays with the vendor's provider.
func TestAccMove_cli(t *testing.T) {
	t.Parallel()
	plane := newVendorPlane(t)
	acceptance.Test(t, acceptance.TestCase{
		ProtoV6ProviderFactories: besideVendor(t, plane, new([]string)), CheckDestroy: checkNoneLeft(plane),
		TerraformVersionChecks: needsMoves(t, tfversion.SkipBelow(tfversion.Version1_8_0)),
		Steps: []acceptance.TestStep{
			vendorStep(plane, "move_before"),
			vendorStep(plane, "move_after", plancheck.ExpectResourceAction("agentplane_deployment.support[0]", plancheck.ResourceActionNoop),
				plancheck.ExpectResourceAction("langsmith_deployment.other", plancheck.ResourceActionNoop)),
		},
	})
	if sent := len(plane.Requests("PATCH", "/v2/deployments/*")); sent != 0 {
		t.Errorf("sent %d PATCHes, want none", sent)
	}
}

// TestAccMove_removed makes the vendor's provider forget a deployment with a removed block, which keeps the deployment.
func TestAccMove_removed(t *testing.T) {
	t.Parallel()
	plane := newVendorPlane(t)
	var deleted []string
	forgotten := vendorStep(plane, "move_removed", plancheck.ExpectResourceAction("langsmith_deployment.other", plancheck.ResourceActionNoop))
	forgotten.Check = func(state *terraform.State) error {
		if _, there := state.RootModule().Resources["langsmith_deployment.support.0"]; there || len(deleted) > 0 {
			return fmt.Errorf("in state: %t, deleted: %q; want neither", there, deleted)
		}
		return nil
	}
	acceptance.Test(t, acceptance.TestCase{
		ProtoV6ProviderFactories: besideVendor(t, plane, &deleted),
		TerraformVersionChecks:   needsMoves(t, tfversion.SkipBelow(tfversion.Version1_7_0)),
		Steps:                    []acceptance.TestStep{vendorStep(plane, "move_before"), forgotten},
	})
	if diff := cmp.Diff([]string{"tf-acc-other"}, deleted); diff != "" {
		t.Errorf("deployments deleted in the end (-want +got):\n%s", diff)
	}
}
