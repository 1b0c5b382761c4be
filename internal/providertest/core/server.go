package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// terraformVersion is sent to the provider. This version supports write-only arguments and identities.
const terraformVersion = "1.12.0"

// object is what a state holds of an instance of a resource.
type object struct {
	value    cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
	// dependsOn are the resources that this one depends on, directly or indirectly.
	dependsOn map[resourceKey]bool
}

// provider is the provider that a resource belongs to.
type provider interface {
	resource(name string) (*schema, bool)
	dataSource(name string) (*schema, bool)
	configure(ctx context.Context, s *scope, b *block) problems
	validate(ctx context.Context, key resourceKey, config cty.Value) ([]*tfprotov6.Diagnostic, error)
	upgrade(ctx context.Context, name string, o object) (object, []*tfprotov6.Diagnostic, error)
	refresh(ctx context.Context, name string, o object) (object, []*tfprotov6.Diagnostic, error)
	plan(ctx context.Context, name string, prior object, config, proposed cty.Value) (*proposal, []*tfprotov6.Diagnostic, error)
	apply(ctx context.Context, name string, prior object, planned *proposal, config cty.Value) (object, []*tfprotov6.Diagnostic, error)
	imported(ctx context.Context, name, id string) ([]object, []*tfprotov6.Diagnostic, error)
	read(ctx context.Context, name string, config cty.Value) (cty.Value, []*tfprotov6.Diagnostic, error)
}

// proposal is a provider's answer to a plan.
type proposal struct {
	object
	replaces []cty.Path
}

// server is the provider under test.
type server struct {
	*schemas
	rpc tfprotov6.ProviderServer
}

// schemas are all schemas of a provider.
type schemas struct {
	config *schema
	// managed and data are the schemas of resources and of data sources.
	managed, data map[string]*schema
	callable      map[string]*tfprotov6.Function
}

func readSchemas(ctx context.Context, rpc tfprotov6.ProviderServer) (*schemas, error) {
	answer, err := rpc.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	if wrong := answerProblems(answer.Diagnostics, "", nil); len(wrong) > 0 {
		return nil, wrong
	}
	s := &schemas{managed: map[string]*schema{}, data: map[string]*schema{}, callable: answer.Functions}
	if s.config, err = newSchema(answer.Provider); err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	for into, from := range map[*map[string]*schema]map[string]*tfprotov6.Schema{
		&s.managed: answer.ResourceSchemas, &s.data: answer.DataSourceSchemas,
	} {
		for name, declared := range from {
			if (*into)[name], err = newSchema(declared); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	identities, err := rpc.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for name, identity := range identities.IdentitySchemas {
		if s.managed[name].identity, err = ctyType(identity.ValueType()); err != nil {
			return nil, fmt.Errorf("identity of %s: %w", name, err)
		}
	}
	return s, nil
}

func (s *schemas) resource(name string) (*schema, bool) {
	found, ok := s.managed[name]
	return found, ok
}

func (s *schemas) dataSource(name string) (*schema, bool) {
	found, ok := s.data[name]
	return found, ok
}

// configure validates the configuration of the provider and, unless scope is nil, configures it.
func (s *server) configure(ctx context.Context, scope *scope, b *block) problems {
	config, wrong := scope.body(b, s.config, nil)
	if len(wrong) > 0 {
		return wrong
	}
	encoded, err := s.config.encode(config)
	if err != nil {
		return failure("Invalid provider configuration", "%v", err)
	}
	validated, err := s.rpc.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: encoded})
	if err != nil {
		return failure("Plugin error", "%v", err)
	}
	if wrong := answerProblems(validated.Diagnostics, "", b); len(wrong) > 0 {
		return wrong
	}
	configured, err := s.rpc.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: terraformVersion, Config: encoded})
	if err != nil {
		return failure("Plugin error", "%v", err)
	}
	return answerProblems(configured.Diagnostics, "", b)
}

func (s *server) validate(ctx context.Context, key resourceKey, config cty.Value) ([]*tfprotov6.Diagnostic, error) {
	if key.data {
		encoded, err := s.data[key.resource].encode(config)
		if err != nil {
			return nil, err
		}
		answer, err := s.rpc.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: key.resource, Config: encoded})
		if err != nil {
			return nil, err
		}
		return answer.Diagnostics, nil
	}
	encoded, err := s.managed[key.resource].encode(config)
	if err != nil {
		return nil, err
	}
	answer, err := s.rpc.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: key.resource, Config: encoded,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		return nil, err
	}
	return answer.Diagnostics, nil
}

