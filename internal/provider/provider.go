package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/protocol"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/agentconnection"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/functions"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/integration"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/listener"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/modelprice"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/oauthprovider"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/oauthtoken"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/revision"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/run"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/tracingproject"
)

// providerName is the provider's name in configurations, with which the names of everything that it offers begin.
const providerName = "agentplane"

// agentplane is the provider.
type agentplane struct {
	version string
	clock   framework.Clock
	getenv  func(string) string
	// memo is that of the last configuration.
	memo    *framework.Memo
	compare protocol.Compare
}

var (
	_ provider.ProviderWithActions            = (*agentplane)(nil)
	_ provider.ProviderWithEphemeralResources = (*agentplane)(nil)
	_ provider.ProviderWithFunctions          = (*agentplane)(nil)
	_ provider.ProviderWithListResources      = (*agentplane)(nil)
)

// Option replaces a part of the provider's environment.
type Option func(*agentplane)

// WithClock makes waits and retries use clock instead of the system's.
func WithClock(clock framework.Clock) Option {
	return func(p *agentplane) { p.clock = clock }
}

// WithEnvironment looks variables up in getenv instead of the process's environment.
func WithEnvironment(getenv func(string) string) Option {
	return func(p *agentplane) { p.getenv = getenv }
}

// WithComparison has every answer that needs no work of the plugin framework compared with the framework's own. It is for
// tests.
func WithComparison(compare protocol.Compare) Option {
	return func(p *agentplane) { p.compare = compare }
}

// New returns a constructor of the provider, as the plugin server wants it.
func New(version string, options ...Option) func() provider.Provider {
	return func() provider.Provider { return newProvider(version, options) }
}

func newProvider(version string, options []Option) *agentplane {
	p := &agentplane{version: version, getenv: os.Getenv, memo: &framework.Memo{}}
	for _, option := range options {
		option(p)
	}
	return p
}

// Metadata implements provider.Provider.
func (p *agentplane) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = providerName
	resp.Version = p.version
}

// Schema implements provider.Provider.
func (p *agentplane) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerSchema()
}

// Resources implements provider.Provider.
func (p *agentplane) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		agentconnection.NewResource,
		agentconnection.NewTokenResource,
		deployment.NewResource,
		listener.NewResource,
		modelprice.NewResource,
		oauthprovider.NewResource,
		oauthtoken.NewResource,
		run.NewResource,
	}
}

// DataSources implements provider.Provider.
func (p *agentplane) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		agentconnection.NewListDataSource,
		deployment.NewDataSource,
		deployment.NewListDataSource,
		integration.NewDataSource,
		integration.NewListDataSource,
		integration.NewRepositoriesDataSource,
		listener.NewDataSource,
		listener.NewListDataSource,
		modelprice.NewListDataSource,
		oauthprovider.NewDataSource,
		oauthprovider.NewListDataSource,
		oauthprovider.NewPlatformDataSource,
		oauthtoken.NewListDataSource,
		oauthtoken.NewStatusDataSource,
		revision.NewDataSource,
		revision.NewListDataSource,
		revision.NewLogsDataSource,
		run.NewListDataSource,
		tracingproject.NewDataSource,
		tracingproject.NewExperimentDataSource,
		tracingproject.NewListDataSource,
	}
}

// ListResources implements provider.ProviderWithListResources.
func (p *agentplane) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		agentconnection.NewListResource, agentconnection.NewTokenListResource,
		deployment.NewListResource,
		listener.NewListResource,
		modelprice.NewListResource,
		oauthprovider.NewListResource,
		oauthtoken.NewListResource,
	}
}

// Actions implements provider.ProviderWithActions.
func (p *agentplane) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		oauthtoken.NewAuthenticateAction,
		oauthtoken.NewRevokeAction,
		revision.NewInterruptAction,
		revision.NewRedeployAction,
		revision.NewRollBackAction,
		run.NewLogAction,
	}
}

// EphemeralResources implements provider.ProviderWithEphemeralResources.
func (p *agentplane) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		oauthtoken.NewEphemeralResource,
	}
}

// Functions implements provider.ProviderWithFunctions.
func (p *agentplane) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		functions.NewConvertMessages,
		functions.NewDefaultModelPrice,
		functions.NewEffectiveResources,
		functions.NewEstimateCost,
		functions.NewModelName,
		functions.NewNormalizeMessages,
		functions.NewParseImportID,
		functions.NewReduceStream,
		functions.NewTagRef,
		functions.NewTimeToFirstToken,
		functions.NewUsage,
		functions.NewValidateMessages,
	}
}

// NewServer returns a constructor of the server that speaks the plugin protocol for the provider.
func NewServer(version string, options ...Option) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return serve(newProvider(version, options)) }
}

// directVariable, if it is 0, leaves every answer to the plugin framework.
const directVariable = "AGENTPLANE_DIRECT"

func serve(p *agentplane) tfprotov6.ProviderServer {
	wrapped := protocol.Wrap(p)
	server := providerserver.NewProtocol6(wrapped)()
	complete, ok := server.(protocol.FrameworkServer)
	if !ok {
		return server
	}
	return protocol.NewServer(wrapped, complete, protocol.Options{
		Memo: func() *framework.Memo { return p.memo }, Keys: lookup.Keys, FrameworkOnly: p.getenv(directVariable) == "0", Compare: p.compare,
	})
}
