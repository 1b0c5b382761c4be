package direct

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// dataKind is a type of data source, with what the framework would compute in each call.
type dataKind struct {
	construct func() datasource.DataSource
	schema    schema.Schema
	as        tftypes.Type
}

// newDataKind returns nil for a data source with unusual features.
func newDataKind(ctx context.Context, construct func() datasource.DataSource) *dataKind {
	var described datasource.SchemaResponse
	construct().Schema(ctx, datasource.SchemaRequest{}, &described)
	if len(described.Diagnostics) > 0 || len(described.Schema.Blocks) > 0 {
		return nil
	}
	for _, attribute := range described.Schema.Attributes {
		if isValidated(ctx, attribute.GetType()) {
			return nil
		}
	}
	return &dataKind{construct, described.Schema, described.Schema.Type().TerraformType(ctx)}
}

type dataRead = answered[datasource.ReadRequest, datasource.ReadResponse]

// ReadDataSource implements tfprotov6.DataSourceServer. The framework also compares the configuration with the result for
// semantically equal values, and looks for blocks in every element of every list.
func (s *Server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	resp, asked := s.readData(ctx, req)
	return answer(s, req.TypeName, resp, func() (*tfprotov6.ReadDataSourceResponse, error) {
		return s.FrameworkServer.ReadDataSource(repeating(ctx, s, req.TypeName, asked), req)
	})
}

// readData returns a nil response unless the data source has returned a result without diagnostics, and a nil request if the data
// source wasn't called.
func (s *Server) readData(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, *dataRead) {
	k, ok := s.dataSources.find(ctx, req.TypeName)
	if !ok || req.ProviderMeta != nil {
		return nil, nil
	}
	d, ok := k.construct().(repeatingDataSource)
	config, configured, decoded := decode(k.as, req.Config)
	if !ok || !decoded || !s.provider.configureData(ctx, d) {
		return nil, nil
	}
	asking := &dataRead{req: datasource.ReadRequest{
		Config:             tfsdk.Config{Schema: k.schema, Raw: config},
		ClientCapabilities: datasource.ReadClientCapabilities{DeferralAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed},
	}}
	asking.resp.State = tfsdk.State{Schema: k.schema, Raw: config}
	d.Read(ctx, asking.req, &asking.resp)
	state := asking.resp.State.Raw
	if len(asking.resp.Diagnostics) > 0 || asking.resp.Deferred != nil || !keeps(configured, state) {
		return nil, asking
	}
	encoded, err := tfprotov6.NewDynamicValue(k.as, state)
	if err != nil {
		return nil, asking
	}
	return &tfprotov6.ReadDataSourceResponse{State: &encoded}, asking
}

// keeps reports whether the state has every configured value unchanged.
func keeps(configured map[string]tftypes.Value, state tftypes.Value) bool {
	var found map[string]tftypes.Value
	if state.IsNull() || state.As(&found) != nil {
		return false
	}
	for name, value := range configured {
		if !value.IsNull() && !framework.Same(value, found[name]) {
			return false
		}
	}
	return true
}
