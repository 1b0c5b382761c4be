package deployment_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// driver calls the provider as Terraform does: for what no test with a CLI can see, such as
// warnings, or do, such as cancelling an operation at a given point.
type driver struct {
	t      *testing.T
	server tfprotov6.ProviderServer
	schema *tfprotov6.Schema
	// used says that the configured provider has planned or applied: the next refresh or plan is another command.
	used bool
}

// kept is what Terraform stores of a resource. The zero kept is a resource that doesn't exist.
type kept struct {
	state    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// driven is the type of resource that a driver manages.
const driven = "agentplane_deployment"

// The schemas depend on nothing, and reading them takes as long as planning a deployment ten times.
var (
	readSchemas sync.Once
	schemas     *tfprotov6.GetProviderSchemaResponse
)

func drive(t *testing.T, plane *providertest.Plane) *driver {
	t.Helper()
	server, err := plane.Factories()["agentplane"]()
	if err != nil {
		t.Fatal(err)
	}
	readSchemas.Do(func() {
		schemas, err = server.GetProviderSchema(context.WithoutCancel(t.Context()), &tfprotov6.GetProviderSchemaRequest{})
	})
	if schemas == nil {
		t.Fatal("the provider has no schemas: ", err)
	}
	d := &driver{t: t, server: server, schema: schemas.ResourceSchemas[driven]}
	d.configure()
	return d
}

// configure configures the provider, as every command does.
func (d *driver) configure() {
	d.t.Helper()
	configured, err := d.server.ConfigureProvider(d.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: d.document(map[string]any{})})
	if err != nil || len(configured.Diagnostics) > 0 {
		d.t.Fatal(err, told(configured.Diagnostics))
	}
	d.used = false
}

// document returns a configuration; missing attributes are null.
func (d *driver) document(attributes map[string]any) *tfprotov6.DynamicValue {
	d.t.Helper()
	encoded, err := json.Marshal(attributes)
	if err != nil {
		d.t.Fatal(err)
	}
	return &tfprotov6.DynamicValue{JSON: encoded}
}

// plan returns the planned state, and everything else that an apply needs.
func (d *driver) plan(prior kept, config map[string]any) (kept, []*tfprotov6.Diagnostic) {
	d.t.Helper()
	if d.used {
		d.configure()
	}
	if prior.state.Type() == nil {
		prior.state = d.null()
	}
	wanted := d.decoded(d.document(config))
	planned, err := d.server.PlanResourceChange(d.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: driven, PriorState: d.encoded(prior.state), PriorPrivate: prior.private, PriorIdentity: prior.identity,
		Config: d.encoded(wanted), ProposedNewState: d.encoded(proposed(d.schema.Block.Attributes, wanted, prior.state)),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.used = true
	if hasError(planned.Diagnostics) {
		return kept{}, planned.Diagnostics
	}
	return kept{d.decoded(planned.PlannedState), planned.PlannedPrivate, planned.PlannedIdentity}, planned.Diagnostics
}

// apply plans and applies with ctx. A nil config destroys.
func (d *driver) apply(ctx context.Context, prior kept, config map[string]any) (kept, []*tfprotov6.Diagnostic) {
	d.t.Helper()
	wanted, planned := d.null(), kept{state: d.null(), private: prior.private, identity: prior.identity}
	if config != nil {
		var diags []*tfprotov6.Diagnostic
		wanted = d.decoded(d.document(config))
		//nolint:contextcheck // Only the apply is cancelled.
		if planned, diags = d.plan(prior, config); hasError(diags) {
			d.t.Fatalf("the plan failed: %s", told(diags))
		}
	}
	if prior.state.Type() == nil {
		prior.state = d.null()
	}
	d.used = true
	applied, err := d.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: driven, PriorState: d.encoded(prior.state), PlannedState: d.encoded(planned.state),
		Config: d.encoded(wanted), PlannedPrivate: planned.private, PlannedIdentity: planned.identity,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return kept{d.decoded(applied.NewState), applied.Private, applied.NewIdentity}, applied.Diagnostics
}

// made applies, and fails the test on any diagnostic.
func (d *driver) made(prior kept, config map[string]any) kept {
	d.t.Helper()
	now, diags := d.apply(d.t.Context(), prior, config)
	if len(diags) > 0 {
		d.t.Fatal(told(diags))
	}
	return now
}

func (d *driver) refresh(prior kept) (kept, []*tfprotov6.Diagnostic) {
	d.t.Helper()
	if d.used {
		d.configure()
	}
	read, err := d.server.ReadResource(d.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: driven, CurrentState: d.encoded(prior.state), Private: prior.private, CurrentIdentity: prior.identity,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return kept{d.decoded(read.NewState), read.Private, read.NewIdentity}, read.Diagnostics
}

// look reads a data source.
func (d *driver) look(typeName string, config map[string]any) (tftypes.Value, []*tfprotov6.Diagnostic) {
	d.t.Helper()
	read, err := d.server.ReadDataSource(d.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: d.document(config)})
	if err != nil {
		d.t.Fatal(err)
	}
	as := schemas.DataSourceSchemas[typeName].ValueType()
	if read.State == nil {
		return tftypes.NewValue(as, nil), read.Diagnostics
	}
	state, err := read.State.Unmarshal(as)
	if err != nil {
		d.t.Fatal(err)
	}
	return state, read.Diagnostics
}

// refreshed refreshes, and fails the test on any diagnostic.
func (d *driver) refreshed(prior kept) kept {
	d.t.Helper()
	now, diags := d.refresh(prior)
	if len(diags) > 0 {
		d.t.Fatal(told(diags))
	}
	return now
}

// settled expects that planning the same configuration shows no changes.
func (d *driver) settled(now kept, config map[string]any) {
	d.t.Helper()
	now = d.refreshed(now)
	planned, diags := d.plan(now, config)
	if len(diags) > 0 || !planned.state.Equal(now.state) {
		d.t.Errorf("the next plan isn't empty: %s\nstate: %s\nplan: %s", told(diags), now.state, planned.state)
	}
}

func (d *driver) null() tftypes.Value { return tftypes.NewValue(d.schema.ValueType(), nil) }

func (d *driver) encoded(value tftypes.Value) *tfprotov6.DynamicValue {
	d.t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		d.t.Fatal(err)
	}
	return &encoded
}

