package framework

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// Clock is the time that waiting goes by. Tests step it, so that nothing sleeps.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// ProviderData is what the configured provider hands to everything it offers.
type ProviderData struct {
	// Client is nil while a value of the provider's configuration is unknown, which happens in plans only.
	Client *client.Client
	// Clock is nil for the system's clock.
	Clock Clock
	// Memo is shared by all of one configured provider.
	Memo *Memo
	// Notes go from a plan to its apply, which is another process.
	Notes Notes
}

// Resource gives a resource its name, its schema and the configured client; embed it.
type Resource struct {
	ProviderData
	// Name follows that of the provider: agentplane_listener has listener.
	Name      string
	NewSchema func() schema.Schema
}

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

// ResourceImporter imports objects, by their resource identity or by a string.
type ResourceImporter interface {
	IdentitySchema() identityschema.Schema
	Import(ctx context.Context, p *ProviderData, req resource.ImportStateRequest, resp *resource.ImportStateResponse)
}

// IdentifiedResource is a Resource whose objects have an identity, by which they are imported; embed it.
type IdentifiedResource struct {
	Resource
	Importer ResourceImporter
}

// IdentitySchema implements resource.ResourceWithIdentity.
func (r *IdentifiedResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = r.Importer.IdentitySchema()
}

// ImportState implements resource.ResourceWithImportState.
func (r *IdentifiedResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	r.Importer.Import(ctx, &r.ProviderData, req, resp)
}

// Action gives an action the configured client; embed it.
type Action struct{ ProviderData }

// Configure implements action.ActionWithConfigure.
func (a *Action) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	resp.Diagnostics.Append(a.configure(req.ProviderData)...)
}

// EphemeralResource gives an ephemeral resource the configured client; embed it.
type EphemeralResource struct{ ProviderData }

// Configure implements ephemeral.EphemeralResourceWithConfigure.
func (r *EphemeralResource) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	resp.Diagnostics.Append(r.configure(req.ProviderData)...)
}

// configure keeps the provider's data. The framework calls Configure with nil before the provider is configured.
func (p *ProviderData) configure(data any) diag.Diagnostics {
	if data == nil {
		return nil
	}
	configured, ok := data.(*ProviderData)
	if !ok {
		return diag.Diagnostics{diag.NewErrorDiagnostic(
			"Unexpected provider data",
			fmt.Sprintf("Expected *framework.ProviderData, got %T. Please report this to the provider's developers.", data),
		)}
	}
	*p = *configured
	return nil
}

// Now is the time by which the provider goes.
func (p *ProviderData) Now() time.Time {
	if p.Clock == nil {
		return time.Now()
	}
	return p.Clock.Now()
}

// Configured returns an error while the provider's configuration has unknown values.
func (p *ProviderData) Configured() diag.Diagnostics {
	if p.Client != nil {
		return nil
	}
	return diag.Diagnostics{diag.NewErrorDiagnostic(
		"Provider configuration not known yet",
		"A value of the provider's configuration is unknown until other resources are applied, so the service can't be "+
			"reached during the plan. Apply these resources first, for example with -target, or set the value with a "+
			"variable that is known during the plan.",
	)}
}
