package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// answerDirectly answers plans and calls for unchanged resources without the framework, whose walks over the schema are most of the cost of
// a plan. The resource is called all the same. Only if the answer needs nothing that this package doesn't
// know, such as diagnostics or a replacement, is it given here, because the framework's would be the same. In all other cases, the
// framework answers, with what the resource has returned.
func (s *Server) answerDirectly(ctx context.Context, c *call, next answerer) (any, error) {
	var direct any
	switch req := c.request.(type) {
	case *tfprotov6.UpgradeResourceStateRequest:
		direct = s.upgrade(ctx, req)
	case *tfprotov6.ReadResourceRequest:
		direct, ctx = s.read(ctx, req)
	case *tfprotov6.PlanResourceChangeRequest:
		direct, ctx = s.plan(ctx, req)
	}
	if direct == nil {
		return next(ctx)
	}
	if s.Compare == nil {
		return direct, nil
	}
	answer, err := next(ctx)
	s.Compare(c.name, direct, answer)
	return direct, err
}

// repeating returns the context for the framework's answer to a call that was already made.
func repeating[Req, Resp any](ctx context.Context, s *Server, typeName string, asked *framework.Answered[Req, Resp]) context.Context {
	if s.Compare != nil {
		asked.Repeated = func(again Req) { s.Compare(typeName, asked.Req, again) }
	}
	return asked.Repeating(ctx)
}

// repeater is a resource that can be called directly.
type repeater interface {
	resource.ResourceWithConfigure
	resource.ResourceWithModifyPlan
	framework.Repeater
}

// kind is a type of resource, with what the framework would compute in each call.
type kind struct {
	schema schema.Schema
	as     tftypes.Type
	fields fields
	// identity is nil for a resource without one.
	identity   *identityschema.Schema
	identityAs tftypes.Type
}

// resource returns a new configured resource, as the framework creates for each call, and its kind. It returns false for those that only
// the framework can call.
func (s *Server) resource(ctx context.Context, name string) (repeater, *kind, bool) {
	found := s.provider.find(ctx, subject{aResource, name})
	if found == nil || found.kind == nil {
		return nil, nil, false
	}
	r, ok := found.construct().(repeater)
	return r, found.kind, ok && s.provider.configure(ctx, r)
}

// newKind returns nil for a resource with unusual features.
func newKind(ctx context.Context, r resource.Resource) *kind {
	var described resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &described)
	k := &kind{schema: described.Schema, as: described.Schema.Type().TerraformType(ctx)}
	var ok bool
	if k.fields, ok = newFields(ctx, k.schema.Attributes, true); !ok || len(k.schema.Blocks) > 0 {
		return nil
	}
	if identified, ok := r.(resource.ResourceWithIdentity); ok {
		var identity resource.IdentitySchemaResponse
		identified.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identity)
		k.identity, k.identityAs = &identity.IdentitySchema, identity.IdentitySchema.Type().TerraformType(ctx)
	}
	return k
}

// decode decodes an object and its attributes, which a null object doesn't have.
func (k *kind) decode(encoded *tfprotov6.DynamicValue) (object tftypes.Value, attributes map[string]tftypes.Value, ok bool) {
	if encoded == nil {
		return object, nil, false
	}
	if isNull(encoded) {
		return tftypes.NewValue(k.as, nil), nil, true
	}
	object, err := encoded.Unmarshal(k.as)
	return object, attributes, err == nil && object.As(&attributes) == nil
}

// decodeIdentity decodes the identity of a resource for its request and its response, nil if it has none.
func (k *kind) decodeIdentity(encoded *tfprotov6.ResourceIdentityData) (req, resp *tfsdk.ResourceIdentity, ok bool) {
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
	return &tfsdk.ResourceIdentity{Schema: *k.identity, Raw: raw}, &tfsdk.ResourceIdentity{Schema: *k.identity, Raw: raw}, true
}

func (k *kind) encodeIdentity(raw tftypes.Value) (*tfprotov6.ResourceIdentityData, bool) {
	data, err := tfprotov6.NewDynamicValue(k.identityAs, raw)
	return &tfprotov6.ResourceIdentityData{IdentityData: &data}, err == nil
}

// upgrade re-encodes a state of the current version. It returns nil for others.
func (s *Server) upgrade(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) any {
	_, k, ok := s.resource(ctx, req.TypeName)
	if !ok || req.Version != k.schema.Version || req.RawState == nil {
		return nil
	}
	state, err := req.RawState.UnmarshalWithOpts(k.as, tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		return nil
	}
	encoded, err := tfprotov6.NewDynamicValue(k.as, state)
	if err != nil {
		return nil
	}
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &encoded}
}

// setPrivate decodes a private state for a request and its response, whose fields have a type that is internal to the framework. Each gets its
// own, because resources change that of the response. It returns false if the framework would encode the state differently, or stores its own
// data in it.
func setPrivate(ctx context.Context, data []byte, fields ...any) bool {
	var keys map[string][]byte
	if len(data) > 0 {
		if json.Unmarshal(data, &keys) != nil {
			return false
		}
		if encoded, err := json.Marshal(keys); err != nil || !bytes.Equal(encoded, data) {
			return false
		}
	}
	for _, field := range fields {
		private := reflect.ValueOf(field).Elem()
		private.Set(reflect.New(private.Type().Elem()))
		writer, _ := reflect.TypeAssert[framework.PrivateWriter](private)
		diags := writer.SetKey(ctx, "none", nil) // Empty, not nil.
		for key, value := range keys {
			if diags.Append(writer.SetKey(ctx, key, value)...); len(diags) > 0 || len(value) == 0 {
				return false
			}
		}
	}
	return true
}

// encodePrivate encodes the private state of a response as the framework does, which doesn't export a way to list the keys.
func encodePrivate(private any) ([]byte, bool) {
	data := reflect.ValueOf(private).Elem()
	if data.Kind() != reflect.Struct || data.NumField() != 1 || data.Field(0).Kind() != reflect.Map {
		return nil, false
	}
	if data.Field(0).Len() == 0 {
		return nil, true
	}
	keys := map[string][]byte{}
	for key, value := range data.Field(0).Seq2() {
		keys[key.String()] = value.Bytes()
	}
	encoded, err := json.Marshal(keys)
	return encoded, err == nil
}

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
	return asked, ok && setPrivate(ctx, req.Private, &asked.Req.Private, &asked.Resp.Private)
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
