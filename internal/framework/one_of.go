package framework

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// ExactlyOneOf validates that exactly one of several attributes is set; use it on the first of them. Unlike the messages of the
// validators module, its messages name all of them.
func ExactlyOneOf(names ...string) validator.String { return oneOf{names, true} }

// AtLeastOneOf validates that at least one of several attributes is set; use it on the first of them.
func AtLeastOneOf(names ...string) validator.String { return oneOf{names, false} }

type oneOf struct {
	names []string
	only  bool
}

// Description implements validator.Describer.
func (o oneOf) Description(context.Context) string {
	amount := "at least one"
	if o.only {
		amount = "exactly one"
	}
	last := len(o.names) - 1
	return fmt.Sprintf("%s of %s and %s must be set", amount, strings.Join(o.names[:last], ", "), o.names[last])
}

// MarkdownDescription implements validator.Describer.
func (o oneOf) MarkdownDescription(ctx context.Context) string { return o.Description(ctx) }

// ValidateString implements validator.String. It reports nothing while an unknown value may decide.
func (o oneOf) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	var set []string
	for _, name := range o.names {
		var value attr.Value
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(name), &value)...)
		if resp.Diagnostics.HasError() || value.IsUnknown() {
			return
		}
		if !value.IsNull() {
			set = append(set, name)
		}
	}
	rule := strings.ToUpper(o.Description(ctx)[:1]) + o.Description(ctx)[1:]
	switch {
	case len(set) == 0:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Attribute Combination", rule+", but none is.")
	case o.only && len(set) > 1:
		resp.Diagnostics.AddAttributeError(path.Root(set[0]), "Invalid Attribute Combination",
			fmt.Sprintf("%s, but %s are. Keep one of them.", rule, strings.Join(set, " and ")))
	}
}