// upgrade encodes a value as in a stored state and has the provider upgrade it.
func (s *server) upgrade(ctx context.Context, name string, o object) (object, []*tfprotov6.Diagnostic, error) {
	as := s.managed[name]
	data, err := ctyjson.Marshal(o.value, as.ty)
	if err != nil {
		return o, nil, err
	}
	answer, err := s.rpc.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: name, Version: as.version, RawState: &tfprotov6.RawState{JSON: data},
	})
	if err != nil || len(answer.Diagnostics) > 0 {
		return o, answer.Diagnostics, err
	}
	o.value, err = as.decode(answer.UpgradedState)
	return o, nil, err
}

func (s *server) refresh(ctx context.Context, name string, o object) (object, []*tfprotov6.Diagnostic, error) {
	as := s.managed[name]
	current, err := as.encode(o.value)
	if err != nil {
		return o, nil, err
	}
	answer, err := s.rpc.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: current, Private: o.private, CurrentIdentity: o.identity,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	})
	if err != nil {
		return o, nil, err
	}
	if hasErrors(answer.Diagnostics) {
		return o, answer.Diagnostics, nil
	}
	o.private, o.identity = answer.Private, answer.NewIdentity
	o.value, err = as.decode(answer.NewState)
	return o, answer.Diagnostics, err
}

// plan proposes null to destroy.
func (s *server) plan(ctx context.Context, name string, prior object, config, proposed cty.Value) (*proposal, []*tfprotov6.Diagnostic, error) {
	as := s.managed[name]
	request := &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorPrivate: prior.private, PriorIdentity: prior.identity,
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	}
	for into, v := range map[**tfprotov6.DynamicValue]cty.Value{
		&request.PriorState: prior.value, &request.Config: config, &request.ProposedNewState: proposed,
	} {
		encoded, err := as.encode(v)
		if err != nil {
			return nil, nil, err
		}
		*into = encoded
	}
	answer, err := s.rpc.PlanResourceChange(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	if hasErrors(answer.Diagnostics) {
		return nil, answer.Diagnostics, nil
	}
	if answer.UnsafeToUseLegacyTypeSystem { //nolint:staticcheck // Nobody may.
		return nil, nil, errors.New("the provider asks for the rules of an older SDK")
	}
	p := &proposal{object: object{private: answer.PlannedPrivate, identity: answer.PlannedIdentity}}
	for _, at := range answer.RequiresReplace {
		path, err := ctyPath(at)
		if err != nil {
			return nil, nil, err
		}
		p.replaces = append(p.replaces, path)
	}
	p.value, err = as.decode(answer.PlannedState)
	return p, answer.Diagnostics, err
}

func (s *server) apply(ctx context.Context, name string, prior object, planned *proposal, config cty.Value) (object, []*tfprotov6.Diagnostic, error) {
	as := s.managed[name]
	request := &tfprotov6.ApplyResourceChangeRequest{TypeName: name, PlannedPrivate: planned.private, PlannedIdentity: planned.identity}
	for into, v := range map[**tfprotov6.DynamicValue]cty.Value{
		&request.PriorState: prior.value, &request.Config: config, &request.PlannedState: planned.value,
	} {
		encoded, err := as.encode(v)
		if err != nil {
			return prior, nil, err
		}
		*into = encoded
	}
	answer, err := s.rpc.ApplyResourceChange(ctx, request)
	if err != nil {
		return prior, nil, err
	}
	applied := object{private: answer.Private, identity: answer.NewIdentity}
	applied.value, err = as.decode(answer.NewState)
	return applied, answer.Diagnostics, err
}

func (s *server) imported(ctx context.Context, name, id string) ([]object, []*tfprotov6.Diagnostic, error) {
	answer, err := s.rpc.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{
		TypeName: name, ID: id, ClientCapabilities: &tfprotov6.ImportResourceStateClientCapabilities{},
	})
	if err != nil || hasErrors(answer.Diagnostics) {
		return nil, answer.Diagnostics, err
	}
	var found []object
	for _, one := range answer.ImportedResources {
		value, err := s.managed[one.TypeName].decode(one.State)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, object{value: value, private: one.Private, identity: one.Identity})
	}
	return found, answer.Diagnostics, nil
}

func (s *server) read(ctx context.Context, name string, config cty.Value) (cty.Value, []*tfprotov6.Diagnostic, error) {
	as := s.data[name]
	encoded, err := as.encode(config)
	if err != nil {
		return as.null(), nil, err
	}
	answer, err := s.rpc.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: encoded, ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{},
	})
	if err != nil || hasErrors(answer.Diagnostics) {
		return as.null(), answer.Diagnostics, err
	}
	value, err := as.decode(answer.State)
	return value, answer.Diagnostics, err
}

func hasErrors(diags []*tfprotov6.Diagnostic) bool { return len(answerProblems(diags, "", nil)) > 0 }