func (d *driver) decoded(value *tfprotov6.DynamicValue) tftypes.Value {
	d.t.Helper()
	if value == nil {
		return d.null()
	}
	decoded, err := value.Unmarshal(d.schema.ValueType())
	if err != nil {
		d.t.Fatal(err)
	}
	return decoded
}

// text returns an attribute of the state; empty if it is null.
func (k kept) text(attributes ...string) string {
	value := k.state
	for _, attribute := range attributes {
		var members map[string]tftypes.Value
		if err := value.As(&members); err != nil {
			return err.Error()
		}
		value = members[attribute]
	}
	var text *string
	if err := value.As(&text); err != nil {
		return err.Error()
	}
	if text == nil {
		return ""
	}
	return *text
}

// proposed returns Terraform's proposed state: the configuration, with prior values for computed attributes that aren't set.
func proposed(attributes []*tfprotov6.SchemaAttribute, config, prior tftypes.Value) tftypes.Value {
	if config.IsNull() || prior.IsNull() {
		return config
	}
	var wanted, had map[string]tftypes.Value
	if config.As(&wanted) != nil || prior.As(&had) != nil {
		return config
	}
	for _, attribute := range attributes {
		name := attribute.Name
		switch {
		case attribute.NestedType != nil && attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			wanted[name] = proposed(attribute.NestedType.Attributes, wanted[name], had[name])
		case attribute.Computed && wanted[name].IsNull():
			wanted[name] = had[name]
		}
	}
	return tftypes.NewValue(config.Type(), wanted)
}

func hasError(diags []*tfprotov6.Diagnostic) bool {
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}

// told returns the text of all diagnostics that users see.
func told(diags []*tfprotov6.Diagnostic) string {
	var b strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&b, "%s: %s", d.Severity, d.Summary)
		if d.Attribute != nil {
			fmt.Fprintf(&b, " at %s", d.Attribute)
		}
		fmt.Fprintf(&b, "\n%s\n", d.Detail)
	}
	return b.String()
}

// imageConfig returns a configuration of an external container. more replaces arguments of the resource.
func imageConfig(plane *providertest.Plane, more map[string]any) map[string]any {
	config := map[string]any{
		"name": "tf-acc-driven", "source": "external_container",
		"source_config": map[string]any{
			"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
		},
		"source_revision_config": image("1.0.0"),
		"environment":            map[string]string{"LOG_LEVEL": "debug"},
	}
	if plane.Dialect().ProjectsBlockNames {
		config["delete_tracing_project"] = true
	}
	maps.Copy(config, more)
	return config
}

func image(tag string) map[string]any {
	return map[string]any{"image_uri": "registry.example.com/agents/chat:" + tag}
}
