package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// wholeNumber accepts whole numbers between two bounds. The framework calls a fraction in an Int64Attribute a bug of the
// provider, which is why the attribute is a NumberAttribute.
type wholeNumber struct{ least, most int64 }

// Description implements validator.Describer.
func (w wholeNumber) Description(context.Context) string {
	return fmt.Sprintf("must be a whole number from %d to %d", w.least, w.most)
}

// MarkdownDescription implements validator.Describer.
func (w wholeNumber) MarkdownDescription(ctx context.Context) string { return w.Description(ctx) }

// ValidateNumber implements validator.Number.
func (w wholeNumber) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueBigFloat()
	if n, accuracy := value.Int64(); accuracy != big.Exact || n < w.least || n > w.most {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+req.Path.String(),
			fmt.Sprintf("%s is %s, but it %s.", req.Path, value.Text('g', 10), w.Description(ctx)))
	}
}
