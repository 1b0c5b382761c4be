package protocol_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/protocol"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// fake is a provider with the resources fake_thing, which has an identity, fake_plain, which has none, fake_deep, which computes elements
// of a list, and fake_own, which has a plan modifier of its own. Tests set their behaviour.
type fake struct {
	modify   func(context.Context, resource.ModifyPlanRequest, *resource.ModifyPlanResponse)
	read     func(context.Context, resource.ReadRequest, *resource.ReadResponse)
	validate func(resource.ValidateConfigRequest, *resource.ValidateConfigResponse)

	asked int // The number of calls to plan or read a resource.
	data  any // The data it was configured with.
}

func (*fake) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "fake"
}
func (*fake) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (*fake) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ResourceData = "configured"
}
func (*fake) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource { return nil }
func (*fake) Actions(context.Context) []func() action.Action                          { return nil }
func (*fake) Functions(context.Context) []func() function.Function                    { return nil }
func (*fake) ListResources(context.Context) []func() list.ListResource                { return nil }
func (f *fake) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &thing{plain{f, "thing"}} },
		func() resource.Resource { return &plain{f, "plain"} },
		func() resource.Resource { return &plain{f, "deep"} },
		func() resource.Resource { return &plain{f, "own"} },
	}
}

type plain struct {
	*fake
	name string
}

func (*plain) Repeats() {}

func (r *plain) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "fake_" + r.name
}

func (r *plain) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	key := schema.StringAttribute{Required: true, Validators: []validator.String{stringvalidator.LengthAtLeast(2)}}
	nested := map[string]schema.Attribute{
		"key": key, "found": schema.StringAttribute{Computed: true},
		"kept":  schema.BoolAttribute{Optional: true, Computed: true, PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()}},
		"fixed": schema.BoolAttribute{Optional: true, PlanModifiers: []planmodifier.Bool{framework.ReplacingBool{Bool: boolplanmodifier.RequiresReplace()}}},
	}
	object := schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{"key": key}}
	resp.Schema = schema.Schema{Version: 1, Attributes: map[string]schema.Attribute{
		"id":       schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		"name":     schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{framework.ReplacingString{String: stringplanmodifier.RequiresReplace()}}},
		"mode":     schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("fast")},
		"secret":   schema.StringAttribute{Optional: true, WriteOnly: true},
		"old":      schema.StringAttribute{Optional: true, DeprecationMessage: "Use mode."},
		"size":     schema.Float64Attribute{Optional: true},
		"tags":     schema.MapAttribute{Optional: true, ElementType: types.StringType},
		"json":     schema.StringAttribute{Optional: true, CustomType: jsontypes.NormalizedType{}},
		"single":   schema.SingleNestedAttribute{Optional: true, Attributes: nested},
		"list":     schema.ListNestedAttribute{Optional: true, NestedObject: object, Validators: []validator.List{listvalidator.SizeAtMost(2)}},
		"map":      schema.MapNestedAttribute{Optional: true, NestedObject: object},
		"requires": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.AlsoRequires(path.MatchRoot("mode"))}},
		"seen":     schema.SetAttribute{Computed: true, ElementType: types.StringType},
	}}
	switch r.name {
	case "deep":
		resp.Schema.Attributes["list"] = schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: nested}}
	case "own":
		resp.Schema.Attributes["name"] = schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{lower{}}}
	}
}

// lower is a plan modifier that this package doesn't know.
type lower struct{}

func (lower) Description(context.Context) string         { return "" }
func (lower) MarkdownDescription(context.Context) string { return "" }
func (lower) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	resp.PlanValue = types.StringValue(strings.ToLower(req.PlanValue.ValueString()))
}

func (r *plain) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.data = req.ProviderData
}

func (r *plain) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if r.validate != nil {
		r.validate(req, resp)
	}
}

func (r *plain) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if framework.Repeat(ctx, req, resp) {
		return
	}
	r.asked++
	if r.modify != nil {
		r.modify(ctx, req, resp)
	}
}

