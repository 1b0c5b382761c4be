package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

// TestDeferral expects everything but lists to be deferred while the provider's configuration is unknown, if Terraform allows that, and
// nothing otherwise.
func TestDeferral(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]bool{"allowed": true, "not allowed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := startDeferring(t, allowed)
			for typeName, schema := range d.schema.ResourceSchemas {
				d.resource(typeName, schema)
			}
			for typeName, schema := range d.schema.DataSourceSchemas {
				resp, err := d.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
					TypeName: typeName, Config: d.value(schema, nil), ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: allowed},
				})
				d.expect("read of the data source "+typeName, err, resp.Deferred)
			}
			for typeName, schema := range d.schema.EphemeralResourceSchemas {
				resp, err := d.server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{
					TypeName: typeName, Config: d.value(schema, nil),
					ClientCapabilities: &tfprotov6.OpenEphemeralResourceClientCapabilities{DeferralAllowed: allowed},
				})
				d.expect("opening of "+typeName, err, resp.Deferred)
				resp, err = d.server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: typeName, Config: d.value(schema, nil)})
				if err != nil || resp.Deferred != nil || !strings.Contains(text(resp.Diagnostics), "Provider configuration not known yet") {
					t.Errorf("the opening of %s that may not be deferred: %v %+v %s", typeName, err, resp.Deferred, text(resp.Diagnostics))
				}
			}
			for typeName, schema := range d.schema.ActionSchemas {
				resp, err := d.server.PlanAction(t.Context(), &tfprotov6.PlanActionRequest{
					ActionType: typeName, Config: d.value(schema.Schema, tftypes.UnknownValue),
					ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{DeferralAllowed: allowed},
				})
				d.expect("plan of the action "+typeName, err, resp.Deferred)
			}
		})
	}
}

// deferring is a provider whose configuration is unknown.
type deferring struct {
	t       *testing.T
	server  everything
	schema  *tfprotov6.GetProviderSchemaResponse
	allowed bool
}

func startDeferring(t *testing.T, allowed bool) *deferring {
	t.Helper()
	d := &deferring{t: t, server: provider.NewServer("test", provider.WithEnvironment(func(string) string { return "" }))().(everything), allowed: allowed}
	schema, err := d.server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	d.schema = schema
	configured, err := d.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: d.value(schema.Provider, tftypes.UnknownValue), ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: allowed},
	})
	if err != nil || len(configured.Diagnostics) > 0 {
		t.Fatal(err, text(configured.Diagnostics))
	}
	return d
}

// resource plans a creation and a destruction, reads, and imports.
func (d *deferring) resource(typeName string, schema *tfprotov6.Schema) {
	d.t.Helper()
	ctx, as := d.t.Context(), schema.ValueType()
	none, err := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, nil))
	if err != nil {
		d.t.Fatal(err)
	}
	config, state := d.value(schema, tftypes.UnknownValue), d.value(schema, nil)
	capable := &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: d.allowed}
	created, err := d.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: &none, Config: config, ProposedNewState: config, ClientCapabilities: capable,
	})
	d.expect("creation of "+typeName, err, created.Deferred)
	destroyed, err := d.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: state, Config: &none, ProposedNewState: &none, ClientCapabilities: capable,
	})
	d.expect("destruction of "+typeName, err, destroyed.Deferred)
	read, err := d.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: typeName, CurrentState: state, ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: d.allowed},
	})
	d.expect("read of "+typeName, err, read.Deferred)
	imported, err := d.server.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{
		TypeName: typeName, ID: "name:any", ClientCapabilities: &tfprotov6.ImportResourceStateClientCapabilities{DeferralAllowed: d.allowed},
	})
	d.expect("import of "+typeName, err, imported.Deferred)
}

// expect expects a call to be deferred if that is allowed.
func (d *deferring) expect(call string, err error, deferred *tfprotov6.Deferred) {
	d.t.Helper()
	switch {
	case err != nil:
		d.t.Errorf("%s: %v", call, err)
	case d.allowed && (deferred == nil || deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown):
		d.t.Errorf("the %s is deferred by %+v, want the unknown configuration of the provider", call, deferred)
	case !d.allowed && deferred != nil:
		d.t.Errorf("the %s is deferred, which isn't allowed", call)
	}
}

// value returns an object whose attributes all have a value.
func (d *deferring) value(schema *tfprotov6.Schema, each any) *tfprotov6.DynamicValue {
	d.t.Helper()
	as := schema.ValueType().(tftypes.Object)
	attributes := map[string]tftypes.Value{}
	for name, of := range as.AttributeTypes {
		attributes[name] = tftypes.NewValue(of, each)
	}
	encoded, err := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, attributes))
	if err != nil {
		d.t.Fatal(err)
	}
	return &encoded
}
