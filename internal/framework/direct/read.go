package direct

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type read = answered[resource.ReadRequest, resource.ReadResponse]

// ReadResource implements tfprotov6.ResourceServer.
func (s *Server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	resp, asked := s.read(ctx, req)
	return answer(s, req.TypeName, resp, func() (*tfprotov6.ReadResourceResponse, error) {
		return s.FrameworkServer.ReadResource(repeating(ctx, s, req.TypeName, asked), req)
	})
}

// read returns a nil response unless the resource has found its state unchanged, and a nil request if it wasn't called.
func (s *Server) read(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, *read) {
	k, ok := s.resources.find(ctx, req.TypeName)
	if !ok {
		return nil, nil
	}
	r, ok := k.configured(ctx, s.provider)
	asking, complete := k.newRead(ctx, req)
	if !ok || !complete {
		return nil, nil
	}
	r.Read(ctx, asking.req, &asking.resp)
	return k.unchanged(req, asking), asking
}

// newRead returns the request to a resource.
func (k *kind) newRead(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*read, bool) {
	state, attributes, ok := decode(k.as, req.CurrentState)
	if !ok || !k.special.nullified(attributes) || !k.special.valid(ctx, attributes) || req.ProviderMeta != nil {
		return nil, false
	}
	asking := &read{req: resource.ReadRequest{
		State:              tfsdk.State{Schema: k.schema, Raw: state},
		ClientCapabilities: resource.ReadClientCapabilities{DeferralAllowed: req.ClientCapabilities != nil && req.ClientCapabilities.DeferralAllowed},
	}}
	asking.resp.State = asking.req.State
	if !setPrivate(ctx, req.Private, &asking.req.Private) || !setPrivate(ctx, req.Private, &asking.resp.Private) {
		return nil, false
	}
	asking.req.Identity, asking.resp.Identity, ok = k.decodedIdentity(req.CurrentIdentity)
	return asking, ok
}

// unchanged returns the framework's response if the resource has found its state unchanged, otherwise nil.
func (k *kind) unchanged(req *tfprotov6.ReadResourceRequest, asked *read) *tfprotov6.ReadResourceResponse {
	if len(asked.resp.Diagnostics) > 0 || asked.resp.Deferred != nil || !asked.req.Private.Equal(asked.resp.Private) ||
		!framework.Same(asked.resp.State.Raw, asked.req.State.Raw) {
		return nil
	}
	identity, ok := k.keptIdentity(req.CurrentIdentity, asked.req.Identity, asked.resp.Identity)
	if !ok {
		return nil
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, NewIdentity: identity, Private: req.Private}
}

// decodedIdentity decodes the identity of a resource for its request and its response, nil if it has none.
func (k *kind) decodedIdentity(encoded *tfprotov6.ResourceIdentityData) (req, resp *tfsdk.ResourceIdentity, ok bool) {
	if k.identity == nil {
		return nil, nil, encoded == nil
	}
	raw := tftypes.NewValue(k.identityAs, nil)
	if encoded != nil && encoded.IdentityData != nil {
		var err error
		if raw, err = encoded.IdentityData.Unmarshal(k.identityAs); err != nil {
			return nil, nil, false
		}
	}
	identity := tfsdk.ResourceIdentity{Schema: *k.identity, Raw: raw}
	return &identity, new(identity), true
}

// keptIdentity encodes a new identity, and reports whether a known one has stayed the same.
func (k *kind) keptIdentity(encoded *tfprotov6.ResourceIdentityData, before, after *tfsdk.ResourceIdentity) (*tfprotov6.ResourceIdentityData, bool) {
	switch {
	case before == nil:
		return nil, after == nil
	case after == nil || after.Raw.IsFullyNull():
		return nil, false
	case !before.Raw.IsNull():
		return encoded, framework.Same(before.Raw, after.Raw)
	}
	data, err := tfprotov6.NewDynamicValue(k.identityAs, after.Raw)
	return &tfprotov6.ResourceIdentityData{IdentityData: &data}, err == nil
}
