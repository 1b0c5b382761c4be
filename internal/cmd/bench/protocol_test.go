package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

// inProcess is the real provider, configured, in this process. Its calls have the same arguments and results as
// Terraform's, without the network in between.
type inProcess struct {
	tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
}

// newInProcess starts the provider in an environment.
func newInProcess(ctx context.Context, environment map[string]string, options ...provider.Option) (*inProcess, error) {
	getenv := func(name string) string { return environment[name] }
	p := &inProcess{ProviderServer: provider.NewServer("bench", append(options, provider.WithEnvironment(getenv))...)()}
	var err error
	if p.schema, err = p.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		return nil, err
	}
	config, err := newValue(p.schema.Provider.ValueType(), object{})
	if err != nil {
		return nil, err
	}
	resp, err := p.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.14.0", Config: config})
	if err != nil {
		return nil, err
	}
	return p, failure(resp.Diagnostics)
}

// newValue encodes attributes as Terraform does. Missing ones are null.
func newValue(as tftypes.Type, attributes any) (*tfprotov6.DynamicValue, error) {
	data, err := json.Marshal(attributes)
	if err != nil {
		return nil, err
	}
	value, err := (&tfprotov6.DynamicValue{JSON: data}).Unmarshal(as)
	if err != nil {
		return nil, err
	}
	encoded, err := tfprotov6.NewDynamicValue(as, value)
	return &encoded, err
}

// failure returns the errors among diagnostics.
func failure(diags []*tfprotov6.Diagnostic) error {
	var failures []error
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			failures = append(failures, fmt.Errorf("%s: %s", d.Summary, d.Detail))
		}
	}
	return errors.Join(failures...)
}
