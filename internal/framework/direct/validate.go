package direct

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateResourceConfig implements tfprotov6.ResourceServer. For an invalid configuration, the framework answers.
func (s *Server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	var resp *tfprotov6.ValidateResourceConfigResponse
	if k, ok := s.resources.find(ctx, req.TypeName); ok && k.valid(ctx, req, s.provider) {
		resp = &tfprotov6.ValidateResourceConfigResponse{}
	}
	return answer(s, req.TypeName, resp, func() (*tfprotov6.ValidateResourceConfigResponse, error) {
		return s.FrameworkServer.ValidateResourceConfig(ctx, req)
	})
}

// valid reports whether a configuration has no diagnostics.
func (k *kind) valid(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest, p *Provider) bool {
	raw, _, decoded := decode(k.as, req.Config)
	r, ok := k.configured(ctx, p)
	if !decoded || !ok || k.schema.DeprecationMessage != "" {
		return false
	}
	v := &validation{ctx: ctx, config: tfsdk.Config{Schema: k.schema, Raw: raw}}
	v.capabilities.WriteOnlyAttributesAllowed = req.ClientCapabilities != nil && req.ClientCapabilities.WriteOnlyAttributesAllowed
	var resp resource.ValidateConfigResponse
	r.ValidateConfig(ctx, resource.ValidateConfigRequest{
		Config: v.config, ClientCapabilities: resource.ValidateConfigClientCapabilities(v.capabilities),
	}, &resp)
	if len(resp.Diagnostics) > 0 {
		return false
	}
	value, err := k.schema.Type().ValueFromTerraform(ctx, raw)
	config, ok := value.(types.Object)
	return err == nil && ok && v.attributes(k.schema.Attributes, config, root)
}

// validation is the validation of one configuration.
type validation struct {
	ctx          context.Context //nolint:containedctx // Valid for one call.
	config       tfsdk.Config
	capabilities validator.ValidateSchemaClientCapabilities
}

// place is the location of a value.
type place struct {
	path       path.Path
	expression path.Expression
}

// root returns the place of an attribute of the resource.
func root(name string) place { return place{path.Root(name), path.MatchRoot(name)} }

// child returns the place of an attribute of the object at p.
func (p place) child(name string) place { return place{p.path.AtName(name), p.expression.AtName(name)} }

// attributes reports whether the attributes of a known object have no diagnostics.
func (v *validation) attributes(attributes map[string]schema.Attribute, object types.Object, at func(name string) place) bool {
	values := object.Attributes()
	for name, attribute := range attributes {
		value, here := values[name], at(name)
		if !v.fits(attribute, value, here) || !v.validates(attribute, value, here) || !v.nested(attribute, value, here) {
			return false
		}
	}
	return true
}

// fits checks a value against the declaration of its attribute.
func (v *validation) fits(attribute schema.Attribute, value attr.Value, at place) bool {
	switch isNull := value.IsNull(); {
	case !attribute.IsRequired() && !attribute.IsOptional() && !isNull,
		attribute.IsRequired() && isNull,
		attribute.IsWriteOnly() && !isNull && !v.capabilities.WriteOnlyAttributesAllowed,
		attribute.GetDeprecationMessage() != "" && !isNull,
		hasNullElement(value):
		return false
	}
	validating, ok := value.(xattr.ValidateableAttribute)
	if !ok {
		return true
	}
	var resp xattr.ValidateAttributeResponse
	validating.ValidateAttribute(v.ctx, xattr.ValidateAttributeRequest{Path: at.path}, &resp)
	return len(resp.Diagnostics) == 0
}

// hasNullElement reports whether an element of a list, set or map is null, which is for the server behind this one to judge.
func hasNullElement(value attr.Value) bool {
	switch collection := value.(type) {
	case interface{ Elements() []attr.Value }:
		return slices.ContainsFunc(collection.Elements(), attr.Value.IsNull)
	case interface{ Elements() map[string]attr.Value }:
		for _, element := range collection.Elements() {
			if element.IsNull() {
				return true
			}
		}
	}
	return false
}

