package framework

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// Clock is the clock that waits use. Tests advance it, so that nothing sleeps.
type Clock = poll.Clock

// ProviderData is what the configured provider passes to its resources, data sources and actions.
type ProviderData struct {
	// Client is nil while the provider's configuration has unknown values, which happens only in plans.
	Client *client.Client
	// Clock is nil for the system's clock.
	Clock Clock
	// Memo is shared by everything that belongs to one configured provider.
	Memo *Memo
	// again: answers that were remembered before don't count.
	again bool
	// source records the list that answered a read; nil where nothing needs it.
	source *source
}

// Policy returns the policy of waits.
func (p *ProviderData) Policy() poll.Policy { return poll.Policy{Clock: p.Clock} }

// AnswersKey returns the key in the Memo of what the service has answered for the client's workspace.
func (p *ProviderData) AnswersKey(name string, c *client.Client) string {
	if p.again {
		name += " again"
	}
	return name + "/" + c.WorkspaceID()
}

// Resource gives a resource its name, its schema and the configured client; embed it.
type Resource struct {
	ProviderData
	// Name is the name without the provider's prefix: listener for agentplane_listener.
	Name      string
	NewSchema func() schema.Schema
}

// Repeats implements Repeater.
func (*Resource) Repeats() {}

// Metadata implements resource.Resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.Name
}

// Schema implements resource.Resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.NewSchema()
}

// Configure implements resource.ResourceWithConfigure.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	resp.Diagnostics.Append(r.configure(req.ProviderData)...)
}

// ResourceImporter imports objects by resource identity or by import ID.
type ResourceImporter interface {
	IdentitySchema() identityschema.Schema
	Import(ctx context.Context, p *ProviderData, req resource.ImportStateRequest, resp *resource.ImportStateResponse)
}

// EphemeralResource gives an ephemeral resource the configured client; embed it.
type EphemeralResource struct{ ProviderData }

// EphemeralAttributes returns the attributes of an ephemeral resource: those of a resource, and workspace_id.
func EphemeralAttributes(attributes map[string]schema.Attribute) map[string]ephemeralschema.Attribute {
	return attributesAs[ephemeralschema.Attribute](attributes, ephemeralschema.StringAttribute{}, ephemeralschema.ListAttribute{})
}

// Configure implements ephemeral.EphemeralResourceWithConfigure.
func (r *EphemeralResource) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	resp.Diagnostics.Append(r.configure(req.ProviderData)...)
}

// configure stores the provider's data. The framework calls Configure with nil before the provider is configured.
func (p *ProviderData) configure(data any) diag.Diagnostics {
	if data == nil {
		return nil
	}
	configured, ok := data.(*ProviderData)
	if !ok {
		return NewError("Unexpected provider data", "Expected *framework.ProviderData, got %T. Please report this to the provider's developers.", data)
	}
	*p = *configured
	return nil
}

// Now returns the time of the provider's clock.
func (p *ProviderData) Now() time.Time { return p.Policy().Now() }

// Configured returns an error while the provider's configuration has unknown values.
func (p *ProviderData) Configured() diag.Diagnostics {
	if p.Client != nil {
		return nil
	}
	return diag.Diagnostics{diag.NewErrorDiagnostic(
		"Provider configuration not known yet",
		"A value of the provider's configuration is unknown until other resources are applied, so the service can't be "+
			"reached during the plan. Apply those resources first, for example with -target, name them in depends_on of a data "+
			"source, or set the value with a variable that is known during the plan.",
	)}
}

// source records which list answered a read.
type source struct {
	// listed returns when the whole list was read that has the answer; zero if other requests have it. Nil without a list.
	listed func() time.Time
}

// answersFrom records that a list answers the read.
func (p *ProviderData) answersFrom(listed func() time.Time) {
	if p.source != nil {
		p.source.listed = listed
	}
}

// ParseDialect returns the dialect with that name, which may come from a variable that no schema has validated. Empty means the
// default.
func ParseDialect(name string) (*api.Dialect, diag.Diagnostics) {
	d, err := api.ParseDialect(name)
	if err != nil {
		return nil, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("dialect"), "Invalid dialect",
			Sentence(err.Error())+" Correct dialect in the provider's configuration or the variable AGENTPLANE_DIALECT.")}
	}
	return d, nil
}

