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

// schemas are all schemas of a provider.
type schemas struct {
	config *schema
	// managed and data are the schemas of resources and of data sources.
	managed, data map[string]*schema
}

func readSchemas(ctx context.Context, rpc tfprotov6.ProviderServer) (*schemas, error) {
	answer, err := rpc.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	if hasErrors(answer.Diagnostics) {
		return nil, errorsOf("", answer.Diagnostics)
	}
	s := &schemas{managed: map[string]*schema{}, data: map[string]*schema{}}
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

// kind is a type of resource or of data source in one process of a provider.
type kind struct {
	*schema
	isData bool
	name   string
	rpc    tfprotov6.ProviderServer
}

// object is what a state holds of a resource.
type object struct {
	value    cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
	// dependsOn are the resources that this one depends on, directly or indirectly.
	dependsOn map[address]bool
}

// exists reports whether there is an object.
func (o object) exists() bool { return o.value != cty.NilVal && !o.value.IsNull() }

// proposal is a provider's answer to a plan.
type proposal struct {
	object
	replaces []cty.Path
}

func (k kind) validate(ctx context.Context, config cty.Value) ([]*tfprotov6.Diagnostic, error) {
	encoded, err := k.encode(config)
	if err != nil {
		return nil, err
	}
	if k.isData {
		answer, err := k.rpc.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: k.name, Config: encoded})
		if err != nil {
			return nil, err
		}
		return answer.Diagnostics, nil
	}
	answer, err := k.rpc.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: k.name, Config: encoded,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		return nil, err
	}
	return answer.Diagnostics, nil
}

// upgraded encodes a value as in a stored state and has the provider upgrade it.
func (k kind) upgraded(ctx context.Context, o object) (object, []*tfprotov6.Diagnostic, error) {
	data, err := ctyjson.Marshal(o.value, k.ty)
	if err != nil {
		return o, nil, err
	}
	answer, err := k.rpc.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: k.name, Version: k.version, RawState: &tfprotov6.RawState{JSON: data},
	})
	if err != nil || len(answer.Diagnostics) > 0 {
		return o, answer.Diagnostics, err
	}
	o.value, err = k.decode(answer.UpgradedState)
	return o, nil, err
}

func (k kind) read(ctx context.Context, o object) (object, []*tfprotov6.Diagnostic, error) {
	current, err := k.encode(o.value)
	if err != nil {
		return o, nil, err
	}
	answer, err := k.rpc.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: k.name, CurrentState: current, Private: o.private, CurrentIdentity: o.identity,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	})
	if err != nil {
		return o, nil, err
	}
	if hasErrors(answer.Diagnostics) {
		return o, answer.Diagnostics, nil
	}
	o.private, o.identity = answer.Private, answer.NewIdentity
	o.value, err = k.decode(answer.NewState)
	return o, answer.Diagnostics, err
}

// planned proposes null to destroy.
func (k kind) planned(ctx context.Context, prior object, config, proposed cty.Value) (*proposal, []*tfprotov6.Diagnostic, error) {
	encoded, err := k.encodeAll(prior.value, config, proposed)
	if err != nil {
		return nil, nil, err
	}
	answer, err := k.rpc.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: k.name, PriorState: encoded[0], Config: encoded[1], ProposedNewState: encoded[2],
		PriorPrivate: prior.private, PriorIdentity: prior.identity, ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	})
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
	p.value, err = k.decode(answer.PlannedState)
	return p, answer.Diagnostics, err
}

func (k kind) applied(ctx context.Context, prior object, planned *proposal, config cty.Value) (object, []*tfprotov6.Diagnostic, error) {
	encoded, err := k.encodeAll(prior.value, config, planned.value)
	if err != nil {
		return prior, nil, err
	}
	answer, err := k.rpc.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: k.name, PriorState: encoded[0], Config: encoded[1], PlannedState: encoded[2],
		PlannedPrivate: planned.private, PlannedIdentity: planned.identity,
	})
	if err != nil {
		return prior, nil, err
	}
	made := object{private: answer.Private, identity: answer.NewIdentity}
	made.value, err = k.decode(answer.NewState)
	return made, answer.Diagnostics, err
}

func (k kind) encodeAll(values ...cty.Value) ([]*tfprotov6.DynamicValue, error) {
	encoded := make([]*tfprotov6.DynamicValue, len(values))
	for i, v := range values {
		var err error
		if encoded[i], err = k.encode(v); err != nil {
			return nil, err
		}
	}
	return encoded, nil
}

func (k kind) imported(ctx context.Context, id string) ([]object, []*tfprotov6.Diagnostic, error) {
	answer, err := k.rpc.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{
		TypeName: k.name, ID: id, ClientCapabilities: &tfprotov6.ImportResourceStateClientCapabilities{},
	})
	if err != nil || hasErrors(answer.Diagnostics) {
		return nil, answer.Diagnostics, err
	}
	var found []object
	for _, one := range answer.ImportedResources {
		value, err := k.decode(one.State)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, object{value: value, private: one.Private, identity: one.Identity})
	}
	return found, answer.Diagnostics, nil
}

// data reads a data source.
func (k kind) data(ctx context.Context, config cty.Value) (cty.Value, Outcome, error) {
	encoded, err := k.encode(config)
	if err != nil {
		return k.null(), Outcome{}, err
	}
	answer, err := k.rpc.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: k.name, Config: encoded, ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{},
	})
	if err != nil {
		return k.null(), Outcome{}, err
	}
	out := Outcome{Diagnostics: answer.Diagnostics}
	if out.Failed() {
		return k.null(), out, nil
	}
	value, err := k.decode(answer.State)
	if err == nil && (value.IsNull() || !value.IsWhollyKnown()) {
		out.broke(invalidObject, "a data source must be wholly known and not null")
	}
	return value, out, err
}

// unread is what a plan knows of a data source that an apply is going to read.
func (k kind) unread(config cty.Value) cty.Value {
	values := config.AsValueMap()
	for _, a := range k.attributes {
		if a.Computed && values[a.Name].IsNull() {
			values[a.Name] = cty.UnknownVal(values[a.Name].Type())
		}
	}
	return cty.ObjectVal(values)
}
