package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// A configuration is validated in two steps. The validate calls of the protocol find out which arguments are set together; what their
// values are is checked by the calls that use them: plans, reads of data sources, invocations of actions. Mocks of terraform test make
// the validate calls, with random values in place of references, and none of the others.

type anyValue struct{}

// WithAnyValue returns a context in which validators accept any value.
func WithAnyValue(ctx context.Context) context.Context {
	return context.WithValue(ctx, anyValue{}, true)
}

// ChecksValues reports whether a validator checks values.
func ChecksValues(ctx context.Context) bool { return ctx.Value(anyValue{}) == nil }

// stringValue is a validator of values.
type stringValue struct{ validator.String }

// ValidateString implements validator.String.
func (v stringValue) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if ChecksValues(ctx) {
		v.String.ValidateString(ctx, req, resp)
	}
}

type listValue struct{ validator.List }

// ListValue makes a validator of lists one of values.
func ListValue(v validator.List) validator.List { return listValue{v} }

// ValidateList implements validator.List.
func (v listValue) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if ChecksValues(ctx) {
		v.List.ValidateList(ctx, req, resp)
	}
}

type setValue struct{ validator.Set }

// SetValue makes a validator of sets one of values.
func SetValue(v validator.Set) validator.Set { return setValue{v} }

// ValidateSet implements validator.Set.
func (v setValue) ValidateSet(ctx context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	if ChecksValues(ctx) {
		v.Set.ValidateSet(ctx, req, resp)
	}
}
