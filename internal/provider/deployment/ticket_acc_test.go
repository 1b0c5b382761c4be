package deployment_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ticketProvider stands for providers of short-lived credentials: its only resource is ephemeral, and has another
// value each time it is opened.
type ticketProvider struct{ opened atomic.Int64 }

func (p *ticketProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "ticket"
}

func (p *ticketProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (p *ticketProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (p *ticketProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *ticketProvider) Resources(context.Context) []func() resource.Resource { return nil }

func (p *ticketProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return ticketValue{p} }}
}

type ticketValue struct{ provider *ticketProvider }

func (v ticketValue) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_value"
}

func (v ticketValue) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{"value": schema.StringAttribute{Computed: true}}}
}

func (v ticketValue) Open(ctx context.Context, _ ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	resp.Diagnostics.Append(resp.Result.Set(ctx, struct {
		Value types.String `tfsdk:"value"`
	}{types.StringValue(fmt.Sprintf("ticket-%d", v.provider.opened.Add(1)))})...)
}
