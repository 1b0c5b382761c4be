package rawjson

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Numbers such as 1e999999, which nobody sends on purpose, would take megabytes to write out. The range of a float64 is far
// within these limits.
const (
	MaxNumberDigits   = 1000
	maxNumberExponent = 400
)

// numberSyntax matches a JSON number, with the exponent as a group.
var numberSyntax = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([-+]?[0-9]+))?$`)

// ParseNumber reads the text of a JSON number exactly.
func ParseNumber(s string) (*big.Rat, error) {
	if len(s) > MaxNumberDigits {
		return nil, fmt.Errorf("the number %s has more than %d characters: round it", Shorten(s), MaxNumberDigits)
	}
	match := numberSyntax.FindStringSubmatch(s)
	if match == nil {
		return nil, fmt.Errorf("%s is not a decimal number: write it like 0.000002 or 2e-6", ShowWord(Quote(s)))
	}
	if match[1] != "" {
		if e, err := strconv.Atoi(match[1]); err != nil || e > maxNumberExponent || e < -maxNumberExponent {
			return nil, fmt.Errorf("the exponent of %s is outside ±%d: use a number of realistic size", s, maxNumberExponent)
		}
	}
	rat, _ := new(big.Rat).SetString(s) // It reads every JSON number.
	return rat, nil
}

// NumberText returns the text of a JSON number or of a string; ok says whether the value has either type.
func NumberText(raw json.RawMessage) (text string, ok bool) {
	if text, ok := ReadString(raw); ok {
		return text, true
	}
	if c := FirstByte(raw); c != '-' && (c < '0' || c > '9') {
		return "", false
	}
	return strings.TrimSpace(string(raw)), true
}
