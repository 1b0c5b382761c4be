package deployment

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func TestSchemaIsValid(t *testing.T) {
	t.Parallel()
	var resp resource.SchemaResponse
	NewResource().Schema(t.Context(), resource.SchemaRequest{}, &resp)
	frameworktest.NoDiags(t, resp.Diagnostics)
	frameworktest.NoDiags(t, resp.Schema.ValidateImplementation(t.Context()))
	identified, ok := NewResource().(resource.ResourceWithIdentity)
	if !ok {
		t.Fatal("the resource has no identity")
	}
	var identity resource.IdentitySchemaResponse
	identified.IdentitySchema(t.Context(), resource.IdentitySchemaRequest{}, &identity)
	frameworktest.NoDiags(t, identity.Diagnostics)
	if len(identity.IdentitySchema.Attributes) != 2 {
		t.Errorf("the identity has %d attributes, want 2", len(identity.IdentitySchema.Attributes))
	}
	var metadata resource.MetadataResponse
	NewResource().Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "agentplane"}, &metadata)
	if metadata.TypeName != "agentplane_deployment" {
		t.Errorf("type = %s, want agentplane_deployment", metadata.TypeName)
	}
}

// eachAttribute visits the attributes of the schema at every depth.
func eachAttribute(attributes map[string]schema.Attribute, at string, visit func(at string, attribute schema.Attribute)) {
	for name, attribute := range attributes {
		visit(at+name, attribute)
		switch nested := attribute.(type) {
		case schema.SingleNestedAttribute:
			eachAttribute(nested.Attributes, at+name+".", visit)
		case schema.ListNestedAttribute:
			eachAttribute(nested.NestedObject.Attributes, at+name+".", visit)
		}
	}
}

func TestSchemaSaysWhatItHolds(t *testing.T) {
	t.Parallel()
	const spec = "source_config.resource_spec."
	secret := map[string]bool{
		"secrets": true, "secrets_wo": true, spec + "sidecars.env.value": true, spec + "init_containers.env.value": true,
	}
	eachAttribute(deploymentSchema().Attributes, "", func(at string, attribute schema.Attribute) {
		if at != "timeouts.create" && !strings.HasPrefix(at, "timeouts") && attribute.GetMarkdownDescription() == "" {
			t.Errorf("%s has no description", at)
		}
		if attribute.IsSensitive() != secret[at] {
			t.Errorf("%s: sensitive = %t, want %t", at, attribute.IsSensitive(), secret[at])
		}
		if attribute.IsWriteOnly() != (at == "secrets_wo") {
			t.Errorf("%s: write-only = %t, want %t", at, attribute.IsWriteOnly(), at == "secrets_wo")
		}
		unused := strings.HasPrefix(at, "source_config.resource_spec.orchestrator_") || strings.HasPrefix(at, "source_config.resource_spec.executor_")
		if (attribute.GetDeprecationMessage() != "") != unused {
			t.Errorf("%s: deprecation message = %q, want one: %t", at, attribute.GetDeprecationMessage(), unused)
		}
		if strings.HasPrefix(at, "source_config.resource_spec.") && attribute.IsComputed() {
			t.Errorf("%s is computed, but then a default of the service would be shown as a change", at)
		}
	})
}

// TestModelsFitTheSchema compares the models with the schema: a struct with a missing or an additional field fails every request.
func TestModelsFitTheSchema(t *testing.T) {
	t.Parallel()
	resourceTypes := map[string]attr.Type{}
	for name, attribute := range deploymentSchema().Attributes {
		resourceTypes[name] = attribute.GetType()
	}
	for name, test := range map[string]struct {
		model any
		types map[string]attr.Type
	}{
		"resource": {model{}, resourceTypes}, "source_config": {sourceConfigModel{}, attributeTypes("source_config")},
		"source_revision_config": {sourceRevisionConfigModel{}, attributeTypes("source_revision_config")},
		"listener_config":        {listenerConfigModel{}, framework.NestedTypes(attributeTypes("source_config")["listener_config"])},
	} {
		fields := map[string]bool{}
		for _, field := range reflect.VisibleFields(reflect.TypeOf(test.model)) {
			if !field.Anonymous {
				fields[field.Tag.Get("tfsdk")] = true
			}
		}
		for attribute := range test.types {
			if !fields[attribute] {
				t.Errorf("%s: the model has no field for %s", name, attribute)
			}
		}
		if len(fields) != len(test.types) {
			t.Errorf("%s: the model has %d fields, want one for each of the schema's %d attributes", name, len(fields), len(test.types))
		}
	}
}
