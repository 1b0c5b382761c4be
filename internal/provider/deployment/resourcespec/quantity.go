package resourcespec

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
)

// quantityForm is the syntax of Kubernetes quantities: a decimal number with a suffix or an exponent.
var quantityForm = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]{1,2})?$`)

var quantityUnits = map[string]string{
	"": "1", "n": "1e-9", "u": "1e-6", "m": "1e-3", "k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12", "P": "1e15", "E": "1e18",
	"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776", "Pi": "1125899906842624", "Ei": "1152921504606846976",
}

// parseQuantity returns the exact value of a Kubernetes quantity.
func parseQuantity(text string) (*big.Rat, error) {
	parts := quantityForm.FindStringSubmatch(text)
	if parts == nil {
		return nil, errors.New(`it is not a number with a unit such as "m", "Mi" or "Gi"`)
	}
	unit, known := quantityUnits[parts[2]]
	if !known {
		unit = "1" + strings.ToLower(parts[2])
	}
	amount, _ := new(big.Rat).SetString(parts[1])
	factor, _ := new(big.Rat).SetString(unit)
	return amount.Mul(amount, factor), nil
}
