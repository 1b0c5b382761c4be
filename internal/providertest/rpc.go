package providertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
)

// RPC is the configured provider for single calls that an older CLI can't make or whose results no CLI shows to a test.
// Values are given as JSON, in which omitted attributes are null.
type RPC struct {
	Server tfprotov6.ProviderServer
	Schema *tfprotov6.GetProviderSchemaResponse

	t *testing.T
}

// providerSchema is read once, because it is the same in every process.
var providerSchema = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	return provider.NewServer("test")().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

// RPC starts the provider. It needs no CLI, so it needs no TF_ACC either, unless the control plane is a real one.
func (p *Plane) RPC() *RPC {
	p.t.Helper()
	if p.Service == nil && os.Getenv("TF_ACC") == "" {
		p.t.Skip("changes a real control plane, which needs TF_ACC")
	}
	server, err := p.Factories()["agentplane"]()
	if err != nil {
		p.t.Fatal(err)
	}
	r := &RPC{Server: server, t: p.t}
	if r.Schema, err = providerSchema(); err != nil {
		p.t.Fatal(err)
	}
	configured, err := server.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.14.0", Config: r.Value(map[string]any{}),
	})
	r.OK(err, configured.Diagnostics)
	return r
}

// Value encodes a configuration, a state or a plan.
func (r *RPC) Value(attributes map[string]any) *tfprotov6.DynamicValue {
	r.t.Helper()
	data, err := json.Marshal(attributes)
	if err != nil {
		r.t.Fatal(err)
	}
	return &tfprotov6.DynamicValue{JSON: data}
}

// OK ends the test if a call failed.
func (r *RPC) OK(err error, diags []*tfprotov6.Diagnostic) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			r.t.Fatal(Told(diags))
		}
	}
}

// Told returns everything that users see of diagnostics.
func Told(diags []*tfprotov6.Diagnostic) string {
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

// Attributes returns the attributes of an object.
func (r *RPC) Attributes(value *tfprotov6.DynamicValue, as tftypes.Type) map[string]tftypes.Value {
	r.t.Helper()
	object, err := value.Unmarshal(as)
	if err != nil {
		r.t.Fatal(err)
	}
	var attributes map[string]tftypes.Value
	if err := object.As(&attributes); err != nil {
		r.t.Fatal(err)
	}
	return attributes
}

// Identity returns the string attributes of an identity; null ones are omitted.
func (r *RPC) Identity(data *tfprotov6.ResourceIdentityData, names ...string) map[string]string {
	r.t.Helper()
	if data == nil {
		r.t.Fatal("there is no identity")
	}
	as := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	for _, name := range names {
		as.AttributeTypes[name] = tftypes.String
	}
	texts := map[string]string{}
	for name, attribute := range r.Attributes(data.IdentityData, as) {
		var text *string
		if err := attribute.As(&text); err != nil {
			r.t.Fatal(err)
		}
		if text != nil {
			texts[name] = *text
		}
	}
	return texts
}

// Query lists resources as terraform query does, which requires Terraform 1.14.
func (r *RPC) Query(req tfprotov6.ListResourceRequest, config map[string]any) ([]tfprotov6.ListResourceResult, []*tfprotov6.Diagnostic) {
	r.t.Helper()
	req.Config = r.Value(config)
	server, ok := r.Server.(tfprotov6.ProviderServerWithListResource) //nolint:staticcheck // The protocol's own way to ask.
	if !ok {
		r.t.Fatal("the provider offers no list resources")
	}
	stream, err := server.ListResource(context.Background(), &req)
	if err != nil {
		r.t.Fatal(err)
	}
	var found []tfprotov6.ListResourceResult
	var diags []*tfprotov6.Diagnostic
	for result := range stream.Results {
		diags = append(diags, result.Diagnostics...)
		if result.Identity != nil {
			found = append(found, result)
		}
	}
	return found, diags
}

// PlansNothing uses a query result as the state and as the configuration, and expects a plan without changes.
func (r *RPC) PlansNothing(typeName string, found tfprotov6.ListResourceResult) {
	r.t.Helper()
	schema := r.Schema.ResourceSchemas[typeName]
	state := r.Attributes(found.Resource, schema.ValueType())
	settable := map[string]tftypes.Value{}
	for _, a := range schema.Block.Attributes {
		settable[a.Name] = state[a.Name]
		if !a.Required && !a.Optional {
			settable[a.Name] = tftypes.NewValue(state[a.Name].Type(), nil)
		}
	}
	config, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), settable))
	if err != nil {
		r.t.Fatal(err)
	}
	r.unchanged(typeName, found.Resource, &config)
}

// PlansEmpty expects a plan of a stored state, without a refresh, to change nothing.
func (r *RPC) PlansEmpty(typeName string, state, config map[string]any) {
	r.t.Helper()
	as := r.Schema.ResourceSchemas[typeName].ValueType()
	prior, err := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, r.Attributes(r.Value(state), as))) // As Terraform encodes it.
	if err != nil {
		r.t.Fatal(err)
	}
	r.unchanged(typeName, &prior, r.Value(config))
}

func (r *RPC) unchanged(typeName string, state, config *tfprotov6.DynamicValue) {
	r.t.Helper()
	plan, err := r.Server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: state, ProposedNewState: state, Config: config,
	})
	r.OK(err, plan.Diagnostics)
	as := r.Schema.ResourceSchemas[typeName].ValueType()
	if diff := cmp.Diff(r.Attributes(state, as), r.Attributes(plan.PlannedState, as)); diff != "" || len(plan.RequiresReplace) > 0 {
		r.t.Errorf("plan of %s (-state +planned):\n%s", typeName, diff)
	}
}

// actions is the part of the provider that plans and invokes actions.
func (r *RPC) actions() tfprotov6.ActionServer {
	r.t.Helper()
	server, ok := r.Server.(tfprotov6.ProviderServerWithActions) //nolint:staticcheck // The protocol's own way to ask.
	if !ok {
		r.t.Fatal("the provider offers no actions")
	}
	return server
}

// PlanAction plans an action, as Terraform does before it invokes or triggers it, while some attributes are unknown.
func (r *RPC) PlanAction(action string, config map[string]any, unknown ...string) []*tfprotov6.Diagnostic {
	r.t.Helper()
	as := r.Schema.ActionSchemas[action].Schema.ValueType()
	attributes := r.Attributes(r.Value(config), as)
	for _, name := range unknown {
		attributes[name] = tftypes.NewValue(attributes[name].Type(), tftypes.UnknownValue)
	}
	value, err := tfprotov6.NewDynamicValue(as, tftypes.NewValue(as, attributes))
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := r.actions().PlanAction(context.Background(), &tfprotov6.PlanActionRequest{ActionType: action, Config: &value})
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.Diagnostics
}

// Invoke runs an action as Terraform 1.14 does, and returns its progress messages. told is called with each message when it
// arrives; it may be nil.
func (r *RPC) Invoke(ctx context.Context, action string, config map[string]any, told func(string)) ([]string, []*tfprotov6.Diagnostic) {
	r.t.Helper()
	stream, err := r.actions().InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: action, Config: r.Value(config)})
	if err != nil {
		r.t.Fatal(err)
	}
	var messages []string
	var diags []*tfprotov6.Diagnostic
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			messages = append(messages, event.Message)
			if told != nil {
				told(event.Message)
			}
		case tfprotov6.CompletedInvokeActionEventType:
			diags = append(diags, event.Diagnostics...)
		}
	}
	return messages, diags
}
