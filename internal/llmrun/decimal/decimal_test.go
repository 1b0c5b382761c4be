package decimal

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
)

// dec parses a number.
func dec(t testing.TB, s string) Decimal {
	t.Helper()
	d, err := Parse(s)
	assert.Must(t, err)
	return d
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "0e99": "0", "12": "12", "12.0": "12", "12.50": "12.5", "-1.25": "-1.25",
		"1e-6": "0.000001", "1E-6": "0.000001", "1.5e3": "1500", "1e+2": "100", "0.000065": "0.000065",
		"12345678901234567890": "12345678901234567890", "0.1234567890123456789": "0.1234567890123456789",
		"1e-400": "0." + strings.Repeat("0", 399) + "1",
	} {
		if got := dec(t, text).String(); got != want {
			t.Errorf("%s is formatted as %s, want %s", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "not a decimal number",
		"abc":                     "not a decimal number",
		"NaN":                     "not a decimal number",
		"Infinity":                "not a decimal number",
		"1_000":                   "not a decimal number",
		"1/3":                     "not a decimal number",
		"0x10":                    "not a decimal number",
		"01":                      "not a decimal number",
		".5":                      "not a decimal number",
		"5.":                      "not a decimal number",
		"5 6":                     "not a decimal number",
		"1e":                      "not a decimal number",
		"1e999999":                "outside ±400",
		"1e-401":                  "outside ±400",
		"1e99999999999999999999":  "outside ±400",
		strings.Repeat("9", 1001): "more than 1000 characters",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: error = %v, want one about %q", text, err, want)
		}
	}
}

func TestDecimalArithmetic(t *testing.T) {
	t.Parallel()
	// In binary floating point, 5e-6 + 3e-5 is 0.000035000000000000004.
	for name, tc := range map[string]struct {
		got  Decimal
		want string
	}{
		"sum":             {dec(t, "3.5e-5").Add(dec(t, "3e-5")), "0.000065"},
		"sum of products": {dec(t, "5").Mul(dec(t, "1e-6")).Add(dec(t, "15").Mul(dec(t, "2e-6"))), "0.000035"},
		"difference":      {dec(t, "0.3").Sub(dec(t, "0.1")), "0.2"},
		"to zero":         {dec(t, "0.3").Sub(dec(t, "0.3")), "0"},
		"with nothing":    {Decimal{}.Add(dec(t, "0.10")), "0.1"},
		"times nothing":   {dec(t, "7").Mul(Decimal{}), "0"},
		"a whole number":  {Of(-42), "-42"},
	} {
		if got := tc.got.String(); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	if !dec(t, "1.50").Equal(dec(t, "15e-1")) || dec(t, "1").Equal(dec(t, "2")) {
		t.Error("Equal must compare values, not digits")
	}
	if !cmp.Equal(Decimal{}, dec(t, "0.00")) {
		t.Error("0 and 0.00 differ, want them equal")
	}
	if dec(t, "-1").Cmp(dec(t, "1")) != -1 || dec(t, "-1").Sign() != -1 || (Decimal{}).Sign() != 0 {
		t.Error("Cmp or Sign is wrong for -1 or 0")
	}
}

func TestDecimalInt64(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"12": true, "12.0": true, "1e3": true, "-5": true, "9223372036854775807": true,
		"12.5": false, "9223372036854775808": false, "1e-1": false,
	} {
		if _, ok := dec(t, text).Int64(); ok != want {
			t.Errorf("Int64 of %s: ok = %t, want %t", text, ok, want)
		}
	}
}

func TestDecimalJSON(t *testing.T) {
	t.Parallel()
	type costs struct{ A, B, C Decimal }
	c := costs{C: Of(7)}
	assert.Must(t, json.Unmarshal([]byte(`{"A": 5e-6, "B": "0.00003", "C": null}`), &c))
	out, err := json.Marshal(c)
	assert.Must(t, err)
	assert.Same(t, "JSON", `{"A":"0.000005","B":"0.00003","C":"7"}`, string(out))
	assert.Same(t, "Number", json.Number("0.000005"), c.A.Number())
	for _, bad := range []string{`true`, `{}`, `[1]`, `""`, `"a"`, `1e9999`} {
		before := dec(t, "3")
		if err := json.Unmarshal([]byte(bad), &before); err == nil {
			t.Errorf("%s was decoded as %s, want an error", bad, before)
		}
		if before.String() != "3" {
			t.Errorf("decoding %s changed the number to %s, want 3", bad, before)
		}
	}
}

// TestDecimal_exact compares numbers of every length with big.Rat, especially around the size of a machine word.
func TestDecimal_exact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	number := func() (Decimal, *big.Rat) {
		digits := make([]byte, 1+r.IntN(21))
		for i := range digits {
			digits[i] = "0123456789999"[r.IntN(13)]
		}
		text := strings.TrimLeft(string(digits), "0")
		if text == "" {
			text = "0"
		}
		if r.IntN(2) == 0 {
			text = "-" + text
		}
		if places := r.IntN(21); places > 0 && r.IntN(3) > 0 {
			fraction := strconv.Itoa(r.Int())
			text += "." + fraction[:min(places, len(fraction))]
		}
		exact, _ := new(big.Rat).SetString(text)
		return dec(t, text), exact
	}
	for range 3000 {
		x, a := number()
		y, b := number()
		for name, tc := range map[string]struct {
			got  Decimal
			want *big.Rat
		}{
			"first": {x, a}, "+": {x.Add(y), new(big.Rat).Add(a, b)}, "-": {x.Sub(y), new(big.Rat).Sub(a, b)}, "*": {x.Mul(y), new(big.Rat).Mul(a, b)},
		} {
			digits, _ := tc.want.FloatPrec()
			if want := tc.want.FloatString(digits); tc.got.String() != want {
				t.Fatalf("%s %s %s = %s, want %s", a.RatString(), name, b.RatString(), tc.got, want)
			}
			if !cmp.Equal(tc.got, dec(t, tc.got.String())) {
				t.Fatalf("%s differs from the same number parsed", tc.got)
			}
		}
		if x.Cmp(y) != a.Cmp(b) || x.Sign() != a.Sign() || x.Equal(y) != (a.Cmp(b) == 0) {
			t.Fatalf("Cmp, Sign or Equal of %s and %s differs from big.Rat's", x, y)
		}
		n, ok := x.Int64()
		if whole := a.IsInt() && a.Num().IsInt64(); ok != whole || ok && n != a.Num().Int64() {
			t.Fatalf("Int64 of %s = %d, %t; want ok = %t", x, n, ok, whole)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "-0.0", "5e-6", "1E+400", "1e999999", "00", "12345678901234567890.5", "-", "1e-400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := Parse(s)
		if err != nil {
			return
		}
		if !json.Valid([]byte(s)) {
			t.Fatalf("%q was parsed, but isn't a JSON number", s)
		}
		var again Decimal
		if err := json.Unmarshal([]byte(d.Number()), &again); err != nil {
			if len(d.String()) <= rawjson.MaxNumberDigits {
				t.Fatal(err)
			}
			return
		}
		if !again.Equal(d) {
			t.Fatalf("%s was encoded and decoded as %s", d, again)
		}
	})
}
