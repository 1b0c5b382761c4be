package framework

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// String returns null for nil, for any string type of the API.
func String[T ~string](v *T) types.String {
	if v == nil {
		return types.StringNull()
	}
	return types.StringValue(string(*v))
}

// StringOrNull returns null for the empty string, for fields where the API's empty means absent.
func StringOrNull[T ~string](v T) types.String {
	if v == "" {
		return types.StringNull()
	}
	return types.StringValue(string(v))
}

// ToOptional returns an absent field for null and unknown.
func ToOptional[T ~string](v types.String) api.Optional[T] {
	if v.IsNull() || v.IsUnknown() {
		return api.Optional[T]{}
	}
	return api.Some(T(v.ValueString()))
}

// NullOf returns the null value of a type.
func NullOf(t attr.Type) attr.Value {
	ctx := context.Background() // Types of values don't use it.
	value, err := t.ValueFromTerraform(ctx, tftypes.NewValue(t.TerraformType(ctx), nil))
	if err != nil {
		panic(fmt.Sprintf("%s has no null: %s", t, err)) // Happens for no type of the framework or of this provider.
	}
	return value
}
