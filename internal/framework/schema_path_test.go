package framework_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// nested has an attribute of every kind that a location can contain.
var nested = schema.Schema{Attributes: map[string]schema.Attribute{
	"name":        schema.StringAttribute{Required: true},
	"environment": schema.MapAttribute{Optional: true, ElementType: types.StringType},
	"source_config": schema.SingleNestedAttribute{Required: true, Attributes: map[string]schema.Attribute{
		"cpu": schema.Int64Attribute{Optional: true},
		"volume_mounts": schema.ListNestedAttribute{
			Optional: true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"mount_path": schema.StringAttribute{Required: true},
			}},
		},
		"volumes": schema.ListNestedAttribute{
			Optional: true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"downward_api": schema.StringAttribute{Optional: true},
			}},
		},
		"containers": schema.ListNestedAttribute{
			Optional: true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"env_from_json":         schema.ListAttribute{Optional: true, ElementType: types.StringType},
				"security_context_json": schema.StringAttribute{Optional: true},
			}},
		},
		"command": schema.ListAttribute{Optional: true, ElementType: types.StringType},
	}},
}}

func TestSchemaPath(t *testing.T) {
	t.Parallel()
	key, index := api.Key, api.Index
	tests := map[string]struct {
		loc []api.LocStep
		// want is empty if the schema has no such attribute.
		want string
	}{
		"attribute":               {[]api.LocStep{key("name")}, "name"},
		"nested attribute":        {[]api.LocStep{key("source_config"), key("cpu")}, "source_config.cpu"},
		"camel case below a list": {[]api.LocStep{key("source_config"), key("volume_mounts"), index(2), key("mountPath")}, "source_config.volume_mounts[2].mount_path"},
		"camel case of a list":    {[]api.LocStep{key("sourceConfig"), key("volumeMounts"), index(0)}, "source_config.volume_mounts[0]"},
		"initialism":              {[]api.LocStep{key("source_config"), key("volumes"), index(1), key("downwardAPI")}, "source_config.volumes[1].downward_api"},
		"string of JSON":          {[]api.LocStep{key("source_config"), key("containers"), index(0), key("securityContext"), key("runAsUser")}, "source_config.containers[0].security_context_json"},
		"list of strings of JSON": {[]api.LocStep{key("source_config"), key("containers"), index(0), key("envFrom"), index(1), key("prefix")}, "source_config.containers[0].env_from_json[1]"},
		"element of a plain list": {[]api.LocStep{key("source_config"), key("command"), index(4)}, "source_config.command[4]"},
		"past a leaf":             {[]api.LocStep{key("name"), key("value")}, "name"},
		"past a nested attribute": {[]api.LocStep{key("source_config"), key("cpu"), key("int")}, "source_config.cpu"},
		"unknown in a list":       {[]api.LocStep{key("source_config"), key("volumes"), index(1), key("csi"), key("driver")}, "source_config.volumes[1]"},
		"list that is a map":      {[]api.LocStep{key("environment"), index(0), key("value")}, "environment"},
		"index into an object":    {[]api.LocStep{key("source_config"), index(0)}, "source_config"},
		"unknown attribute":       {[]api.LocStep{key("unheard_of"), key("cpu")}, ""},
		"index first":             {[]api.LocStep{index(0), key("name")}, ""},
		"nothing":                 {nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := framework.SchemaPath(nested, test.loc)
			if got.String() != test.want || found != (test.want != "") {
				t.Errorf("SchemaPath = %q, %t; want %q", got, found, test.want)
			}
		})
	}
}
