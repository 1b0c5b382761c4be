package main

import (
	"context"
	"sync"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

// server answers calls about resources with what they contain. All other calls go to the real provider, of which only the
// schemas are used. It decodes a value only where a resource is created, because that needs an ID.
type server struct {
	tfprotov6.ProviderServer
	types func() (map[string]tftypes.Type, error)
}

func newServer() tfprotov6.ProviderServer {
	schemas := provider.NewServer("bench")()
	return &server{ProviderServer: schemas, types: sync.OnceValues(func() (map[string]tftypes.Type, error) {
		resp, err := schemas.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
		if err != nil {
			return nil, err
		}
		types := map[string]tftypes.Type{}
		for name, schema := range resp.ResourceSchemas {
			types[name] = schema.ValueType()
		}
		return types, nil
	})}
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
	planned := req.ProposedNewState
	creates, err := req.PriorState.IsNull()
	if err == nil && creates {
		planned, err = s.withID(req.TypeName, planned, tftypes.UnknownValue)
	}
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: planned, PlannedPrivate: req.PriorPrivate}, err
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (s *server) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	applied := req.PlannedState
	creates, err := req.PriorState.IsNull()
	if err == nil && creates {
		applied, err = s.withID(req.TypeName, applied, uuid.NewString())
	}
	return &tfprotov6.ApplyResourceChangeResponse{NewState: applied, Private: req.PlannedPrivate}, err
}

// withID returns the state of a resource with another id.
func (s *server) withID(typeName string, state *tfprotov6.DynamicValue, id any) (*tfprotov6.DynamicValue, error) {
	types, err := s.types()
	if err != nil {
		return nil, err
	}
	object, err := state.Unmarshal(types[typeName])
	if err != nil {
		return nil, err
	}
	var attributes map[string]tftypes.Value
	if err := object.As(&attributes); err != nil {
		return nil, err
	}
	attributes["id"] = tftypes.NewValue(tftypes.String, id)
	changed, err := tfprotov6.NewDynamicValue(types[typeName], tftypes.NewValue(types[typeName], attributes))
	return &changed, err
}
