package protocol

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type read = answered[resource.ReadRequest, resource.ReadResponse]

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
	r.Read(ctx, asked.req, &asked.resp)
	return k.unchanged(req, asked), asked.repeating(ctx, req.TypeName, s.Compare)
}

// newRead returns the request to a resource.
func (k *kind) newRead(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*read, bool) {
	state, attributes, ok := k.decode(req.CurrentState)
	if !ok || attributes == nil || !k.fields.nullified(attributes) {
		return nil, false
	}
	asked := &read{req: resource.ReadRequest{
		State:              tfsdk.State{Schema: k.schema, Raw: state},
		ClientCapabilities: resource.ReadClientCapabilities{DeferralAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed},
	}}
	asked.resp.State = asked.req.State
	asked.req.Identity, asked.resp.Identity, ok = k.decodeIdentity(req.CurrentIdentity)
	return asked, ok && setPrivate(ctx, req.Private, &asked.req.Private) && setPrivate(ctx, req.Private, &asked.resp.Private)
}

// unchanged returns the framework's response if the resource has found its state unchanged, otherwise nil. A state that has no identity
// yet may get one.
func (k *kind) unchanged(req *tfprotov6.ReadResourceRequest, asked *read) any {
	if len(asked.resp.Diagnostics) > 0 || asked.resp.Deferred != nil || !asked.req.Private.Equal(asked.resp.Private) ||
		!framework.Same(asked.resp.State.Raw, asked.req.State.Raw) {
		return nil
	}
	resp := &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private}
	if k.identity == nil {
		return resp
	}
	before, after := asked.req.Identity.Raw, asked.resp.Identity
	if after == nil || after.Raw.IsFullyNull() || !before.IsNull() && !framework.Same(before, after.Raw) {
		return nil
	}
	var ok bool
	if resp.NewIdentity, ok = k.encodeIdentity(after.Raw); !ok {
		return nil
	}
	return resp
}
