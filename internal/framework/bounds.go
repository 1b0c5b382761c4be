package framework

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Bounds accepts the numbers of a range. It is the rule for all numbers of the provider: its errors name the attribute, the number and
// the bound.
type Bounds struct {
	least, most float64
	// whole also refuses fractions, for attributes of the type number.
	whole bool
}

var (
	_ validator.Int64   = Bounds{}
	_ validator.Float64 = Bounds{}
	_ validator.Number  = Bounds{}
)

// AtLeast accepts numbers from a minimum on.
func AtLeast(least float64) Bounds { return Bounds{least: least, most: math.Inf(1)} }

// Between accepts numbers from a minimum to a maximum.
func Between(least, most float64) Bounds { return Bounds{least: least, most: most} }

// WholeBetween accepts whole numbers from a minimum to a maximum. The framework calls a fraction in an Int64Attribute a bug of the
// provider, which is why such an attribute is a NumberAttribute.
func WholeBetween(least, most float64) Bounds { return Bounds{least, most, true} }

// Description implements validator.Describer.
func (b Bounds) Description(context.Context) string { return b.wanted() }

func (b Bounds) wanted() string {
	kind := "a number"
	if b.whole {
		kind = "a whole number"
	}
	if math.IsInf(b.most, 1) {
		return fmt.Sprintf("must be %s from %s", kind, NumberText(big.NewFloat(b.least)))
	}
	return fmt.Sprintf("must be %s from %s to %s", kind, NumberText(big.NewFloat(b.least)), NumberText(big.NewFloat(b.most)))
}

// MarkdownDescription implements validator.Describer.
func (b Bounds) MarkdownDescription(ctx context.Context) string { return b.Description(ctx) }

// Refuse returns an error if a number is out of bounds.
func (b Bounds) Refuse(at path.Path, n *big.Float) diag.Diagnostics {
	var problem string
	switch {
	case b.whole && !n.IsInt():
		problem = "it " + b.wanted()
	case n.Cmp(big.NewFloat(b.least)) < 0:
		problem = "the minimum is " + NumberText(big.NewFloat(b.least))
	case n.Cmp(big.NewFloat(b.most)) > 0:
		problem = "the maximum is " + NumberText(big.NewFloat(b.most))
	default:
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Number out of range", fmt.Sprintf("%s is %s; %s.", at, NumberText(n), problem))}
}

// ValidateInt64 implements validator.Int64.
func (b Bounds) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if v := req.ConfigValue; ChecksValues(ctx) && !v.IsNull() && !v.IsUnknown() {
		resp.Diagnostics.Append(b.Refuse(req.Path, new(big.Float).SetInt64(v.ValueInt64()))...)
	}
}

// ValidateFloat64 implements validator.Float64.
func (b Bounds) ValidateFloat64(ctx context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	if v := req.ConfigValue; ChecksValues(ctx) && !v.IsNull() && !v.IsUnknown() {
		resp.Diagnostics.Append(b.Refuse(req.Path, big.NewFloat(v.ValueFloat64()))...)
	}
}

// ValidateNumber implements validator.Number.
func (b Bounds) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if v := req.ConfigValue; ChecksValues(ctx) && !v.IsNull() && !v.IsUnknown() {
		resp.Diagnostics.Append(b.Refuse(req.Path, v.ValueBigFloat())...)
	}
}

// NumberText returns a number as users write it, unless it has very many digits.
func NumberText(n *big.Float) string {
	if n.MantExp(nil) > 64 {
		return n.Text('g', 10)
	}
	return n.Text('f', -1)
}
