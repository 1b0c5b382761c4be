package framework

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

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
		return diag.Diagnostics{diag.NewErrorDiagnostic(
			"Unexpected provider data",
			fmt.Sprintf("Expected *framework.ProviderData, got %T. Please report this to the provider's developers.", data),
		)}
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
