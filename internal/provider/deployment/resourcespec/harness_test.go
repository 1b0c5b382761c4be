package resourcespec

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// elementTypes returns the attribute types of the objects in a list of resource_spec, or in a list within those.
func elementTypes(t *testing.T, names ...string) map[string]attr.Type {
	t.Helper()
	return frameworktest.ElementTypes(t, Types(), names...)
}

// objectList returns a list of objects for the attribute with this path.
func objectList(t *testing.T, names []string, elements ...map[string]attr.Value) types.List {
	t.Helper()
	return frameworktest.ObjectList(elementTypes(t, names...), elements...)
}

func textValues(values ...string) types.List {
	elements := make([]attr.Value, len(values))
	for i, value := range values {
		elements[i] = types.StringValue(value)
	}
	return types.ListValueMust(types.StringType, elements)
}

func text(s string) types.String             { return types.StringValue(s) }
func number64(n int64) types.Int64           { return types.Int64Value(n) }
func jsonText(s string) jsontypes.Normalized { return jsontypes.NewNormalizedValue(s) }

// specObject returns a resource_spec with the given attributes.
func specObject(given map[string]attr.Value) types.Object {
	return frameworktest.Object(Types(), given)
}

func specOf(t *testing.T, text string) api.ResourceSpec {
	t.Helper()
	var spec api.ResourceSpec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