// validates calls the validators of an attribute.
func (v *validation) validates(attribute schema.Attribute, value attr.Value, at place) bool {
	switch a := attribute.(type) {
	case schema.StringAttribute:
		return silent(v, a.Validators, value, basetypes.StringValuable.ToStringValue, func(each validator.String, text types.String) diag.Diagnostics {
			var resp validator.StringResponse
			each.ValidateString(v.ctx, validator.StringRequest{
				Path: at.path, PathExpression: at.expression, Config: v.config, ConfigValue: text, ClientCapabilities: v.capabilities,
			}, &resp)
			return resp.Diagnostics
		})
	case schema.Int64Attribute:
		return silent(v, a.Validators, value, basetypes.Int64Valuable.ToInt64Value, func(each validator.Int64, number types.Int64) diag.Diagnostics {
			var resp validator.Int64Response
			each.ValidateInt64(v.ctx, validator.Int64Request{
				Path: at.path, PathExpression: at.expression, Config: v.config, ConfigValue: number, ClientCapabilities: v.capabilities,
			}, &resp)
			return resp.Diagnostics
		})
	case schema.Float64Attribute:
		return silent(v, a.Validators, value, basetypes.Float64Valuable.ToFloat64Value, func(each validator.Float64, number types.Float64) diag.Diagnostics {
			var resp validator.Float64Response
			each.ValidateFloat64(v.ctx, validator.Float64Request{
				Path: at.path, PathExpression: at.expression, Config: v.config, ConfigValue: number, ClientCapabilities: v.capabilities,
			}, &resp)
			return resp.Diagnostics
		})
	case schema.MapAttribute:
		return v.validatesMap(a.Validators, value, at)
	case schema.MapNestedAttribute:
		return v.validatesMap(a.Validators, value, at)
	case schema.ListAttribute:
		return v.validatesList(a.Validators, value, at)
	case schema.ListNestedAttribute:
		return v.validatesList(a.Validators, value, at)
	case schema.BoolAttribute:
		return len(a.Validators) == 0
	case schema.SetAttribute:
		return len(a.Validators) == 0
	case schema.SingleNestedAttribute:
		return len(a.Validators) == 0
	}
	return false
}

func (v *validation) validatesMap(validators []validator.Map, value attr.Value, at place) bool {
	return silent(v, validators, value, basetypes.MapValuable.ToMapValue, func(each validator.Map, elements types.Map) diag.Diagnostics {
		var resp validator.MapResponse
		each.ValidateMap(v.ctx, validator.MapRequest{
			Path: at.path, PathExpression: at.expression, Config: v.config, ConfigValue: elements, ClientCapabilities: v.capabilities,
		}, &resp)
		return resp.Diagnostics
	})
}

func (v *validation) validatesList(validators []validator.List, value attr.Value, at place) bool {
	return silent(v, validators, value, basetypes.ListValuable.ToListValue, func(each validator.List, elements types.List) diag.Diagnostics {
		var resp validator.ListResponse
		each.ValidateList(v.ctx, validator.ListRequest{
			Path: at.path, PathExpression: at.expression, Config: v.config, ConfigValue: elements, ClientCapabilities: v.capabilities,
		}, &resp)
		return resp.Diagnostics
	})
}

// silent reports whether no validator has a diagnostic for a value, which convert converts for them.
func silent[V any, F attr.Value, T any](
	v *validation, validators []V, value attr.Value, convert func(F, context.Context) (T, diag.Diagnostics), validate func(V, T) diag.Diagnostics,
) bool {
	if len(validators) == 0 {
		return true
	}
	from, ok := value.(F)
	if !ok {
		return false
	}
	converted, diags := convert(from, v.ctx)
	if len(diags) > 0 {
		return false
	}
	for _, each := range validators {
		if len(validate(each, converted)) > 0 {
			return false
		}
	}
	return true
}

// nested reports whether the contents of a nested attribute have no diagnostics. Null or unknown elements of lists and maps are left
// to the framework.
func (v *validation) nested(attribute schema.Attribute, value attr.Value, at place) bool {
	if value.IsNull() || value.IsUnknown() {
		return true
	}
	switch a := attribute.(type) {
	case schema.SingleNestedAttribute:
		convertible, ok := value.(basetypes.ObjectValuable)
		if !ok {
			return false
		}
		object, diags := convertible.ToObjectValue(v.ctx)
		return len(diags) == 0 && v.attributes(a.Attributes, object, at.child)
	case schema.ListNestedAttribute:
		list, ok := value.(types.List)
		if !ok {
			return false
		}
		for i, element := range list.Elements() {
			if !v.element(a.NestedObject, element, place{at.path.AtListIndex(i), at.expression.AtListIndex(i)}) {
				return false
			}
		}
	case schema.MapNestedAttribute:
		elements, ok := value.(types.Map)
		if !ok {
			return false
		}
		for key, element := range elements.Elements() {
			if !v.element(a.NestedObject, element, place{at.path.AtMapKey(key), at.expression.AtMapKey(key)}) {
				return false
			}
		}
	}
	return true
}

func (v *validation) element(declared schema.NestedAttributeObject, value attr.Value, at place) bool {
	object, ok := value.(types.Object)
	return ok && !object.IsNull() && !object.IsUnknown() && len(declared.Validators) == 0 && v.attributes(declared.Attributes, object, at.child)
}
