package usage

import (
	"encoding/json"
	"errors"
	"math/big"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// Decimal is an exact number with finitely many decimal digits: a cost, a price or a count. The zero value is 0.
//
// Costs are sums of products such as 15 × 0.000002. Binary floats turn that into 0.000029999999999999997, which differs
// from what clients calculate by hand.
//
// It is our own, in place of shopspring/decimal (v1.6.0), because statistics add up a dozen of them for each run. Parsing, multiplying and
// adding up seven costs (BenchmarkDecimal) takes 0.28 µs and 2 allocations; with that library, 1.8 µs and 44. Decimals are 3 % of the CPU
// time of BenchmarkStats in internal/devserver, and would be a sixth.
type Decimal struct {
	short
	// rat is the number if it isn't short; it is immutable.
	rat *big.Rat
}

// ParseDecimal reads a number in JSON syntax, such as 0.50 or 5e-6.
func ParseDecimal(s string) (Decimal, error) {
	if few, ok := parseShort(s); ok {
		return Decimal{short: few}, nil
	}
	rat, err := rawjson.ParseNumber(s)
	if err != nil {
		return Decimal{}, err
	}
	return newDecimal(rat), nil
}

// DecimalOf converts a whole number.
func DecimalOf(n int64) Decimal {
	if few, ok := newShort(n, 0); ok {
		return Decimal{short: few}
	}
	return Decimal{rat: new(big.Rat).SetInt64(n)}
}

func newDecimal(rat *big.Rat) Decimal {
	if digits, _ := rat.FloatPrec(); digits <= maxDigits {
		if few, ok := parseShort(rat.FloatString(digits)); ok {
			return Decimal{short: few}
		}
	}
	return Decimal{rat: rat}
}

// value returns the number for calculations; it must not be changed.
func (d Decimal) value() *big.Rat {
	if d.rat == nil {
		return big.NewRat(d.n, powers[d.scale])
	}
	return d.rat
}

// Add returns the sum.
func (d Decimal) Add(e Decimal) Decimal {
	if d.rat == nil && e.rat == nil {
		if sum, ok := d.add(e.short); ok {
			return Decimal{short: sum}
		}
	}
	return newDecimal(new(big.Rat).Add(d.value(), e.value()))
}

// Sub returns the difference.
func (d Decimal) Sub(e Decimal) Decimal {
	if e.rat == nil {
		return d.Add(Decimal{short: short{-e.n, e.scale}})
	}
	return newDecimal(new(big.Rat).Sub(d.value(), e.rat))
}

// Mul returns the product.
func (d Decimal) Mul(e Decimal) Decimal {
	if d.rat == nil && e.rat == nil {
		if product, ok := d.mul(e.short); ok {
			return Decimal{short: product}
		}
	}
	return newDecimal(new(big.Rat).Mul(d.value(), e.value()))
}

// Cmp returns -1, 0 or 1: less, equal or greater.
func (d Decimal) Cmp(e Decimal) int {
	if d.rat == nil && e.rat == nil {
		if order, ok := d.cmp(e.short); ok {
			return order
		}
	}
	return d.value().Cmp(e.value())
}

// Equal says whether two numbers are the same, however they were written.
func (d Decimal) Equal(e Decimal) bool { return d.Cmp(e) == 0 }

// Sign returns -1, 0 or 1.
func (d Decimal) Sign() int { return d.Cmp(Decimal{}) }

// Int64 returns the number if it is whole and in range.
func (d Decimal) Int64() (int64, bool) {
	n := d.value()
	return n.Num().Int64(), n.IsInt() && n.Num().IsInt64()
}

// String returns all digits, without an exponent and trailing zeros.
func (d Decimal) String() string {
	if d.rat == nil {
		return d.short.String()
	}
	// The denominator has no factors but 2 and 5, like that of all decimals, their sums and products.
	digits, _ := d.rat.FloatPrec()
	return d.rat.FloatString(digits)
}

// Number returns the number for JSON that contains costs as numbers and not as strings.
func (d Decimal) Number() json.Number { return json.Number(d.String()) }

// MarshalJSON encodes a string, because most JSON decoders read numbers as binary floats.
func (d Decimal) MarshalJSON() ([]byte, error) { return rawjson.Quote(d.String()), nil }

// UnmarshalJSON reads a number or a string that contains one. As everywhere in encoding/json, null changes nothing.
func (d *Decimal) UnmarshalJSON(data []byte) error {
	if rawjson.IsNull(data) {
		return nil
	}
	read, ok, err := readDecimal(data)
	if !ok {
		return errors.New(rawjson.Show(data) + " is neither a number nor a string: write a decimal such as 0.000002")
	}
	if err != nil {
		return err
	}
	*d = read
	return nil
}

// readDecimal reads a JSON number, or a string that contains one; ok says whether the value has either type.
func readDecimal(raw json.RawMessage) (d Decimal, ok bool, err error) {
	text, ok := rawjson.NumberText(raw)
	if !ok {
		return Decimal{}, false, nil
	}
	d, err = ParseDecimal(text)
	return d, true, err
}
