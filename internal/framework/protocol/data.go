package protocol

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type dataRead = framework.Answered[datasource.ReadRequest, datasource.ReadResponse]

// readData returns a nil response unless the data source has returned a result without diagnostics, and the context for the framework's
// answer. The framework also compares the configuration with the result for semantically equal values, and looks for blocks in every
// element of every list, which is most of the time of a long list.
func (s *Server) readData(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (any, context.Context) {
	construct := s.provider.find(ctx, subject{aDataSource, req.TypeName})
	if construct == nil || req.Config == nil || req.ProviderMeta != nil {
		return nil, ctx
	}
	d, ok := construct().(interface {
		datasource.DataSourceWithConfigure
		framework.Repeater
	})
	if !ok || !s.provider.configureData(ctx, d) {
		return nil, ctx
	}
	var described datasource.SchemaResponse
	d.Schema(ctx, datasource.SchemaRequest{}, &described)
	as := described.Schema.Type().TerraformType(ctx)
	config, err := req.Config.Unmarshal(as)
	if err != nil || config.IsNull() || len(described.Schema.Blocks) > 0 {
		return nil, ctx
	}
	asked := &dataRead{Req: datasource.ReadRequest{
		Config:             tfsdk.Config{Schema: described.Schema, Raw: config},
		ClientCapabilities: datasource.ReadClientCapabilities{DeferralAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed},
	}}
	asked.Resp.State = tfsdk.State{Schema: described.Schema, Raw: config}
	d.Read(ctx, asked.Req, &asked.Resp)
	return answeredData(as, asked), repeating(ctx, s, req.TypeName, asked)
}

// answeredData returns the framework's response if the state has every configured value unchanged, otherwise nil.
func answeredData(as tftypes.Type, asked *dataRead) any {
	var configured, found map[string]tftypes.Value
	state := asked.Resp.State
	if len(asked.Resp.Diagnostics) > 0 || asked.Resp.Deferred != nil || state.Raw.IsNull() ||
		asked.Req.Config.Raw.As(&configured) != nil || state.Raw.As(&found) != nil {
		return nil
	}
	for name, value := range configured {
		if !value.IsNull() && !framework.Same(value, found[name]) {
			return nil
		}
	}
	encoded, err := tfprotov6.NewDynamicValue(as, state.Raw)
	if err != nil {
		return nil
	}
	return &tfprotov6.ReadDataSourceResponse{State: &encoded}
}
