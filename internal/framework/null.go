package framework

import "github.com/hashicorp/terraform-plugin-framework/types"

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
