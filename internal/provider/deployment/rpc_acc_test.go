package deployment_test

import (
	"context"
	"encoding/json"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

const typeName = "agentplane_deployment"

// rpc is the configured provider for single calls with values in JSON; a driver manages the life cycle of a
// resource.
type rpc struct {
	t      *testing.T
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
}

// newRPC needs no CLI, and therefore no TF_ACC.
func newRPC(t *testing.T, plane *providertest.Plane) *rpc {
	t.Helper()
	server, err := plane.Factories()["agentplane"]()
	if err != nil {
		t.Fatal(err)
	}
	r := &rpc{t: t, server: server}
	if r.schema, err = server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{}); err != nil {
		t.Fatal(err)
	}
	configured, err := server.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.12.0", Config: value(t, map[string]any{}),
	})
	r.ok(err, configured.Diagnostics)
	return r
}

// value returns a configuration, state or plan; missing attributes are null.
func value(t *testing.T, attributes map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	data, err := json.Marshal(attributes)
	if err != nil {
		t.Fatal(err)
	}
	return &tfprotov6.DynamicValue{JSON: data}
}

func (r *rpc) ok(err error, diags []*tfprotov6.Diagnostic) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			r.t.Fatalf("%s: %s", d.Summary, d.Detail)
		}
	}
}

func decoded(t *testing.T, v *tfprotov6.DynamicValue, as tftypes.Type) map[string]tftypes.Value {
	t.Helper()
	object, err := v.Unmarshal(as)
	if err != nil {
		t.Fatal(err)
	}
	var attributes map[string]tftypes.Value
	if err := object.As(&attributes); err != nil {
		t.Fatal(err)
	}
	return attributes
}

func plain(t *testing.T, v tftypes.Value) string {
	t.Helper()
	var s *string
	if err := v.As(&s); err != nil {
		t.Fatal(err)
	}
	if s == nil {
		return "null"
	}
	return *s
}

// validated returns the diagnostics of validating a configuration.
func (r *rpc) validated(config map[string]any) []*tfprotov6.Diagnostic {
	r.t.Helper()
	resp, err := r.server.ValidateResourceConfig(context.Background(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: typeName, Config: value(r.t, config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.Diagnostics
}

// container returns a configuration of a deployment of an image, with additional values in source_config.
func container(plane *providertest.Plane, more map[string]any) map[string]any {
	sourceConfig := map[string]any{
		"listener_id": plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": plane.K8sNamespace},
	}
	maps.Copy(sourceConfig, more)
	config := map[string]any{
		"name": "tf-acc-rpc", "source": "external_container", "source_config": sourceConfig,
		"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1.0.0"},
	}
	if plane.Dialect().ProjectsBlockNames {
		config["delete_tracing_project"] = true
	}
	return config
}
