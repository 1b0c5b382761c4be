package protocol

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type read = framework.Answered[resource.ReadRequest, resource.ReadResponse]

// read returns a nil response unless the resource has found its state unchanged, and the context for the framework's answer.
func (s *Server) read(ctx context.Context, req *tfprotov6.ReadResourceRequest) (any, context.Context) {
	r, k, ok := s.resource(ctx, req.TypeName)
	if !ok || req.ProviderMeta != nil {
		return nil, ctx
	}
	asked, ok := k.newRead(ctx, req)
	if !ok {
		return nil, ctx
	}
	r.Read(ctx, asked.Req, &asked.Resp)
	return k.unchanged(req, asked), repeating(ctx, s, req.TypeName, asked)
}

// newRead returns the request to a resource.
func (k *kind) newRead(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*read, bool) {
	state, attributes, ok := k.decode(req.CurrentState)
	if !ok || attributes == nil || !k.fields.nullified(attributes) {
		return nil, false
	}
	asked := &read{Req: resource.ReadRequest{
		State:              tfsdk.State{Schema: k.schema, Raw: state},
		ClientCapabilities: resource.ReadClientCapabilities{DeferralAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed},
	}}
	asked.Resp.State = asked.Req.State
	asked.Req.Identity, asked.Resp.Identity, ok = k.decodeIdentity(req.CurrentIdentity)
	return asked, ok && setPrivate(ctx, req.Private, &asked.Req.Private) && setPrivate(ctx, req.Private, &asked.Resp.Private)
}

// unchanged returns the framework's response if the resource has found its state unchanged, otherwise nil. A state that has no identity
// yet may get one.
func (k *kind) unchanged(req *tfprotov6.ReadResourceRequest, asked *read) any {
	if len(asked.Resp.Diagnostics) > 0 || asked.Resp.Deferred != nil || !asked.Req.Private.Equal(asked.Resp.Private) ||
		!framework.Same(asked.Resp.State.Raw, asked.Req.State.Raw) {
		return nil
	}
	resp := &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private}
	if k.identity == nil {
		return resp
	}
	before, after := asked.Req.Identity.Raw, asked.Resp.Identity
	if after == nil || after.Raw.IsFullyNull() || !before.IsNull() && !framework.Same(before, after.Raw) {
		return nil
	}
	var ok bool
	if resp.NewIdentity, ok = k.encodeIdentity(after.Raw); !ok {
		return nil
	}
	return resp
}

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
