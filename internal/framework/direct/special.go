package direct

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// special are the attributes that the framework itself processes.
type special struct {
	defaults map[string]tftypes.Value
	// writeOnly attributes are null in every plan and state.
	writeOnly []string
	// validated attributes have types that validate a value whenever the framework processes it.
	validated map[string]attr.Type
}

// newSpecial returns false for a schema with blocks, or with such attributes below the root.
func newSpecial(ctx context.Context, s schema.Schema) (special, bool) {
	found := special{defaults: map[string]tftypes.Value{}, validated: map[string]attr.Type{}}
	for name, attribute := range s.Attributes {
		value, ok := defaultOf(ctx, attribute)
		if !ok || !isPlain(ctx, nested(attribute)) {
			return found, false
		}
		if value != nil {
			converted, err := value.ToTerraformValue(ctx)
			if err != nil {
				return found, false
			}
			found.defaults[name] = converted
		}
		if attribute.IsWriteOnly() {
			found.writeOnly = append(found.writeOnly, name)
		}
		if isValidated(ctx, attribute.GetType()) {
			found.validated[name] = attribute.GetType()
		}
	}
	return found, len(s.Blocks) == 0
}

// isPlain reports whether no attribute has a default or is write-only.
func isPlain(ctx context.Context, attributes map[string]schema.Attribute) bool {
	for _, attribute := range attributes {
		value, ok := defaultOf(ctx, attribute)
		if value != nil || !ok || attribute.IsWriteOnly() || !isPlain(ctx, nested(attribute)) {
			return false
		}
	}
	return true
}

// nested returns the attributes of a nested attribute.
func nested(attribute schema.Attribute) map[string]schema.Attribute {
	switch a := attribute.(type) {
	case schema.SingleNestedAttribute:
		return a.Attributes
	case schema.ListNestedAttribute:
		return a.NestedObject.Attributes
	case schema.MapNestedAttribute:
		return a.NestedObject.Attributes
	}
	return nil
}

// defaultOf returns the default of an attribute, or nil if it has none. It returns false for unknown kinds of attributes.
func defaultOf(ctx context.Context, attribute schema.Attribute) (value attr.Value, ok bool) {
	switch attribute.(type) {
	case schema.StringAttribute, schema.BoolAttribute, schema.Int64Attribute, schema.Float64Attribute, schema.MapAttribute,
		schema.ListAttribute, schema.SetAttribute, schema.SingleNestedAttribute, schema.ListNestedAttribute, schema.MapNestedAttribute:
	default:
		return nil, false
	}
	switch d := reflect.ValueOf(attribute).FieldByName("Default").Interface().(type) {
	case nil:
		return nil, true
	case defaults.String:
		var resp defaults.StringResponse
		d.DefaultString(ctx, defaults.StringRequest{}, &resp)
		return resp.PlanValue, len(resp.Diagnostics) == 0
	case defaults.Bool:
		var resp defaults.BoolResponse
		d.DefaultBool(ctx, defaults.BoolRequest{}, &resp)
		return resp.PlanValue, len(resp.Diagnostics) == 0
	case defaults.Map:
		var resp defaults.MapResponse
		d.DefaultMap(ctx, defaults.MapRequest{}, &resp)
		return resp.PlanValue, len(resp.Diagnostics) == 0
	case defaults.List:
		var resp defaults.ListResponse
		d.DefaultList(ctx, defaults.ListRequest{}, &resp)
		return resp.PlanValue, len(resp.Diagnostics) == 0
	}
	return nil, false
}

// filled reports whether a plan has the default of each attribute that the configuration omits.
func (s special) filled(config, plan map[string]tftypes.Value) bool {
	for name, value := range s.defaults {
		if config[name].IsNull() && !framework.Same(plan[name], value) {
			return false
		}
	}
	return true
}

// fill sets the default of each attribute that the configuration omits, and write-only attributes to null, which plans don't contain.
func (s special) fill(config, plan map[string]tftypes.Value) {
	for name, value := range s.defaults {
		if config[name].IsNull() {
			plan[name] = value
		}
	}
	for _, name := range s.writeOnly {
		plan[name] = tftypes.NewValue(plan[name].Type(), nil)
	}
}

// nullified reports whether all write-only attributes are null.
func (s special) nullified(state map[string]tftypes.Value) bool {
	for _, name := range s.writeOnly {
		if !state[name].IsNull() {
			return false
		}
	}
	return true
}

// isValidated reports whether a type validates its values.
func isValidated(ctx context.Context, as attr.Type) bool {
	value, err := as.ValueFromTerraform(ctx, tftypes.NewValue(as.TerraformType(ctx), nil))
	_, validates := value.(xattr.ValidateableAttribute)
	return err != nil || validates
}

// valid reports whether the values that the framework validates are valid.
func (s special) valid(ctx context.Context, attributes map[string]tftypes.Value) bool {
	for name, as := range s.validated {
		value, err := as.ValueFromTerraform(ctx, attributes[name])
		validating, ok := value.(xattr.ValidateableAttribute)
		if err != nil || !ok {
			return false
		}
		var resp xattr.ValidateAttributeResponse
		validating.ValidateAttribute(ctx, xattr.ValidateAttributeRequest{Path: path.Root(name)}, &resp)
		if len(resp.Diagnostics) > 0 {
			return false
		}
	}
	return true
}
