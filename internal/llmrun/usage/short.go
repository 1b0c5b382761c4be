package usage

import (
	"cmp"
	"strconv"
	"strings"
)

// maxDigits is the maximum number of digits of a short decimal. Any two of them can be added without an overflow.
const maxDigits = 18

// short is a decimal with few digits: n / 10^scale. Nearly all prices, costs and counts are short, and a machine word takes
// a tenth of the time of a big.Rat. The fraction has no trailing zeros, so that equal numbers have the same value.
type short struct {
	n     int64
	scale int // 0 to maxDigits
}

// powers are the powers of ten that fit.
var powers = func() (p [maxDigits + 1]int64) {
	p[0] = 1
	for i := 1; i <= maxDigits; i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// newShort returns n / 10^scale; ok says whether it is short.
func newShort(n int64, scale int) (s short, ok bool) {
	for scale > 0 && n%10 == 0 {
		n, scale = n/10, scale-1
	}
	return short{n, scale}, scale <= maxDigits && -powers[maxDigits] < n && n < powers[maxDigits]
}

// parseShort reads a JSON number without an exponent; ok says whether it is one, and short.
func parseShort(text string) (s short, ok bool) {
	whole, fraction, dotted := strings.Cut(text, ".")
	digits := strings.TrimPrefix(whole, "-")
	switch {
	case len(digits)+len(fraction) > maxDigits, dotted && fraction == "", digits == "", len(digits) > 1 && digits[0] == '0':
		return short{}, false
	}
	var n int64
	for _, part := range [...]string{digits, fraction} {
		for i := range len(part) {
			if part[i] < '0' || part[i] > '9' {
				return short{}, false
			}
			n = 10*n + int64(part[i]-'0')
		}
	}
	if len(digits) < len(whole) {
		n = -n
	}
	return newShort(n, len(fraction))
}

// at returns the number times 10^scale, which is at least s.scale; ok says whether it still has few digits.
func (s short) at(scale int) (n int64, ok bool) {
	more := scale - s.scale
	most := powers[maxDigits-more]
	return s.n * powers[more], -most < s.n && s.n < most
}

// alike returns both numbers times the same power of ten.
func (s short) alike(t short) (a, b int64, scale int, ok bool) {
	scale = max(s.scale, t.scale)
	a, one := s.at(scale)
	b, other := t.at(scale)
	return a, b, scale, one && other
}

func (s short) add(t short) (sum short, ok bool) {
	a, b, scale, ok := s.alike(t)
	if !ok {
		return short{}, false
	}
	return newShort(a+b, scale)
}

func (s short) mul(t short) (product short, ok bool) {
	n := s.n * t.n
	if s.n != 0 && (n/s.n != t.n) {
		return short{}, false
	}
	return newShort(n, s.scale+t.scale)
}

func (s short) cmp(t short) (order int, ok bool) {
	a, b, _, ok := s.alike(t)
	return cmp.Compare(a, b), ok
}

// String returns all digits, without an exponent and trailing zeros.
func (s short) String() string {
	text := strconv.FormatInt(s.n, 10)
	if s.scale == 0 {
		return text
	}
	sign := ""
	if s.n < 0 {
		sign, text = "-", text[1:]
	}
	if missing := s.scale + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	point := len(text) - s.scale
	return sign + text[:point] + "." + text[point:]
}