func (r *plain) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	if framework.Repeat(ctx, req, resp) {
		return
	}
	r.asked++
	if r.read != nil {
		r.read(ctx, req, resp)
	}
}

func (*plain) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {}
func (*plain) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}
func (*plain) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
func (*plain) ImportState(context.Context, resource.ImportStateRequest, *resource.ImportStateResponse) {
}

// thing has an identity.
type thing struct{ plain }

func (*thing) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true},
	}}
}

func (*fake) DataSources(context.Context) []func() datasource.DataSource { return nil }

// server is a server under test, with counters.
type server struct {
	*protocol.Server
	types map[string]tftypes.Type
	// framework counts the calls that the framework answers, and compared the compared answers.
	framework, compared int
}

// counting counts calls to the framework.
type counting struct {
	protocol.FrameworkServer
	calls *int
}

func (c counting) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	*c.calls++
	return c.FrameworkServer.UpgradeResourceState(ctx, req)
}

func (c counting) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	*c.calls++
	return c.FrameworkServer.ReadResource(ctx, req)
}

func (c counting) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	*c.calls++
	return c.FrameworkServer.PlanResourceChange(ctx, req)
}

// start starts and configures the server of a provider.
func start(t *testing.T, f *fake, compares bool) *server {
	t.Helper()
	s, p := &server{types: map[string]tftypes.Type{}}, protocol.Wrap(f)
	complete, ok := providerserver.NewProtocol6(p)().(protocol.FrameworkServer)
	if !ok {
		t.Fatal("the framework's server doesn't implement all interfaces")
	}
	memo := &framework.Memo{}
	memo.Refreshed.Store(true) // Otherwise replacements are explained.
	var compare protocol.Compare
	if compares {
		same := providertest.SameAnswers(t)
		compare = func(typeName string, direct, framework any) {
			switch direct.(type) {
			case resource.ModifyPlanRequest, resource.ReadRequest:
			default:
				s.compared++
			}
			same(typeName, direct, framework)
		}
	}
	s.Server = protocol.NewServer(p, counting{complete, &s.framework}, protocol.Options{
		Memo: func() *framework.Memo { return memo }, Compare: compare,
	})
	schemas, err := s.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for name, described := range schemas.ResourceSchemas {
		s.types[name] = described.ValueType()
	}
	if _, err := s.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: encoded(t, schemas.Provider.ValueType(), nil)}); err != nil {
		t.Fatal(err)
	}
	return s
}

// attributes are an object's attributes as in JSON.
type attributes map[string]any

// with returns the attributes with some replaced.
func (a attributes) with(more attributes) attributes {
	all := maps.Clone(a)
	maps.Copy(all, more)
	return all
}

// existing has the state of an applied thing, and configured its configuration.
var (
	configured = attributes{"name": "chat", "size": 1.5, "tags": attributes{"a": "1"}, "list": []attributes{{"key": "one"}}}
	existing   = configured.with(attributes{"id": "7", "mode": "fast", "seen": []string{"a", "b"}})
)

// unknown makes an attribute unknown.
func unknown(t *testing.T, as tftypes.Type, in *tfprotov6.DynamicValue, at *tftypes.AttributePath) *tfprotov6.DynamicValue {
	t.Helper()
	value, err := in.Unmarshal(as)
	if err != nil {
		t.Fatal(err)
	}
	value, err = tftypes.Transform(value, func(p *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if p.Equal(at) {
			return tftypes.NewValue(v.Type(), tftypes.UnknownValue), nil
		}
		return v, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	dynamic, err := tfprotov6.NewDynamicValue(as, value)
	if err != nil {
		t.Fatal(err)
	}
	return &dynamic
}

// encoded encodes attributes as Terraform does; nil attributes are null.
func encoded(t *testing.T, as tftypes.Type, a attributes) *tfprotov6.DynamicValue {
	t.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	value, err := (&tfprotov6.DynamicValue{JSON: data}).Unmarshal(as)
	if err != nil {
		t.Fatal(err)
	}
	dynamic, err := tfprotov6.NewDynamicValue(as, value)
	if err != nil {
		t.Fatal(err)
	}
	return &dynamic
}
