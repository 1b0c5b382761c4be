package table

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// hcl is a block with arguments.
func hcl(t *testing.T, header string, arguments object) string {
	t.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	as, err := ctyjson.ImpliedType(data)
	if err != nil {
		t.Fatal(err)
	}
	value, err := ctyjson.Unmarshal(data, as)
	if err != nil {
		t.Fatal(err)
	}
	file := hclwrite.NewEmptyFile()
	for name, argument := range value.AsValueMap() {
		file.Body().SetAttributeValue(name, argument)
	}
	return header + " {\n" + string(file.Bytes()) + "}\n"
}

// block is the configuration of the object.
func (s *subject) block(config object) string {
	return hcl(s.t, fmt.Sprintf("resource %q %q", s.typeName, "test"), config)
}

// TestAccTable_importBlock imports with an import block with an ID.
func TestAccTable_importBlock(t *testing.T) {
	eachRow(t, func(s *subject) {
		s.importsByBlock(resource.ImportBlockWithID, tfversion.SkipBelow(tfversion.Version1_11_0))
	})
}

// TestAccTable_importIdentity_next imports with an import block with an identity.
func TestAccTable_importIdentity_next(t *testing.T) {
	versions := providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_12_0))
	eachRow(t, func(s *subject) { s.importsByBlock(resource.ImportBlockWithResourceIdentity, versions...) })
}

func (s *subject) importsByBlock(kind resource.ImportStateKind, versions ...tfversion.TerraformVersionCheck) {
	created := resource.TestStep{Config: s.block(s.config)}
	imported := created
	imported.ResourceName, imported.ImportState, imported.ImportStateKind = s.typeName+".test", true, kind
	if kind == resource.ImportBlockWithID {
		imported.ImportStateIdFunc = func(state *terraform.State) (string, error) {
			return filled(s.imports[0], state.RootModule().Resources[s.typeName+".test"].Primary.Attributes), nil
		}
	}
	if s.config["tokens_wo_version"] != nil { // Only an apply records it.
		imported.ExpectError = providertest.Words("expected a no-op import operation")
	}
	resource.Test(s.t, resource.TestCase{
		ProtoV6ProviderFactories: s.Plane.Factories(), TerraformVersionChecks: versions, Steps: []resource.TestStep{created, imported},
	})
}

// TestAccTable_query_next queries as people do.
func TestAccTable_query_next(t *testing.T) {
	versions := providertest.VersionChecks(t, tfversion.SkipBelow(tfversion.Version1_14_0))
	eachRow(t, func(s *subject) {
		s.needsQuery()
		s.Make(s.config)
		arguments := "\n"
		if strings.Contains(s.list, "{agent_id}") {
			arguments = hcl(s.t, "  config", object{"agent_id": s.config["agent_id"]})
		}
		resource.Test(s.t, resource.TestCase{
			ProtoV6ProviderFactories: s.Plane.Factories(), TerraformVersionChecks: versions,
			Steps: []resource.TestStep{{
				Query:             true,
				Config:            fmt.Sprintf("provider \"agentplane\" {}\n\nlist %q \"all\" {\n  provider = agentplane\n%s}\n", s.typeName, arguments),
				QueryResultChecks: []querycheck.QueryResultCheck{querycheck.ExpectLength(s.typeName+".all", 1+s.seeded)},
			}},
		})
	})
}

// TestAccTable_providerUnknown refreshes while the address of the service is unknown: nothing is sent, and the state stays.
func TestAccTable_providerUnknown(t *testing.T) {
	eachRow(t, (*subject).staysUnread)
}

func (s *subject) staysUnread() {
	s.converges("create", s.config)
	rpc := s.Plane.RPC()
	object, _ := rpc.Schema.Provider.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, kind := range object.AttributeTypes {
		values[name] = tftypes.NewValue(kind, nil)
	}
	values["base_url"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	if err != nil {
		s.t.Fatal(err)
	}
	configured, err := rpc.Server.ConfigureProvider(s.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: &config})
	rpc.OK(err, configured.Diagnostics)
	before := len(s.Plane.Seen())
	as := rpc.Schema.ResourceSchemas[s.typeName].ValueType()
	state := s.encoded(rpc, s.State.Attributes())
	read, err := rpc.Server.ReadResource(s.t.Context(), &tfprotov6.ReadResourceRequest{TypeName: s.typeName, CurrentState: state})
	rpc.OK(err, read.Diagnostics)
	if diff := cmp.Diff(rpc.Attributes(state, as), rpc.Attributes(read.NewState, as)); diff != "" || len(s.Plane.Seen()) > before {
		s.t.Errorf("%d requests were sent, and the read changed the state (-before +after):\n%s", len(s.Plane.Seen())-before, diff)
	}
}

// encoded is a state as Terraform encodes it.
func (s *subject) encoded(rpc *providertest.RPC, attributes object) *tfprotov6.DynamicValue {
	s.t.Helper()
	as := rpc.Schema.ResourceSchemas[s.typeName].ValueType()
	state, err := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, rpc.Attributes(rpc.Value(attributes), as)))
	rpc.OK(err, nil)
	return &state
}