// Unsupported returns the error for an attribute that d doesn't have. With a value, the attribute exists in d but that value
// doesn't.
func Unsupported(d *api.Dialect, at path.Path, value string) diag.Diagnostic {
	what := at.String()
	if value != "" {
		what = fmt.Sprintf("%s = %q", what, value)
	}
	var having []string
	for _, other := range api.Dialects {
		if other.LangSmithAPI {
			having = append(having, fmt.Sprintf("%q", other.Name))
		}
	}
	return diag.NewAttributeErrorDiagnostic(at, fmt.Sprintf("Not supported by dialect %q", d.Name),
		fmt.Sprintf("Control planes of the dialect %q don't support %s. Remove it. Or, if your control plane uses "+
			"another dialect, set dialect (AGENTPLANE_DIALECT) of the provider to %s.", d.Name, what, strings.Join(having, " or ")))
}

// In returns the configured client for a workspace; null means the provider's.
func (p *ProviderData) In(workspaceID types.String) *client.Client {
	return p.Client.InWorkspace(workspaceID.ValueString())
}

// PlannedWorkspace returns the provider's workspace if the configuration has none. One that the configuration will only know during
// the apply stays unknown.
func (p *ProviderData) PlannedWorkspace(config tfsdk.Config, planned types.String) types.String {
	if !planned.IsUnknown() || p.Client == nil || !workspaceKnown(config) {
		return planned
	}
	return StringOrNull(p.Client.WorkspaceID())
}

// workspaceKnown reports whether the workspace_id of a configuration is known, or null.
func workspaceKnown(config tfsdk.Config) bool {
	var attributes map[string]tftypes.Value
	return config.Raw.As(&attributes) == nil && attributes[workspaceID].IsKnown()
}

// KnownWorkspace returns the provider's workspace, if that is known, for an import that has none.
func (p *ProviderData) KnownWorkspace(stored types.String) types.String {
	if !stored.IsNull() || p.Client == nil {
		return stored
	}
	return StringOrNull(p.Client.WorkspaceID())
}

// workspaceDescription describes the workspace_id of everything but resources.
const workspaceDescription = "Default: the provider's workspace."

// hidable is what attributes of all kinds have. Some can't be sensitive or write-only.
type hidable interface {
	IsSensitive() bool
	IsWriteOnly() bool
}

// attributesAs returns attributes of a resource as those of an action, a list resource or an ephemeral resource, with a workspace_id. Their
// attributes have types of their own, kinds, with some of the same fields.
func attributesAs[A hidable](attributes map[string]schema.Attribute, kinds ...A) map[string]A {
	as := func(attribute schema.Attribute) A {
		from := reflect.ValueOf(attribute)
		kind := slices.IndexFunc(kinds, func(kind A) bool { return reflect.TypeOf(kind).Name() == from.Type().Name() })
		if kind < 0 {
			panic(fmt.Sprintf("%T is none of the types %T", attribute, kinds))
		}
		to := reflect.New(reflect.TypeOf(kinds[kind])).Elem()
		for field, value := range to.Fields() {
			value.Set(from.FieldByName(field.Name))
		}
		converted, _ := reflect.TypeAssert[A](to)
		if converted.IsSensitive() != attribute.IsSensitive() || converted.IsWriteOnly() != attribute.IsWriteOnly() {
			panic(fmt.Sprintf("%T can't be sensitive or write-only like %T", converted, attribute))
		}
		return converted
	}
	all := map[string]A{workspaceID: as(OptionalString(workspaceDescription, UUID()))}
	for name, attribute := range attributes {
		all[name] = as(attribute)
	}
	return all
}

// ResourceWorkspaceAttribute returns the workspace_id of a resource, for Replacing or ReplacingKnown; noun is the word for the resource.
func ResourceWorkspaceAttribute(noun string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true,
		Computed: true,
		MarkdownDescription: "Workspace of the " + noun + ". Default: the provider's. Changing it replaces the " +
			noun + ".",
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		Validators:    []validator.String{UUID()},
	}
}
