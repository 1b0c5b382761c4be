package deployment_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-testing/config"
	acceptance "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// standIn acts as the vendor's provider: created resources get the given state.
type standIn struct {
	provider.Provider
	state map[string]any
}

func (s standIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "langsmith"
}
func (s standIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (s standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (s standIn) DataSources(context.Context) []func() datasource.DataSource                        { return nil }
func (s standIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return standInResource{state: s.state} }}
}

type standInResource struct {
	resource.Resource
	state map[string]any
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
func (standInResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (standInResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// vendorStep returns a test step with both providers.
func vendorStep(plane *providertest.Plane, directory string, checks ...plancheck.PlanCheck) acceptance.TestStep {
	return acceptance.TestStep{
		ConfigDirectory: config.StaticDirectory("testdata/" + directory), ConfigVariables: plane.Variables(nil),
		ConfigPlanChecks: acceptance.ConfigPlanChecks{PreApply: checks},
	}
}

// TestAccMove_cli moves a deployment with a moved block in one step, while another stays with the vendor's provider.
func TestAccMove_cli(t *testing.T) {
	t.Parallel()
	terraform := tfversion.SkipBelow(tfversion.Version1_8_0)
	if os.Getenv("TF_ACC_PROVIDER_HOST") == "registry.opentofu.org" { // .ci/cli sets this.
		terraform = tfversion.SkipBelow(tfversion.Version1_10_0) // Earlier versions of OpenTofu don't support moves between resource types.
	}
	plane := newVendorPlane(t)
	var state map[string]any
	if err := json.Unmarshal(vendorState(t, plane, "first_version", makeDeployment(plane, "tf-acc-moved", nil, nil)), &state); err != nil {
		t.Fatal(err)
	}
	state["workspace_id"] = providertest.WorkspaceID
	factories := plane.Factories()
	factories["langsmith"] = providerserver.NewProtocol6WithError(standIn{state: state})
	acceptance.Test(t, acceptance.TestCase{
		ProtoV6ProviderFactories: factories, CheckDestroy: checkNoneLeft(plane), TerraformVersionChecks: providertest.VersionChecks(t, terraform),
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
