package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

// server answers calls about resources with what they contain. All other calls go to the real provider, of which only the
// schemas are used. It decodes a value only where a resource is created, because that needs the computed attributes, which it takes
// from a state of the real provider: a larger state costs Terraform more.
type server struct {
	tfprotov6.ProviderServer
	schemas  func() (map[string]*tfprotov6.Schema, error)
	recorded func() (map[string]instance, error)
}

func newServer() tfprotov6.ProviderServer {
	return recordedServer(os.Getenv("PASSTHROUGH_STATE"))
}

// recordedServer takes computed attributes from a state file. Resources are found by their names.
func recordedServer(stateFile string) *server {
	ours := provider.NewServer("bench")()
	return &server{
		ProviderServer: ours,
		schemas: sync.OnceValues(func() (map[string]*tfprotov6.Schema, error) {
			resp, err := ours.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
			if err != nil {
				return nil, err
			}
			return resp.ResourceSchemas, nil
		}),
		recorded: sync.OnceValues(func() (map[string]instance, error) { return readState(stateFile) }),
	}
}

// GetResourceIdentitySchemas implements tfprotov6.ResourceServer. Without identities there is nothing to return with a
// state.
func (*server) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

// ConfigureProvider implements tfprotov6.ProviderServer.
func (*server) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

// ValidateResourceConfig implements tfprotov6.ResourceServer.
func (*server) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

// UpgradeResourceState implements tfprotov6.ResourceServer. Terraform accepts JSON where it usually gets MessagePack.
func (*server) UpgradeResourceState(_ context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &tfprotov6.DynamicValue{JSON: req.RawState.JSON}}, nil
}

// ReadResource implements tfprotov6.ResourceServer.
func (*server) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private}, nil
}

// PlanResourceChange implements tfprotov6.ResourceServer.
func (s *server) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate}
	creates, err := req.PriorState.IsNull()
	if err != nil || !creates {
		return resp, err
	}
	schema, attributes, err := s.decode(req.TypeName, req.ProposedNewState)
	if err != nil {
		return nil, err
	}
	for _, attribute := range schema.Block.Attributes {
		if attribute.Computed && attributes[attribute.Name].IsNull() {
			attributes[attribute.Name] = tftypes.NewValue(attribute.ValueType(), tftypes.UnknownValue)
		}
	}
	resp.PlannedState, err = encode(schema, attributes)
	return resp, err
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (s *server) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp := &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState, Private: req.PlannedPrivate}
	creates, err := req.PriorState.IsNull()
	if err != nil || !creates {
		return resp, err
	}
	schema, attributes, err := s.decode(req.TypeName, req.PlannedState)
	if err != nil {
		return nil, err
	}
	all, err := s.recorded()
	if err != nil {
		return nil, err
	}
	var name string
	if err := attributes["name"].As(&name); err != nil {
		return nil, err
	}
	one, ok := all[name]
	if !ok {
		return nil, fmt.Errorf("PASSTHROUGH_STATE has no resource with the name %q", name)
	}
	_, recorded, err := s.decode(req.TypeName, &tfprotov6.DynamicValue{JSON: one.Attributes})
	if err != nil {
		return nil, err
	}
	for attribute, value := range attributes {
		if !value.IsKnown() {
			attributes[attribute] = recorded[attribute]
		}
	}
	resp.Private = one.Private
	resp.NewState, err = encode(schema, attributes)
	return resp, err
}

// decode returns the attributes of a resource and its schema.
func (s *server) decode(typeName string, state *tfprotov6.DynamicValue) (*tfprotov6.Schema, map[string]tftypes.Value, error) {
	schemas, err := s.schemas()
	if err != nil {
		return nil, nil, err
	}
	schema := schemas[typeName]
	object, err := state.Unmarshal(schema.ValueType())
	if err != nil {
		return nil, nil, err
	}
	var attributes map[string]tftypes.Value
	err = object.As(&attributes)
	return schema, attributes, err
}

func encode(schema *tfprotov6.Schema, attributes map[string]tftypes.Value) (*tfprotov6.DynamicValue, error) {
	encoded, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), attributes))
	return &encoded, err
}
