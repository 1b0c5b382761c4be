package framework

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// HiddenJSONType is jsontypes.NormalizedType for a sensitive attribute: its diagnostics don't quote the value.
type HiddenJSONType struct{ jsontypes.NormalizedType }

func (HiddenJSONType) String() string { return "framework.HiddenJSONType" }

// ValueType implements attr.Type.
func (HiddenJSONType) ValueType(context.Context) attr.Value { return HiddenJSON{} }

// Equal implements attr.Type.
func (HiddenJSONType) Equal(other attr.Type) bool {
	_, same := other.(HiddenJSONType)
	return same
}

// ValueFromString implements basetypes.StringTypable.
func (HiddenJSONType) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return HiddenJSON{jsontypes.Normalized{StringValue: in}}, nil
}

// ValueFromTerraform implements attr.Type.
func (t HiddenJSONType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.NormalizedType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	normalized, ok := value.(jsontypes.Normalized)
	if !ok {
		return nil, fmt.Errorf("unexpected value type of %T", value)
	}
	return HiddenJSON{normalized}, nil
}

// HiddenJSON is a value of HiddenJSONType.
type HiddenJSON struct{ jsontypes.Normalized }

// NewHiddenJSON returns a known value.
func NewHiddenJSON(text string) HiddenJSON { return HiddenJSON{jsontypes.NewNormalizedValue(text)} }

// NewHiddenJSONNull returns null.
func NewHiddenJSONNull() HiddenJSON { return HiddenJSON{jsontypes.NewNormalizedNull()} }

// Type implements attr.Value.
func (HiddenJSON) Type(context.Context) attr.Type { return HiddenJSONType{} }

// Equal implements attr.Value.
func (v HiddenJSON) Equal(other attr.Value) bool {
	o, same := other.(HiddenJSON)
	return same && v.Normalized.Equal(o.Normalized)
}

// StringSemanticEquals implements basetypes.StringValuableWithSemanticEquals.
func (v HiddenJSON) StringSemanticEquals(ctx context.Context, other basetypes.StringValuable) (bool, diag.Diagnostics) {
	if o, same := other.(HiddenJSON); same {
		other = o.Normalized
	}
	return v.Normalized.StringSemanticEquals(ctx, other)
}

// ValidateAttribute implements xattr.ValidateableAttribute.
func (v HiddenJSON) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	if !v.IsNull() && !v.IsUnknown() && !json.Valid([]byte(v.ValueString())) {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid JSON",
			"The value, which is not shown because it is sensitive, is not valid JSON (RFC 8259). Write it with jsonencode.")
	}
}

// MaskValues masks values in everything that is logged with the context, and in messages of the service.
func MaskValues(ctx context.Context, values ...string) context.Context {
	for _, value := range values {
		if value != "" {
			ctx = mask.With(tflog.MaskLogStrings(ctx, value), value)
		}
	}
	return ctx
}

// MaskSecrets does the same for the values of an environment.
func MaskSecrets(ctx context.Context, secrets []api.Secret) context.Context {
	for _, secret := range secrets {
		ctx = MaskValues(ctx, secret.Value)
	}
	return ctx
}
