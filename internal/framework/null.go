package framework

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// String is null for nil, whatever string type of the wire v points to.
func String[T ~string](v *T) types.String {
	if v == nil {
		return types.StringNull()
	}
	return types.StringValue(string(*v))
}

// StringOrNull is null for the empty string: for fields where the API's empty means absent.
func StringOrNull[T ~string](v T) types.String {
	if v == "" {
		return types.StringNull()
	}
	return types.StringValue(string(v))
}

// ToOptional is absent for null and unknown.
func ToOptional[T ~string](v types.String) api.Optional[T] {
	if v.IsNull() || v.IsUnknown() {
		return api.Optional[T]{}
	}
	return api.Some(T(v.ValueString()))
}

// NullOf is the null of a type.
func NullOf(t attr.Type) attr.Value {
	ctx := context.Background() // Types of values don't use it.
	value, err := t.ValueFromTerraform(ctx, tftypes.NewValue(t.TerraformType(ctx), nil))
	if err != nil {
		panic(fmt.Sprintf("%s has no null: %s", t, err)) // No type of the framework's or ours.
	}
	return value
}
