package listener_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const typeName = "agentplane_listener"

// importForms returns the import IDs of a listener in a workspace.
func importForms(workspaceID, id string) map[string]string {
	return map[string]string{
		"id": id, "workspace and id": workspaceID + "/" + id,
		"compute_id": "name:" + computeID, "workspace and compute_id": workspaceID + "/name:" + computeID,
	}
}

// TestAccListener_anotherComputeType imports a listener that isn't Kubernetes', changes it in place and destroys it. Only a listener that has
// such a type can be managed, and only without namespaces.
func TestAccListener_anotherComputeType(t *testing.T) {
	t.Parallel()
	for name, configured := range map[string]config.Variables{"omitted": nil, "configured": {"compute_type": config.StringVariable("vm")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			if !plane.HasComputeType(t, "vm") {
				return
			}
			var listener api.Listener
			plane.Call(http.MethodPost, "/dev/listeners", map[string]any{"compute_type": "vm", "compute_id": computeID}, &listener)
			with := func(changes config.Variables) resource.TestStep {
				variables := maps.Clone(configured)
				if variables == nil {
					variables = config.Variables{}
				}
				maps.Copy(variables, changes)
				return step(plane, "resource", variables)
			}
			steps := adopting(with(nil), listener.ID)
			steps[1].ConfigStateChecks = []statecheck.StateCheck{is(text("vm"), "compute_type"), is(text(listener.ID), "id")}
			placed := with(config.Variables{"k8s_namespaces": names("agents")})
			placed.ExpectError = providertest.Words(`compute_config.k8s_namespaces is set, but the listener's compute_type is "vm"`)
			changed := with(config.Variables{"listener_version": config.StringVariable("1.1")})
			changed.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(managed, plancheck.ResourceActionUpdate)}
			changed.ConfigStateChecks = []statecheck.StateCheck{is(text("vm"), "compute_type"), is(text(listener.ID), "id")}
			tryAll(t, plane, append(steps, placed, changed)...)
			if err := expectSent(plane, 0, 1, 1)(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// adopting imports into the state that the next steps use, and expects an empty plan.
func adopting(matching resource.TestStep, id string) []resource.TestStep {
	matching.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
	return []resource.TestStep{{
		ConfigDirectory: matching.ConfigDirectory, ConfigVariables: matching.ConfigVariables,
		ResourceName: managed, ImportState: true, ImportStatePersist: true, ImportStateId: id,
	}, matching}
}

// TestAccListenerImport_forms imports another user's listener by every form of ID, and expects the next plan to be empty.
func TestAccListenerImport_forms(t *testing.T) {
	t.Parallel()
	for form := range importForms("", "") {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			register(plane, computeID+"-2", "agents")
			id := register(plane, computeID, "agents", "staging").ID
			matching := step(plane, "resource", config.Variables{"k8s_namespaces": names("agents", "staging")})
			steps := adopting(matching, importForms(providertest.WorkspaceID, id)[form])
			providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: steps})
		})
		t.Run(form+", silent listener", func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			id := register(plane, computeID).ID
			steps := adopting(step(plane, "resource", nil), importForms(providertest.WorkspaceID, id)[form])
			tryAll(t, plane, steps...)
		})
	}
}

// TestAccListenerImport_otherWorkspace imports from a workspace other than the provider's.
func TestAccListenerImport_otherWorkspace(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"workspace and id", "workspace and compute_id"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t, twoWorkspaces)
			id := register(plane.In(otherWorkspace), computeID).ID
			matching := step(plane, "resource", config.Variables{"workspace_id": config.StringVariable(otherWorkspace)})
			tryAll(t, plane, adopting(matching, importForms(otherWorkspace, id)[form])...)
		})
	}
}

// TestAccListenerImport_refused expects an error with the next step for every mistake, and nothing in state.
func TestAccListenerImport_refused(t *testing.T) {
	t.Parallel()
	const missing = "99999999-2222-4333-8444-555555555555"
	plane := providertest.NewDev(t)
	var steps []resource.TestStep
	for id, want := range map[string]string{
		"dev-cluster":                           `"dev-cluster" is not an import ID: use ID, WORKSPACE_ID/ID, name:NAME or WORKSPACE_ID/name:NAME, where IDs are UUIDs. The name is the compute_id. For example:`,
		"default/" + missing:                    `is not an import ID`,
		"name:nowhere":                          `No listener of the workspace has the compute_id "nowhere". Check it and workspace_id, or import by ID.`,
		missing:                                 `Cannot import non-existent remote object`,
		otherWorkspace + "/name:" + computeID:   `Cannot look up listener "tf-acc-cluster"`,
		otherWorkspace + "/" + plane.ListenerID: `Status: 403`,
	} {
		steps = append(steps, resource.TestStep{
			ConfigDirectory: config.StaticDirectory("testdata/resource"), ConfigVariables: plane.Variables(nil),
			ResourceName: managed, ImportState: true, ImportStatePersist: true, ImportStateId: id, ExpectError: providertest.Words(want),
		})
	}
	tryAll(t, plane, steps...)
}

// TestAccListenerImport_block imports with an import block with an ID.
func TestAccListenerImport_block(t *testing.T) {
	t.Parallel()
	importByBlock(t, resource.ImportBlockWithID, tfversion.SkipBelow(tfversion.Version1_5_0))
}

