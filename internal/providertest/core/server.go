package core

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// terraformVersion is sent to the provider. This version supports write-only arguments and identities.
const terraformVersion = "1.12.0"

// starter starts a process of a provider for each operation. Its schemas are read once, because they are the same in every process.
func starter(start func() (tfprotov6.ProviderServer, error)) func() (*process, error) {
	schemas := sync.OnceValues(func() (map[string]*schema, error) {
		rpc, err := start()
		if err != nil {
			return nil, err
		}
		return readSchemas(context.Background(), rpc)
	})
	return func() (*process, error) {
		all, err := schemas()
		if err != nil {
			return nil, err
		}
		rpc, err := start()
		return &process{all, rpc}, err
	}
}

// What schemas are of, before the name of the resource or data source.
const configuration, resourceType, dataSourceType = "provider", "resource", "data source"

// readSchemas returns all schemas of a provider.
func readSchemas(ctx context.Context, rpc tfprotov6.ProviderServer) (map[string]*schema, error) {
	answer, err := rpc.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	if out := outcome(answer.Diagnostics, nil); out.Failed() {
		return nil, out.Err()
	}
	declared := map[string]*tfprotov6.Schema{configuration: answer.Provider}
	for name, of := range answer.ResourceSchemas {
		declared[resourceType+" "+name] = of
	}
	for name, of := range answer.DataSourceSchemas {
		declared[dataSourceType+" "+name] = of
	}
	all := map[string]*schema{}
	for name, of := range declared {
		if all[name], err = newSchema(of); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	identities, err := rpc.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for name := range identities.IdentitySchemas {
		all[resourceType+" "+name].identified = true
	}
	return all, nil
}

// process is a provider that has been started for one operation.
type process struct {
	schemas map[string]*schema
	rpc     tfprotov6.ProviderServer
}

// configure validates and sets the configuration of the provider.
func (p *process) configure(ctx context.Context, block hcl.Body, values map[string]cty.Value) Outcome {
	config, out := body(block, p.schemas[configuration], values)
	if out.Failed() {
		return out
	}
	encoded := p.schemas[configuration].encode(config)
	checked, err := p.rpc.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: encoded})
	if err != nil {
		return outcome(nil, err)
	}
	if out := outcome(checked.Diagnostics, nil); out.Failed() {
		return out
	}
	configured, err := p.rpc.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: terraformVersion, Config: encoded})
	if err != nil {
		return outcome(nil, err)
	}
	return outcome(configured.Diagnostics, nil)
}

// kind is a type of resource or of data source in one process of a provider.
type kind struct {
	*schema
	isData bool
	name   string
	rpc    tfprotov6.ProviderServer
}

func (p *process) kind(name string, isData bool) (kind, Outcome) {
	if name == terraformData {
		builtIn, err := newTerraformProvider()
		return kind{builtIn.schema, false, name, builtIn}, outcome(nil, err)
	}
	what := resourceType
	if isData {
		what = dataSourceType
	}
	if as, ok := p.schemas[what+" "+name]; ok {
		return kind{as, isData, name, p.rpc}, Outcome{}
	}
	return kind{}, failure("Invalid "+what+" type", fmt.Sprintf("The provider does not support %s type %q.", what, name))
}

func (k kind) validate(ctx context.Context, config cty.Value) Outcome {
	if k.isData {
		answer, err := k.rpc.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: k.name, Config: k.encode(config)})
		if err != nil {
			return outcome(nil, err)
		}
		return outcome(answer.Diagnostics, nil)
	}
	answer, err := k.rpc.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: k.name, Config: k.encode(config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		return outcome(nil, err)
	}
	return outcome(answer.Diagnostics, nil)
}

func (k kind) applied(ctx context.Context, prior, planned Object, config cty.Value) (Object, Outcome) {
	answer, err := k.rpc.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: k.name, PriorState: k.encode(prior.value), Config: k.encode(config), PlannedState: k.encode(planned.value),
		PlannedPrivate: planned.private, PlannedIdentity: planned.identity,
	})
	if err != nil {
		return prior, outcome(nil, err)
	}
	made := Object{private: answer.Private, identity: answer.NewIdentity}
	made.value, err = k.decode(answer.NewState)
	return made, outcome(answer.Diagnostics, err)
}
