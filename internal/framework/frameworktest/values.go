package frameworktest

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Object returns an object of type t: attributes that are not given are null.
func Object(t map[string]attr.Type, given map[string]attr.Value) types.Object {
	values := map[string]attr.Value{}
	for name, attributeType := range t {
		values[name] = framework.NullOf(attributeType)
		if value, ok := given[name]; ok {
			values[name] = value
		}
	}
	for name := range given {
		if _, ok := t[name]; !ok {
			panic(name + " is no attribute")
		}
	}
	return types.ObjectValueMust(t, values)
}

// ElementTypes returns the attribute types of the objects in a list, or in a list inside them; names is the path of attributes.
func ElementTypes(t *testing.T, in map[string]attr.Type, names ...string) map[string]attr.Type {
	t.Helper()
	for _, name := range names {
		list, ok := in[name].(attr.TypeWithElementType)
		if !ok {
			t.Fatalf("%s is not a list", name)
		}
		in = framework.NestedTypes(list.ElementType())
	}
	return in
}

// ObjectList returns a list of objects of an object type.
func ObjectList(elementType map[string]attr.Type, elements ...map[string]attr.Value) types.List {
	values := make([]attr.Value, len(elements))
	for i, given := range elements {
		values[i] = Object(elementType, given)
	}
	return types.ListValueMust(types.ObjectType{AttrTypes: elementType}, values)
}

// With returns the object with another value of an attribute.
func With(object types.Object, name string, value attr.Value) types.Object {
	values, ctx := object.Attributes(), context.Background() // A copy; types don't use the context.
	values[name] = value
	return types.ObjectValueMust(object.AttributeTypes(ctx), values)
}

// StringMap returns a map attribute from alternating names and values.
func StringMap(pairs ...string) types.Map {
	elements := map[string]attr.Value{}
	for i := 0; i < len(pairs); i += 2 {
		elements[pairs[i]] = types.StringValue(pairs[i+1])
	}
	return types.MapValueMust(types.StringType, elements)
}

// NoDiags fails the test if there is a diagnostic.
func NoDiags(t *testing.T, diags diag.Diagnostics) {
	t.Helper()
	if len(diags) > 0 {
		t.Fatalf("unexpected diagnostics: %s", Lines(diags))
	}
}

// Lines formats diagnostics as "severity path: summary", in order.
func Lines(diags diag.Diagnostics) []string {
	var all []string
	for _, d := range diags {
		line := strings.ToLower(d.Severity().String())
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			line += " " + at.Path().String()
		}
		all = append(all, line+": "+d.Summary())
	}
	return all
}