// TestAccListenerImport_identity_next imports with an import block with an identity.
func TestAccListenerImport_identity_next(t *testing.T) {
	t.Parallel()
	importByBlock(t, resource.ImportBlockWithResourceIdentity,
		providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_12_0))...)
}

func importByBlock(t *testing.T, kind resource.ImportStateKind, versions ...tfversion.TerraformVersionCheck) {
	t.Helper()
	plane := providertest.NewDev(t)
	create := step(plane, "resource", config.Variables{"k8s_namespaces": names("agents")})
	block := importing(create)
	block.ImportStateVerify, block.ImportStateVerifyIgnore, block.ImportStateKind = false, nil, kind
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{create, block},
		TerraformVersionChecks: versions,
	})
}

// identity returns the identity of a listener in a response.
func identity(r *providertest.RPC, data *tfprotov6.ResourceIdentityData) map[string]string {
	return r.Identity(data, "workspace_id", "id")
}

// attributes returns the attributes of a state or plan.
func attributes(r *providertest.RPC, v *tfprotov6.DynamicValue) map[string]tftypes.Value {
	return r.Attributes(v, r.Schema.ResourceSchemas[typeName].ValueType())
}

// imported makes the calls of an import by identity, as newer CLIs do.
func imported(r *providertest.RPC, given map[string]any) *tfprotov6.ImportedResource {
	resp, err := r.Server.ImportResourceState(context.Background(), &tfprotov6.ImportResourceStateRequest{
		TypeName: typeName, Identity: &tfprotov6.ResourceIdentityData{IdentityData: r.Value(given)},
	})
	r.OK(err, resp.Diagnostics)
	return resp.ImportedResources[0]
}

// refreshed reads the imported resource.
func refreshed(r *providertest.RPC, found *tfprotov6.ImportedResource) *tfprotov6.ReadResourceResponse {
	read, err := r.Server.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{
		TypeName: typeName, CurrentState: found.State, Private: found.Private, CurrentIdentity: found.Identity,
	})
	r.OK(err, read.Diagnostics)
	return read
}

// TestAccListenerImport_identityCalls imports by identity, and reads the imported resource.
func TestAccListenerImport_identityCalls(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	r := plane.RPC()
	schemas, err := r.Server.GetResourceIdentitySchemas(context.Background(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	r.OK(err, schemas.Diagnostics)
	required := map[string]bool{}
	for _, attribute := range schemas.IdentitySchemas[typeName].IdentityAttributes {
		required[attribute.Name] = attribute.RequiredForImport
	}
	if diff := cmp.Diff(map[string]bool{"id": true, "workspace_id": false}, required); diff != "" {
		t.Errorf("identity schema (-want +got):\n%s", diff)
	}
	want := map[string]string{"workspace_id": providertest.WorkspaceID, "id": plane.ListenerID}
	for name, given := range map[string]map[string]any{
		"id": {"id": plane.ListenerID}, "both": {"id": plane.ListenerID, "workspace_id": providertest.WorkspaceID},
		"in other spellings": {"id": strings.ToUpper(plane.ListenerID), "workspace_id": strings.ReplaceAll(providertest.WorkspaceID, "-", "")},
	} {
		t.Run(name, func(t *testing.T) {
			found := imported(r, given)
			if diff := cmp.Diff(want, identity(r, found.Identity)); diff != "" {
				t.Errorf("identity after the import (-want +got):\n%s", diff)
			}
			read := refreshed(r, found)
			if diff := cmp.Diff(want, identity(r, read.NewIdentity)); diff != "" {
				t.Errorf("identity after the refresh (-want +got):\n%s", diff)
			}
			if got := attributes(r, read.NewState)["compute_id"]; !got.Equal(tftypes.NewValue(tftypes.String, seeded)) {
				t.Errorf("compute_id = %s, want %s", got, seeded)
			}
		})
	}
}

// TestAccListener_providerUnknown plans while the provider's configuration is unknown: the state is kept.
func TestAccListener_providerUnknown(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	r := plane.RPC()
	found := imported(r, map[string]any{"id": plane.ListenerID})
	configured, err := r.Server.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{Config: unknownBaseURL(t, r)})
	r.OK(err, configured.Diagnostics)
	before := len(plane.Server.Requests())
	read := refreshed(r, found)
	if diff := cmp.Diff(attributes(r, found.State), attributes(r, read.NewState)); diff != "" {
		t.Errorf("the read changed the state (-want +got):\n%s", diff)
	}
	if asked := len(plane.Server.Requests()) - before; asked > 0 {
		t.Errorf("%d requests were sent, want 0", asked)
	}
}

// unknownBaseURL returns a configuration of the provider with an unknown base_url.
func unknownBaseURL(t *testing.T, r *providertest.RPC) *tfprotov6.DynamicValue {
	t.Helper()
	object, ok := r.Schema.Provider.ValueType().(tftypes.Object)
	if !ok {
		t.Fatalf("the type of the provider's configuration is %s, want an object", r.Schema.Provider.ValueType())
	}
	values := map[string]tftypes.Value{}
	for name, kind := range object.AttributeTypes {
		values[name] = tftypes.NewValue(kind, nil)
	}
	values["base_url"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	if err != nil {
		t.Fatal(err)
	}
	return &config
}
